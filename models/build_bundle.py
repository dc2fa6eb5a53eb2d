"""Builds the bundle in a model's package: int8 graphs, levels and lists.

    python models/build_bundle.py models/emendo-en MODEL --dev data/dev.src data/dev.trg \
        [--clean data/books.txt data/chat.txt]
    python models/build_bundle.py models/emendo-en BUNDLE

MODEL is the folder of a run of `emendo train`, or of weights. It is exported, and its levels are
tuned on --dev: sentences and their corrections that the model was not trained on. For a model with
another task these only calibrate int8, and no level is tuned. Each file of --clean has correct
sentences of one kind. A BUNDLE keeps its levels. Prints the folder and its size; an existing folder
is replaced.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import tomllib
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
from emendo.bundle.installed import GROUP
from emendo.files import replaced_folder

SHIPPED = (TOKENIZER, INT8_NETWORK, INT8_LEXICON)


def emendo(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "emendo", *map(str, arguments)], check=True)


def exported(
    package: Path, model: Path, dev: list[Path] | None, clean: list[Path], work: Path
) -> Path:
    """Return a bundle of int8 graphs, with levels tuned on the graphs that are shipped."""
    if (model / CONFIG).is_file():
        return model
    if not dev:
        sys.exit(f"{model} is not a bundle; give --dev to make a bundle from it")
    source, reference = dev
    bundle = work / "bundle"
    language = ("--language", language_of(package))
    emendo("export", model, bundle, *language, "--int8", "--no-fp32", "--calibration", source)
    # Before tuning, because the words that the network may write affect how often it is right.
    if (package / KNOWN_WORDS).is_file():
        shutil.copy(package / KNOWN_WORDS, bundle)
        seal_bundle(bundle, open_bundle(bundle).config)
    # Levels are for corrections; a model with another task has one.
    if open_bundle(bundle).config.task == CORRECTION:
        kinds = [word for path in clean for word in ("--clean", path)]
        emendo("tune", bundle, "--source", source, "--reference", reference, *kinds)
    return bundle


def language_of(package: Path) -> str:
    """Return the language of a package's model, the last part of the name under which it is found.

    A model for correction is called after its language alone, `en`; others have their task first,
    `fuse-en`.
    """
    content = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))
    (name,) = content["project"]["entry-points"][GROUP]
    return name.rpartition("-")[2]


def place_of(package: Path) -> Path:
    """Return the folder in which a package keeps its bundle."""
    (module,) = (package / "src").iterdir()
    return module / "bundle"


def copy_int8(bundle: Bundle, package: Path, folder: Path) -> None:
    """Write a bundle with only the int8 graphs, a quarter of the size in single precision.

    The package's misspellings are added after tuning, because levels are for the network alone.
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
        # The old folder may be the bundle that is copied.
        with replaced_folder(folder) as partial:
            copy_int8(bundle, package, partial)
    return folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for a package's bundle."""
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
