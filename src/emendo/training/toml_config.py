"""TOML into dataclasses and back: every key is known, every value has its type."""

from __future__ import annotations

import dataclasses
import json
import tomllib
import types
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from emendo.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

T = TypeVar("T")


def load_config(kind: type[T], path: Path, overrides: Sequence[str] = ()) -> T:
    """Read a file into `kind`.

    Args:
        kind: A dataclass.
        path: A TOML file.
        overrides: `key=value`, the key with dots and list positions (`stages.0.steps=20`), the
            value as TOML; a value that is not TOML is text.

    Raises:
        ConfigError: A key is unknown or missing, or a value has the wrong type.
    """
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {error}") from error
    for override in overrides:
        _override(tree, override)
    config: T = _build(kind, tree, str(path), "")
    return config


def dump_config(config: Any) -> str:
    """Write a dataclass as TOML that `load_config` reads again."""
    return "\n".join(_dump(dataclasses.asdict(config), ())).strip() + "\n"


def _override(tree: dict[str, Any], override: str) -> None:
    key, equals, value = override.partition("=")
    if not equals:
        raise ConfigError(f"--set takes key=value, not {override!r}")
    try:
        parsed = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        parsed = value
    *parents, last = key.strip().split(".")
    place: Any = tree
    try:
        for part in parents:
            place = place[int(part)] if isinstance(place, list) else place.setdefault(part, {})
        place[int(last) if isinstance(place, list) else last] = parsed
    except (ValueError, IndexError, TypeError, AttributeError) as error:
        raise ConfigError(f"--set {key}: the file has no such key") from error


def _build(kind: Any, value: Any, file: str, where: str) -> Any:
    """Return the value as a type has it."""
    origin, arguments = get_origin(kind), get_args(kind)
    if dataclasses.is_dataclass(kind):
        return _build_dataclass(kind, value, file, where)
    if origin in (Union, types.UnionType):
        (some,) = [option for option in arguments if option is not type(None)]
        return None if value is None else _build(some, value, file, where)
    if origin is tuple and isinstance(value, list):
        inner = arguments[:1] * len(value) if arguments[-1] is ... else arguments
        if len(inner) == len(value):
            return tuple(
                _build(each, item, file, f"{where}.{number}")
                for number, (each, item) in enumerate(zip(inner, value, strict=True))
            )
    if origin is Literal:
        if value in arguments:
            return value
        options = " or ".join(map(repr, arguments))
        raise ConfigError(f"{file}: {where} is {value!r}; it must be {options}")
    if kind is float and type(value) is int:
        return float(value)
    if isinstance(kind, type) and type(value) is kind:
        return value
    raise ConfigError(f"{file}: {where} is {value!r}; it must be {_name(kind)}")


def _build_dataclass(kind: Any, value: Any, file: str, where: str) -> Any:
    place = f"[{where}]" if where else "the file"
    if not isinstance(value, dict):
        raise ConfigError(f"{file}: {where} must be a table")
    hints = get_type_hints(kind)
    for key in value:
        if key not in hints:
            near = get_close_matches(key, hints, n=1, cutoff=0)
            raise ConfigError(f"{file}: {place} has no key {key!r}; did you mean {near[0]!r}?")
    for field in dataclasses.fields(kind):
        needed = (
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        )
        if needed and field.name not in value:
            raise ConfigError(f"{file}: {place} needs {field.name!r}")
    return kind(
        **{
            key: _build(hints[key], item, file, f"{where}.{key}".lstrip("."))
            for key, item in value.items()
        }
    )


def _name(kind: Any) -> str:
    names = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
    return names.get(kind, "a list" if get_origin(kind) is tuple else str(kind))


def _dump(tree: dict[str, Any], path: tuple[str, ...]) -> list[str]:
    lines, tables = [], []
    for key, value in tree.items():
        if isinstance(value, dict):
            tables += ["", f"[{'.'.join((*path, key))}]", *_dump(value, (*path, key))]
        elif isinstance(value, tuple | list) and value and isinstance(value[0], dict):
            for item in value:
                tables += ["", f"[[{'.'.join((*path, key))}]]", *_dump(item, (*path, key))]
        elif value is not None:
            # JSON's text, numbers, booleans and lists are TOML's.
            lines.append(f"{key} = {json.dumps(value, ensure_ascii=False)}")
    return lines + tables
