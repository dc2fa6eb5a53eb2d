"""The bundle of a model's package: int8 graphs, levels and lists, written in its place.

    python models/build_bundle.py models/emendo-en MODEL --dev data/dev.src data/dev.trg \
        [--clean data/books.txt data/chat.txt]
    python models/build_bundle.py models/emendo-en BUNDLE

MODEL is the folder of a run of `emendo train`, or of weights. It is exported, and its levels are
tuned on --dev: sentences and their corrections that the model was not trained on. For a model
with another task they only calibrate int8, and no level is tuned. Each file of --clean has correct
sentences of one kind. A BUNDLE is taken with its levels. Prints the folder and its size; a folder
that is there already is replaced.
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
    CORRECTION,
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
        sys.exit(f"{model} is not a bundle; to make one of it, give --dev")
    source, reference = dev
    bundle = work / "bundle"
    emendo("export", model, bundle, "--int8", "--no-fp32", "--calibration", source)
    # Before the levels: what the network may write decides how often it is right.
    if (package / KNOWN_WORDS).is_file():
        shutil.copy(package / KNOWN_WORDS, bundle)
        seal_bundle(bundle, open_bundle(bundle).config)
    # Levels are for corrections; a model with another task has one.
    if open_bundle(bundle).config.task == CORRECTION:
        kinds = [word for path in clean for word in ("--clean", path)]
        emendo("tune", bundle, "--source", source, "--reference", reference, *kinds)
    return bundle


def place_of(package: Path) -> Path:
    """Return the folder in which a package keeps its bundle."""
    (module,) = (package / "src").iterdir()
    return module / "bundle"


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


def write_bundle(package: Path, model: Path, dev: list[Path] | None, clean: list[Path]) -> Path:
    """Put the bundle of a model into its package, and return the folder."""
    folder = place_of(package)
    with tempfile.TemporaryDirectory() as name:
        bundle = open_bundle(exported(package, model, dev, clean, Path(name)))
        if folder.exists():
            shutil.rmtree(folder)
        copy_int8(bundle, package, folder)
    return folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what a package's bundle is made of."""
    parser.add_argument("package", type=Path, help="the folder with the package's pyproject.toml")
    parser.add_argument("model", type=Path, help="a run, weights or a bundle")
    parser.add_argument("--dev", type=Path, nargs=2, metavar=("SOURCE", "REFERENCE"))
    parser.add_argument("--clean", type=Path, nargs="*", default=[])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser)
    options = parser.parse_args()
    folder = write_bundle(options.package, options.model, options.dev, options.clean)
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"{folder} {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
