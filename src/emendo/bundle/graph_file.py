"""Checks that a graph is a complete ONNX file, so that hashes cover all that an engine loads.

A tensor of ONNX can be in another file, which no hash of the bundle covers, and an engine may
accept a file of another format, which can also name other files. Both are refused before an engine
opens them, without a parser for the format.
"""

from __future__ import annotations

import mmap
import re
from typing import TYPE_CHECKING

from emendo.errors import BundleError

if TYPE_CHECKING:
    from pathlib import Path

# The number of the format's version, the first field of every ONNX file.
_FIRST = b"\x08"
# The key under which a tensor names its file. Its length precedes it, and a number in protobuf
# may have further bytes without meaning.
_KEY = b"location"
_LENGTH = re.compile(rb"(?:\x08|\x88\x80{0,8}\x00)\Z")


def check_graph_file(path: Path) -> None:
    """Check that a file is an ONNX graph with all its weights.

    Raises:
        BundleError: It is not.
    """
    with path.open("rb") as file:
        if file.read(1) != _FIRST:
            raise BundleError(f"{path} is not an ONNX graph; export the bundle again")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            place = content.find(_KEY)
            while place >= 0:
                if _LENGTH.search(content[max(0, place - 10) : place]):
                    raise BundleError(
                        f"{path} has weights in other files, which {path.parent} has no hash "
                        "for; export the bundle again"
                    )
                place = content.find(_KEY, place + 1)
