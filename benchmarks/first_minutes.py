"""The way from a clean checkout to the first corrected sentence: commands, time and disk space.

    python benchmarks/first_minutes.py

Clones HEAD into a temporary folder, makes a virtual environment, and runs the two commands of the
README in it.

- `commands`: how many commands it takes.
- `install_s`, `edit_s`, `seconds`: how long they take, each and together. The time to install
  depends on the connection and on pip's cache.
- `megabytes`: the environment on disk, pip included.
- `sentence`: what the last command prints; `right` says whether it is the corrected sentence.

Prints one JSON object on its last line.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = "models/emendo-en"
COMMANDS = (
    f"pip install --quiet . ./{PACKAGE}",
    'echo "She go home." | emendo edit',
)
# Both tenses are correct.
RIGHT = ("She goes home.", "She went home.")


def clean_checkout(folder: Path) -> None:
    """Clone HEAD."""
    command = ["git", "clone", "--quiet", "--no-local", "--depth", "1", ROOT.as_uri(), str(folder)]
    subprocess.run(command, check=True)


def environment(folder: Path) -> dict[str, str]:
    """Return the variables of a shell with the environment active, without our PYTHON ones."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {
        **kept,
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "VIRTUAL_ENV": str(folder),
    }


def size(folder: Path) -> int:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files)


def main() -> None:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    with tempfile.TemporaryDirectory() as name:
        checkout, empty = Path(name) / "emendo", Path(name) / "venv"
        clean_checkout(checkout)
        venv.create(empty, with_pip=True)
        seconds = []
        for command in COMMANDS:
            start = time.perf_counter()
            done = subprocess.run(
                command,
                shell=True,
                check=True,
                cwd=checkout,
                env=environment(empty),
                stdout=subprocess.PIPE,
                text=True,
            )
            seconds.append(time.perf_counter() - start)
        figures = {
            "commands": len(COMMANDS),
            "install_s": round(seconds[0], 1),
            "edit_s": round(seconds[1], 1),
            "seconds": round(sum(seconds), 1),
            "megabytes": round(size(empty) / 1e6),
            "sentence": done.stdout.strip(),
            "right": done.stdout.strip() in RIGHT,
        }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
