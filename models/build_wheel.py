"""A model's package as a wheel: its module, and the int8 graphs of its bundle.

    python models/build_wheel.py models/emendo-en BUNDLE OUTPUT

BUNDLE is what `emendo export --int8` and `emendo tune` made. Prints the wheel's path and size.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from emendo.bundle import Bundle, open_bundle, seal_bundle
from emendo.bundle.format import INT8_LEXICON, INT8_NETWORK, TOKENIZER

SHIPPED = (TOKENIZER, INT8_NETWORK, INT8_LEXICON)


def copy_int8(bundle: Bundle, folder: Path) -> None:
    """Write a bundle of the int8 graphs alone, a quarter of what single precision takes."""
    folder.mkdir()
    for name in SHIPPED:
        shutil.copy(bundle.file(name), folder)
    seal_bundle(folder, bundle.config)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("package", type=Path, help="the folder with the package's pyproject.toml")
    parser.add_argument("bundle", type=Path)
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        package = Path(work) / "package"
        shutil.copytree(options.package, package)
        (module,) = (package / "src").iterdir()
        copy_int8(open_bundle(options.bundle), module / "bundle")
        command = ["-m", "build", "--wheel", "--no-isolation", "--outdir", f"{work}/dist"]
        subprocess.run([sys.executable, *command, str(package)], check=True, stdout=sys.stderr)
        (built,) = Path(work, "dist").iterdir()
        wheel = Path(shutil.copy(built, options.output))
    print(f"{wheel} {wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
