"""`bundle.json`: the settings of a model, and the hash of every file.

This module is about the content; `store.py` opens and writes the folders.
"""

from __future__ import annotations

import json
import logging
import re
import reprlib
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from emendo.bundle.levels import Level
from emendo.errors import BundleError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_log = logging.getLogger(__name__)

SCHEMA_VERSION = 1
"""Increases only if an earlier emendo would misread a bundle.

A new field has a default, for bundles that lack it, and an earlier emendo ignores it. So every
version from 1 to this one is read, and no later one.
"""

CONFIG = "bundle.json"
TOKENIZER = "tokenizer.json"
NETWORK, LEXICON = "network.onnx", "lexicon.onnx"
INT8_NETWORK, INT8_LEXICON = "network.int8.onnx", "lexicon.int8.onnx"
MISSPELLINGS = "misspellings.tsv"
KNOWN_WORDS = "words.txt"
FOR_TRAINING = ("config.json", "model.safetensors")
FILES = (
    *(TOKENIZER, NETWORK, LEXICON, INT8_NETWORK, INT8_LEXICON),
    *(MISSPELLINGS, KNOWN_WORDS, *FOR_TRAINING),
)
"""Files that a bundle may contain besides `bundle.json`; no others are opened."""

# Limits that no model reaches, so that no memory is reserved for absurd sizes.
_BEYOND = 10**8
_LARGEST_FILE = 1 << 40
# Other edits then raise the odds by at most 1e30 or so: far from the largest number.
_MOST_SUPPORT = 10
_SHA256 = re.compile("[0-9a-f]{64}")

CORRECTION, FUSION = "correction", "fusion"
SENTENCE, PASSAGE = "sentence", "passage"
UNITS = {CORRECTION: SENTENCE, FUSION: PASSAGE}
"""The unit of each task that can be trained."""

PRECISE, BALANCED, THOROUGH = "precise", "balanced", "thorough"
DEFAULT_LEVEL = BALANCED
"""The level that is used unless a bundle or a call names another."""


@dataclass(frozen=True)
class FileEntry:
    """The expected size and hash of a file."""

    sha256: str
    bytes: int


