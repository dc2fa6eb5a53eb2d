"""Real data for benchmarks: archives unpack once into a cache folder."""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("EMENDO_DATA", ROOT.parent / "shared/data"))
WEIGHTS = Path(os.environ.get("EMENDO_WEIGHTS", ROOT.parent / "shared/weights"))
CACHE = ROOT / ".cache/data"


def unpacked(archive: str) -> Path:
    """Return the folder with an archive's content; the archive is unpacked only once."""
    folder = CACHE / archive
    if not folder.exists():
        source = DATA / f"{archive}.tar.xz"
        if not source.exists():
            raise SystemExit(
                f"no {source.name} in {DATA}: set EMENDO_DATA to the folder that has it"
            )
        partial = folder.with_suffix(f".{os.getpid()}")
        with tarfile.open(source) as tar:
            # Python 3.11.2, for example, has no filters yet and does not accept the argument.
            if hasattr(tarfile, "data_filter"):
                tar.extraction_filter = tarfile.data_filter
            tar.extractall(partial)
        try:
            partial.rename(folder)
        except OSError:
            # Another process was faster; its result is the same.
            shutil.rmtree(partial)
    return folder
