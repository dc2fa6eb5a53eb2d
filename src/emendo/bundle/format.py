"""`bundle.json`: what the editor must know of a model, and the hash of every file.

It knows nothing of folders; `store.py` opens and writes them.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from emendo.bundle.levels import Level
from emendo.errors import BundleError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SCHEMA_VERSION = 1

CONFIG = "bundle.json"
TOKENIZER = "tokenizer.json"
NETWORK, LEXICON = "network.onnx", "lexicon.onnx"
INT8_NETWORK, INT8_LEXICON = "network.int8.onnx", "lexicon.int8.onnx"
MISSPELLINGS = "misspellings.tsv"
FOR_TRAINING = ("config.json", "model.safetensors")
FILES = (TOKENIZER, NETWORK, LEXICON, INT8_NETWORK, INT8_LEXICON, MISSPELLINGS, *FOR_TRAINING)
"""What a bundle may hold beside `bundle.json`; nothing else is ever opened."""

PRECISE, BALANCED, THOROUGH = "precise", "balanced", "thorough"


@dataclass(frozen=True)
class FileEntry:
    """What a file must be."""

    sha256: str
    bytes: int


@dataclass(frozen=True)
class BundleConfig:
    """What a bundle's model is, and what its files are."""

    upsampling: int
    """T, slots for each source token."""
    pad_id: int
    rep_id: int
    """The separator between equal neighbours."""
    mask_id: int
    vocab_size: int
    """Words the lexicon scores."""
    max_tokens: int
    """Source tokens, edges included, that the network reads at once."""
    languages: tuple[str, ...]
    candidates: int
    """K, likeliest words that the lexicon gives for a slot."""
    levels: Mapping[str, Level] = field(default_factory=lambda: {BALANCED: Level()})
    default_level: str = BALANCED
    files: Mapping[str, FileEntry] = field(default_factory=dict)
    schema_version: int = SCHEMA_VERSION

    def to_json(self) -> str:
        """Write it as the text of a `bundle.json`."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str, *, where: str = CONFIG) -> BundleConfig:
        """Read the text of a `bundle.json`.

        Args:
            text: The whole file.
            where: What errors call it.

        Raises:
            BundleError: It is cut short, of another schema, lacks something or holds what it
                should not.
        """
        try:
            content = json.loads(text)
        except ValueError as error:
            raise BundleError(
                f"{where} is no JSON ({error}): it may be cut short; "
                "copy or export the bundle again"
            ) from error
        if not isinstance(content, dict):
            raise BundleError(f"{where} holds no object; export the bundle again")
        version = content.get("schema_version")
        if version != SCHEMA_VERSION:
            raise BundleError(
                f"{where} has schema_version {version!r}, and this emendo reads {SCHEMA_VERSION}; "
                + (
                    "install a newer emendo"
                    if isinstance(version, int) and version > SCHEMA_VERSION
                    else "export the bundle again"
                )
            )
        return _config(content, where)


def _config(content: dict[str, Any], where: str) -> BundleConfig:
    names = {each.name for each in fields(BundleConfig)}
    if missing := names - content.keys():
        raise BundleError(f"{where} lacks {_listed(missing)}; export the bundle again")
    if unknown := content.keys() - names:
        raise BundleError(f"{where} has unknown keys: {_listed(unknown)}; export the bundle again")
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
        if type(content[name]) is not int or content[name] < least:
            raise _wrong(where, name, content[name], f"a whole number from {least} up")
    languages = content["languages"]
    if not (isinstance(languages, list) and all(isinstance(each, str) for each in languages)):
        raise _wrong(where, "languages", languages, "a list of language codes")
    content = {
        **content,
        "languages": tuple(languages),
        "levels": _entries(content["levels"], Level, (int, float), f"{where}: levels"),
        "files": _entries(content["files"], FileEntry, (int, str), f"{where}: files"),
    }
    config = BundleConfig(**content)
    if config.default_level not in config.levels:
        raise _wrong(
            where, "default_level", config.default_level, f"one of {_listed(config.levels)}"
        )
    if strange := set(config.files) - set(FILES):
        raise BundleError(f"{where} lists files that no bundle holds: {_listed(strange)}")
    return config


def _entries(
    content: object, entry: type[Any], types: tuple[type, ...], where: str
) -> dict[str, Any]:
    names = {each.name for each in fields(entry)}
    if not isinstance(content, dict):
        raise BundleError(f"{where} is no object; export the bundle again")
    for name, values in content.items():
        if not isinstance(values, dict) or values.keys() != names:
            raise BundleError(
                f"{where}: {name} must have {_listed(names)}, no more and no less; "
                "export the bundle again"
            )
        if not all(isinstance(value, types) for value in values.values()):
            raise BundleError(f"{where}: {name} holds a value of the wrong type: {values}")
    return {name: entry(**values) for name, values in content.items()}


def _wrong(where: str, name: str, value: object, expected: str) -> BundleError:
    return BundleError(f"{where}: {name} is {value!r}; it must be {expected}")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