@dataclass(frozen=True)
class BundleConfig:
    """The settings of a bundle's model, and its files."""

    upsampling: int
    """T, slots for each source token."""
    pad_id: int
    rep_id: int
    """The separator between equal neighbours."""
    mask_id: int
    vocab_size: int
    """The number of words that the lexicon scores."""
    max_tokens: int
    """Source tokens, edges included, that the network reads at once."""
    languages: tuple[str, ...]
    candidates: int
    """K, the number of likeliest words that the lexicon returns for a slot."""
    levels: Mapping[str, Level] = field(default_factory=lambda: {DEFAULT_LEVEL: Level()})
    default_level: str = DEFAULT_LEVEL
    task: str = CORRECTION
    """What the model does to a text: "correction" or "fusion"."""
    unit: str = SENTENCE
    """How much of a text it reads at once: "sentence", or "passage", which is two or more
    sentences of a paragraph."""
    misspelling_confidence: float = 0.97
    """The share of the table's edits that are right. The default is that of emendo-en's first
    table, which is older than the field."""
    calibration: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Slope and intercept of a line over log-odds for each type of edit, and for the list of words:
    it maps a confidence to the share of such edits that are right."""
    files: Mapping[str, FileEntry] = field(default_factory=dict)
    schema_version: int = SCHEMA_VERSION

    def to_json(self) -> str:
        """Write it as the text of a `bundle.json`."""
        return to_text(asdict(self))

    @classmethod
    def from_json(cls, text: str, *, where: str = CONFIG) -> BundleConfig:
        """Read the text of a `bundle.json`; unknown fields and files are ignored.

        Args:
            text: The whole file.
            where: Its name in errors.

        Raises:
            BundleError: It is incomplete, has a later schema, lacks a field or has a wrong
                value.
        """
        try:
            content = json.loads(text)
        except RecursionError:
            raise BundleError(f"{where} is nested too deeply; export the bundle again") from None
        except ValueError as error:
            raise BundleError(
                f"{where} is not valid JSON ({error}): it may be incomplete; "
                "copy or export the bundle again"
            ) from error
        if not isinstance(content, dict):
            raise BundleError(f"{where} does not contain an object; export the bundle again")
        version = content.get("schema_version")
        if type(version) is not int or not 1 <= version <= SCHEMA_VERSION:
            raise BundleError(
                f"{where} has schema_version {version!r}, and this emendo reads 1 to "
                f"{SCHEMA_VERSION}; "
                + (
                    "install a newer emendo"
                    if type(version) is int and version > SCHEMA_VERSION
                    else "export the bundle again"
                )
            )
        return _config(content, where)


def to_text(content: Mapping[str, Any]) -> str:
    """Return the content as the text of a `bundle.json`."""
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _config(content: dict[str, Any], where: str) -> BundleConfig:
    content = _known(BundleConfig, content, where)
    numbers = (
        "upsampling",
        "pad_id",
        "rep_id",
        "mask_id",
        "vocab_size",
        "max_tokens",
        "candidates",
    )
    for name in numbers:
        least = 0 if name.endswith("_id") else 1
        if type(content[name]) is not int or not least <= content[name] < _BEYOND:
            raise _wrong(where, name, content[name], f"a whole number from {least} to {_BEYOND:,}")
    languages = content["languages"]
    if not (isinstance(languages, list) and all(isinstance(each, str) for each in languages)):
        raise _wrong(where, "languages", languages, "a list of language codes")
    content["languages"] = tuple(languages)
    if "levels" in content:
        levels = _entries(content["levels"], Level, _is_of_level, f"{where}: levels")
        content["levels"] = {
            name: replace(level, type_thresholds=tuple((k, v) for k, v in level.type_thresholds))
            for name, level in levels.items()
        }
    if "calibration" in content:
        content["calibration"] = _calibration(content["calibration"], where)
    if "files" in content:
        files = content["files"]
        if not isinstance(files, dict):
            raise BundleError(f"{where}: files is not an object; export the bundle again")
        if strange := [name for name in files if not name or {"/", "\\"} & set(name)]:
            raise BundleError(
                f"{where} lists files that a bundle cannot contain: {_listed(strange)}"
            )
        # Files that only a newer emendo supports are never opened.
        known = {name: entry for name, entry in files.items() if name in FILES}
        content["files"] = _entries(known, FileEntry, _is_of_file, f"{where}: files")
    config = BundleConfig(**content)
    for name in ("task", "unit", "default_level"):
        if not isinstance(getattr(config, name), str):
            raise _wrong(where, name, getattr(config, name), "a word")
    if config.default_level not in config.levels:
        raise _wrong(
            where, "default_level", config.default_level, f"one of {_listed(config.levels)}"
        )
    sure = config.misspelling_confidence
    if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 <= sure <= 1:
        raise _wrong(where, "misspelling_confidence", sure, "a number from 0 to 1")
    return config


def _known(kind: type[Any], content: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the fields that a class has, after a check that no required one is missing."""
    known = {each.name: each for each in fields(kind)}
    needed = {
        name
        for name, each in known.items()
        if each.default is MISSING and each.default_factory is MISSING
    }
    if missing := needed - content.keys():
        raise BundleError(f"{where} lacks {_listed(missing)}; export the bundle again")
    if unknown := content.keys() - known.keys():
        _log.info("%s: unknown fields are ignored: %s", where, _listed(unknown))
    return {name: value for name, value in content.items() if name in known}


def _entries(
    content: object, entry: type[Any], fits: Callable[[str, object], bool], where: str
) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise BundleError(f"{where} is not an object; export the bundle again")
    found = {}
    for name, values in content.items():
        if not isinstance(values, dict):
            raise BundleError(f"{where}: {name} is not an object; export the bundle again")
        known = _known(entry, values, f"{where}: {name}")
        for field_name, value in known.items():
            if not fits(field_name, value):
                raise BundleError(
                    f"{where}: {name} has a wrong {field_name}: {_short(value)}; "
                    "export the bundle again"
                )
        found[name] = entry(**known)
    return found


def _calibration(content: object, where: str) -> dict[str, tuple[float, float]]:
    if isinstance(content, dict) and all(map(_is_line, content.values())):
        return {name: (line[0], line[1]) for name, line in content.items()}
    raise _wrong(where, "calibration", content, "an object with two numbers for each type of edit")


def _is_line(line: object) -> bool:
    return isinstance(line, list) and len(line) == 2 and all(map(_is_number, line))


def _is_of_level(name: str, value: object) -> bool:
    if name == "support":
        return isinstance(value, int | float) and _is_number(value) and 0 <= value <= _MOST_SUPPORT
    if name != "type_thresholds":
        return _is_number(value)
    return isinstance(value, list) and all(map(_is_named_number, value))


def _is_named_number(pair: object) -> bool:
    match pair:
        case [str(), number]:
            return _is_number(number)
    return False


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and value == value  # noqa: PLR0124 - NaN is not


def _is_of_file(name: str, value: object) -> bool:
    if name == "bytes":
        return type(value) is int and 0 <= value < _LARGEST_FILE
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def _wrong(where: str, name: str, value: object, expected: str) -> BundleError:
    return BundleError(f"{where}: {name} is {_short(value)}; it must be {expected}")


def _short(value: object) -> str:
    """Return a value as text, cut to fit on a line."""
    return reprlib.repr(value)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
