"""What a client sends, with a bound: no header makes the server wait for, or hold, gigabytes."""

from __future__ import annotations

import re
import sys
from typing import IO

MOST_BYTES = 64 << 20
"""Of one message; the texts of editors have a hundredth of that."""
_LONGEST_HEADER = 1024
_LENGTH = re.compile(rb"Content-Length:\s*(\d+)\s*", re.IGNORECASE)


class MessageInput:
    """Standard input, as pygls reads it; too large a message ends it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def readline(self) -> bytes:
        """Return a line of a header, or nothing at the end."""
        line = self._file.readline(_LONGEST_HEADER)
        length = _LENGTH.fullmatch(line)
        digits = length[1].lstrip(b"0") if length else b""
        # By the digits first: Python refuses to read a number of thousands.
        if len(digits) > len(str(MOST_BYTES)) or int(digits or b"0") > MOST_BYTES:
            return self._end(f"a message has more than {MOST_BYTES >> 20} MB")
        if len(line) == _LONGEST_HEADER and not line.endswith(b"\n"):
            return self._end(f"a header has more than {_LONGEST_HEADER} bytes")
        return line

    def read(self, count: int) -> bytes:
        """Return the content of a message."""
        return self._file.read(count)

    def _end(self, reason: str) -> bytes:
        # Where the next message would begin is not known any more.
        sys.stderr.write(f"emendo: {reason}; the language server ends\n")
        return b""
