"""Descriptions of exceptions for the log: the place, never the message.

A message may contain a user's text.
"""

from __future__ import annotations

import traceback
from pathlib import PurePath


def describe_failure(error: BaseException) -> str:
    """Return the kind of an error and the calls that led to it, innermost first."""
    parts: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(parts) < 4:
        frames = [
            f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}"
            for frame in reversed(traceback.extract_tb(cause.__traceback__)[-6:])
        ]
        parts.append(" < ".join([type(cause).__name__, *frames]))
        cause = cause.__cause__
    return "; from ".join(parts)
