"""A model's package as a wheel: its module, and the int8 graphs of a bundle.

    python models/build_wheel.py models/emendo-en RUN OUTPUT --dev data/dev.src data/dev.trg
    python models/build_wheel.py models/emendo-en BUNDLE OUTPUT

RUN is the folder of a run of `emendo train`, or of weights: they are exported, and levels tuned, on
sentences and their corrections that were not trained on. A bundle is taken as it is. Prints the
wheel's path and size.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from emendo.bundle import Bundle, open_bundle, seal_bundle
from emendo.bundle.format import CONFIG, INT8_LEXICON, INT8_NETWORK, MISSPELLINGS, TOKENIZER

SHIPPED = (TOKENIZER, INT8_NETWORK, INT8_LEXICON)


def emendo(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "emendo", *map(str, arguments)], check=True)


def exported(model: Path, dev: list[Path] | None, work: Path) -> Path:
    """Return a bundle of int8 graphs, with levels tuned on what it is shipped as."""
    if (model / CONFIG).is_file():
        return model
    if not dev:
        sys.exit(f"{model} is no bundle; to make one of it, give --dev")
    source, reference = dev
    emendo("export", model, work / "bundle", "--int8", "--no-fp32", "--calibration", source)
    emendo("tune", work / "bundle", "--source", source, "--reference", reference)
    return work / "bundle"


def copy_int8(bundle: Bundle, package: Path, folder: Path) -> None:
    """Write a bundle of the int8 graphs alone, a quarter of what single precision takes.

    The package's misspellings come in last, after the levels, which are the network's alone.
    """
    folder.mkdir()
    for name in SHIPPED:
        shutil.copy(bundle.file(name), folder)
    if (package / MISSPELLINGS).is_file():
        shutil.copy(package / MISSPELLINGS, folder)
    seal_bundle(folder, bundle.config)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("package", type=Path, help="the folder with the package's pyproject.toml")
    parser.add_argument("model", type=Path, help="a run, weights or a bundle")
    parser.add_argument("output", type=Path)
    parser.add_argument("--dev", type=Path, nargs=2, metavar=("SOURCE", "REFERENCE"))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        package = work / "package"
        shutil.copytree(options.package, package)
        (module,) = (package / "src").iterdir()
        bundle = open_bundle(exported(options.model, options.dev, work))
        copy_int8(bundle, package, module / "bundle")
        command = ["-m", "build", "--wheel", "--no-isolation", "--outdir", str(work / "dist")]
        subprocess.run([sys.executable, *command, str(package)], check=True, stdout=sys.stderr)
        (built,) = (work / "dist").iterdir()
        wheel = Path(shutil.copy(built, options.output))
    print(f"{wheel} {wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
