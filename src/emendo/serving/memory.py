"""The memory of this process."""

from __future__ import annotations

from pathlib import Path

_STATUS = Path("/proc/self/status")


def resident_mb() -> float | None:
    """Return the megabytes that it has in memory, or None where the system does not say."""
    if not _STATUS.exists():
        return None
    lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
    found = [line.split()[1] for line in lines if line.startswith("VmRSS:")]
    return int(found[0]) / 1024 if found else None
