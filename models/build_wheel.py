"""Builds a model's package as a wheel: its module, and the bundle of models/build_bundle.py.

    python models/build_wheel.py models/emendo-en RUN OUTPUT --dev data/dev.src data/dev.trg \
        [--clean data/books.txt data/chat.txt]
    python models/build_wheel.py models/emendo-en BUNDLE OUTPUT

The package itself does not change. Prints the wheel's path and size.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from build_bundle import add_arguments, write_bundle


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser)
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        package = work / "package"
        shutil.copytree(options.package, package)
        write_bundle(package, options.model, options.dev, options.clean)
        command = ["-m", "build", "--wheel", "--no-isolation", "--outdir", str(work / "dist")]
        subprocess.run([sys.executable, *command, str(package)], check=True, stdout=sys.stderr)
        (built,) = (work / "dist").iterdir()
        wheel = Path(shutil.copy(built, options.output))
    print(f"{wheel} {wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
