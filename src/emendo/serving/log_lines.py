"""The log: one JSON object per line, on standard error."""

from __future__ import annotations

import json
import logging
import sys
import time

from emendo.serving.failures import describe_failure

_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}


class JsonFormatter(logging.Formatter):
    """Writes a record as JSON; for an exception, its type and place, not its message."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line = {
            "time": f"{moment}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **{name: value for name, value in vars(record).items() if name not in _OWN},
        }
        if record.exc_info and record.exc_info[1] is not None:
            line["failure"] = describe_failure(record.exc_info[1])
        return json.dumps(line, default=str)


def set_up_logs(level: str = "info") -> None:
    """Send everything that is logged in this process through one formatter."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    # The door logs every request, without its query.
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers = []
        logger.propagate = name != "uvicorn.access"
