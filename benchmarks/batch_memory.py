"""Memory of the driver and the workers of `emendo batch`, by number of rows.

    python benchmarks/batch_memory.py --model BUNDLE [--short] [--ray]

10,000, 100,000 and 1,000,000 rows (short: 2,000 and 20,000) of a few hundred different texts, in
files of 10,000 rows, two workers. A tiny model is enough: everything except the model is measured.

- `driver_mb`, `worker_mb`: peak resident memory of the command itself and of a worker, by rows.
- `driver_growth`, `worker_growth`: the last of these divided by the first.

Prints one JSON object on its last line.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pyarrow as pa
import pyarrow.parquet as pq

FILE_ROWS = 10_000
WORDS = ["the", "a", "new", "old", "network", "house", "keeps", "every", "word", "in", "like", "it"]


def write_rows(folder: Path, rows: int) -> None:
    rng = random.Random(0)
    texts = [" ".join(rng.choices(WORDS, k=rng.randrange(2, 9))) for _ in range(300)]
    folder.mkdir()
    size = min(FILE_ROWS, rows // 2)
    for k in range(rows // size):
        ids = range(k * size, (k + 1) * size)
        table = pa.table({"id": ids, "text": [rng.choice(texts) for _ in ids]})
        pq.write_table(table, folder / f"{k:04}.parquet")


def watch(command: list[str]) -> tuple[float, float]:
    """Run a command, and return the peak of its memory and of its largest worker, in MB."""
    peaks = [0.0, 0.0]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"}
    ) as process:
        driver = psutil.Process(process.pid)
        while process.poll() is None:
            for each in [driver, *driver.children(recursive=True)]:
                try:
                    line = " ".join(each.cmdline())
                    is_worker = "spawn_main" in line or "MapWorker" in line
                    used = each.memory_info().rss / 2**20
                except psutil.Error:
                    continue
                if each is driver or is_worker:
                    peaks[is_worker] = max(peaks[is_worker], used)
            time.sleep(0.1)
    if process.returncode:
        raise SystemExit(process.returncode)
    return peaks[0], peaks[1]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--ray", action="store_true", help="use Ray's workers instead of --local")
    arguments = parser.parse_args()
    found = {}
    for rows in (2_000, 20_000) if arguments.short else (10_000, 100_000, 1_000_000):
        with tempfile.TemporaryDirectory() as folder:
            source, output = Path(folder, "in"), Path(folder, "out")
            write_rows(source, rows)
            command = [sys.executable, "-m", "emendo", "batch", str(source), str(output)]
            command += ["-m", arguments.model, "--workers", "2"]
            found[rows] = watch(command if arguments.ray else [*command, "--local"])
            print(rows, found[rows], file=sys.stderr)
    (first_driver, first_worker), (driver, worker) = found[min(found)], found[max(found)]
    print(
        json.dumps(
            {
                "driver_mb": {rows: round(mb) for rows, (mb, _) in found.items()},
                "worker_mb": {rows: round(mb) for rows, (_, mb) in found.items()},
                "driver_growth": round(driver / first_driver, 3),
                "worker_growth": round(worker / first_worker, 3),
            }
        )
    )


if __name__ == "__main__":
    main()
