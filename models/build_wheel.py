"""A model's package as a wheel: its module, and the int8 graphs of a bundle.

    python models/build_wheel.py models/emendo-en RUN OUTPUT --dev data/dev.src data/dev.trg \
        [--clean data/books.txt data/chat.txt]
    python models/build_wheel.py models/emendo-en BUNDLE OUTPUT

RUN is the folder of a run of `emendo train`, or of weights: they are exported, and levels tuned, on
sentences and their corrections that were not trained on; each file of --clean has correct sentences
of one kind. A bundle is taken as it is. Prints the wheel's path and size.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from emendo.bundle import Bundle, open_bundle, seal_bundle
from emendo.bundle.format import (
    CONFIG,
    INT8_LEXICON,
    INT8_NETWORK,
    KNOWN_WORDS,
    MISSPELLINGS,
    TOKENIZER,
)

SHIPPED = (TOKENIZER, INT8_NETWORK, INT8_LEXICON)


def emendo(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "emendo", *map(str, arguments)], check=True)


def exported(
    package: Path, model: Path, dev: list[Path] | None, clean: list[Path], work: Path
) -> Path:
    """Return a bundle of int8 graphs, with levels tuned on what it is shipped as."""
    if (model / CONFIG).is_file():
        return model
    if not dev:
        sys.exit(f"{model} is no bundle; to make one of it, give --dev")
    source, reference = dev
    bundle = work / "bundle"
    emendo("export", model, bundle, "--int8", "--no-fp32", "--calibration", source)
    # Before the levels: what the network may write decides how often it is right.
    if (package / KNOWN_WORDS).is_file():
        shutil.copy(package / KNOWN_WORDS, bundle)
        seal_bundle(bundle, open_bundle(bundle).config)
    kinds = [word for path in clean for word in ("--clean", path)]
    emendo("tune", bundle, "--source", source, "--reference", reference, *kinds)
    return bundle


def copy_int8(bundle: Bundle, package: Path, folder: Path) -> None:
    """Write a bundle of the int8 graphs alone, a quarter of what single precision takes.

    The package's misspellings come in last, after the levels, which are the network's alone.
    """
    folder.mkdir()
    for name in SHIPPED:
        shutil.copy(bundle.file(name), folder)
    for name in (MISSPELLINGS, KNOWN_WORDS):
        if (package / name).is_file():
            shutil.copy(package / name, folder)
    seal_bundle(folder, bundle.config)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("package", type=Path, help="the folder with the package's pyproject.toml")
    parser.add_argument("model", type=Path, help="a run, weights or a bundle")
    parser.add_argument("output", type=Path)
    parser.add_argument("--dev", type=Path, nargs=2, metavar=("SOURCE", "REFERENCE"))
    parser.add_argument("--clean", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        package = work / "package"
        shutil.copytree(options.package, package)
        (module,) = (package / "src").iterdir()
        bundle = open_bundle(exported(package, options.model, options.dev, options.clean, work))
        copy_int8(bundle, package, module / "bundle")
        command = ["-m", "build", "--wheel", "--no-isolation", "--outdir", str(work / "dist")]
        subprocess.run([sys.executable, *command, str(package)], check=True, stdout=sys.stderr)
        (built,) = (work / "dist").iterdir()
        wheel = Path(shutil.copy(built, options.output))
    print(f"{wheel} {wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
