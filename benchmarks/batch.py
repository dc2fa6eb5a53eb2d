"""`emendo batch` on a corpus, compared with a bare loop over the same editor.

    python benchmarks/batch.py [--model BUNDLE] [--short] [--backend onnx] [--precision fp32]

The corpus is 20,000 sentences of OpenStax and Wikinews, as a folder of Parquet files. Without
`--model`, the network is an untrained one on the real encoder, which keeps every word: most words
of clean text are kept anyway, and the other costs are more visible.

- `ray_ratio`: rows a second of one Ray worker, with reading, writing and the manifest, divided by
  those of a bare loop over `Editor.edit_many` that runs before and after it. Each has one thread.
  Time counts from the start of the first row to the end of the last one, without starting up.
  `two_worker_ratio`: the same for two workers and two processes with a loop each. `local_ratio`:
  the same for one process of `--local`.
- `padding`: the share of padding in the tokens read. `rows_per_core_s`: of the Ray worker.
- `ray_start_s`, `local_start_s`: the time from the command to the first row.
- `ray_idle_mb`: the memory of Ray's own processes (PSS) before any work.
- `equal`: whether Ray and `--local` wrote the same bytes.

Prints one JSON object on its last line.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from archives import unpacked
from emendo.batch.manifest import Manifest
from emendo.batch.storage import Folder

if TYPE_CHECKING:
    from collections.abc import Sequence

ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}


def sentences(count: int) -> list[str]:
    """Return an even sample of sentences, half from each source."""
    root = unpacked("permissive-clean-text")
    found = []
    for files in (
        sorted((root / "openstax").glob("*.sents.txt")),
        [root / "wikinews-en/wikinews.sents.txt"],
    ):
        lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
        wanted = count // 2
        found += [lines[k * len(lines) // wanted] for k in range(wanted)]
    return found


def bare_loop(bundle: str, backend: str, precision: str, path: str) -> dict[str, float]:
    """Edit texts in this process, and return the start and end times."""
    from emendo import load_editor

    texts = json.loads(Path(path).read_text(encoding="utf-8"))
    editor = load_editor(bundle, backend=backend, precision=precision, cache_size=0)
    editor.edit("This is a sentence.")
    begin = time.time()
    for k in range(0, len(texts), 1000):
        editor.edit_many(texts[k : k + 1000])
    return {"begin": begin, "end": time.time()}


def run_bare(engine: Sequence[str], texts: list[str], processes: int, work: Path) -> float:
    """Return the seconds that this many processes take, each with its own loop."""
    running = []
    for k in range(processes):
        path = work / f"texts{k}.json"
        path.write_text(json.dumps(texts[k::processes]), encoding="utf-8")
        running.append(
            subprocess.Popen(
                [sys.executable, __file__, "--bare", str(path), *engine],
                stdout=subprocess.PIPE,
                text=True,
                env=ENVIRONMENT,
            )
        )
    times = [json.loads(each.communicate()[0].strip().splitlines()[-1]) for each in running]
    return max(t["end"] for t in times) - min(t["begin"] for t in times)


def run_job(source: Path, output: Path, engine: Sequence[str], *options: str) -> dict[str, float]:
    """Run the command, and return its figures with the speed and the time to the first row."""
    begin = time.time()
    done = subprocess.run(
        [
            *(sys.executable, "-m", "emendo", "batch", str(source), str(output)),
            *(*engine, "--json", *options),
        ],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    figures = json.loads(done.stdout.strip().splitlines()[-1])
    entries = list(Manifest(Folder(str(output))).read())
    first = min(entry.finished - entry.seconds for entry in entries)
    last = max(entry.finished for entry in entries)
    return {**figures, "speed": figures["rows"] / (last - first), "start_s": first - begin}


def idle_ray() -> float:
    """Start Ray as the command does, and return the memory of its processes."""
    import psutil

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray

    ray.init(num_cpus=2, object_store_memory=128 << 20, include_dashboard=False)
    time.sleep(5)
    processes = psutil.Process().children(recursive=True)
    total = sum(process.memory_full_info().pss for process in processes)
    ray.shutdown()
    return total / 2**20


def make_bundle(work: Path) -> Path:
    """Export a new network, which keeps every word, in single precision."""
    from edit_models import calibration_texts, new_network
    from emendo.export import export_bundle

    model = new_network(work / "model")
    report = export_bundle(model, work / "bundle", calibration=calibration_texts(50))
    return report.bundle.folder


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--backend", default="onnx")
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--bare", help=argparse.SUPPRESS)
    parser.add_argument("--idle", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.bare:
        engine = (str(arguments.model), arguments.backend, arguments.precision)
        print(json.dumps(bare_loop(*engine, arguments.bare)))
        return
    if arguments.idle:
        print(json.dumps({"mb": idle_ray()}))
        return
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        bundle = arguments.model or make_bundle(work)
        texts = sentences(400 if arguments.short else 20_000)
        files = 2 if arguments.short else 8
        source = work / "in"
        source.mkdir()
        for k in range(files):
            pq.write_table(pa.table({"text": texts[k::files]}), source / f"{k}.parquet")
        engine = ("--model", str(bundle), "--backend", arguments.backend)
        engine = (*engine, "--precision", arguments.precision)
        before = run_bare(engine, texts, 1, work)
        one = run_job(source, work / "ray1", engine, "--workers", "1")
        # Repeated, because the load of the machine varies.
        bare = len(texts) / ((before + run_bare(engine, texts, 1, work)) / 2)
        local = run_job(source, work / "local", engine, "--local", "--workers", "1")
        two_bare = len(texts) / run_bare(engine, texts, 2, work)
        two = run_job(source, work / "ray2", engine, "--workers", "2")
        idle = subprocess.run(
            [sys.executable, __file__, "--idle"], check=True, stdout=subprocess.PIPE, text=True
        )
        written = [
            {path.name: path.read_bytes() for path in (work / name).glob("*.parquet")}
            for name in ("ray1", "ray2", "local")
        ]
    print(
        json.dumps(
            {
                "rows": one["rows"],
                "ray_ratio": round(one["speed"] / bare, 3),
                "two_worker_ratio": round(two["speed"] / two_bare, 3),
                "local_ratio": round(local["speed"] / bare, 3),
                "padding": one["padding_share"],
                "ray_start_s": round(one["start_s"], 1),
                "local_start_s": round(local["start_s"], 1),
                "ray_idle_mb": round(json.loads(idle.stdout.strip().splitlines()[-1])["mb"]),
                "rows_per_core_s": round(one["speed"], 1),
                "changed_share": round(one["changed"] / one["rows"], 3),
                "equal": written[0] == written[1] == written[2],
            }
        )
    )


if __name__ == "__main__":
    main()
