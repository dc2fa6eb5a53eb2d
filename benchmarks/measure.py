"""Time and memory of one piece of work, in a separate process if memory is measured."""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the shortest time of several repeats, the one with the least disturbance."""
    best = float("inf")
    for _ in range(repeats):
        gc.collect()
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def interleaved_seconds(works: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Time several pieces of work in turn, so that other load affects all of them equally."""
    best = dict.fromkeys(works, float("inf"))
    for work in works.values():
        work()
    for _ in range(repeats):
        for name, work in works.items():
            best[name] = min(best[name], seconds(work, 1))
    return best


def median_cpu_seconds(works: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Run pieces of work in turn, and return the median processor time of each.

    Other work on the machine affects wall-clock time, but hardly processor time, so these
    comparisons are valid on a busy machine.
    """
    taken: dict[str, list[float]] = {name: [] for name in works}
    for work in works.values():
        work()
    for _ in range(repeats):
        for name, work in works.items():
            gc.collect()
            start = time.process_time()
            work()
            taken[name].append(time.process_time() - start)
    return {name: statistics.median(times) for name, times in taken.items()}


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise LookupError(field)


def peak_bytes(work: Callable[[], object]) -> int:
    """Return how far resident memory rises during the work (Linux)."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    before = _status("VmRSS")
    work()
    return _status("VmHWM") - before


def process_peak_bytes() -> int:
    """Return the peak resident memory of this process since `peak_bytes` was last called."""
    return _status("VmHWM")


def in_subprocess(script: str, *arguments: str) -> dict[str, float]:
    """Run a benchmark script in a fresh process and read the JSON on its last line."""
    result = subprocess.run(
        [sys.executable, script, *arguments], check=True, capture_output=True, text=True
    )
    return json.loads(result.stdout.strip().splitlines()[-1])
