"""Bundles as folders: opened with every file checked before it is used, written as a whole."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from emendo.bundle.format import CONFIG, FILES, BundleConfig, FileEntry, to_text
from emendo.errors import BundleError
from emendo.files import sha256_of, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from emendo.bundle.levels import Level

_LARGEST_CONFIG = 16 << 20


@dataclass(frozen=True)
class Bundle:
    """A folder with a model, ready to be loaded."""

    folder: Path
    config: BundleConfig

    def has(self, *names: str) -> bool:
        """Whether the bundle lists all these files."""
        return all(name in self.config.files for name in names)

    def file(self, name: str) -> Path:
        """Return the path of a file, checked against the bundle's listing.

        Raises:
            BundleError: The file is missing, incomplete or a different one.
        """
        path = self.folder / name
        if name not in self.config.files:
            raise BundleError(f"the bundle {self.folder} has no {name}; export it again with it")
        entry = self.config.files[name]
        try:
            found = path.stat().st_size
            sha256 = sha256_of(path) if found == entry.bytes else None
        except OSError as error:
            raise BundleError(
                f"{path} cannot be read ({error.strerror}); copy the whole bundle again"
            ) from error
        if found != entry.bytes:
            kind = "is incomplete" if found < entry.bytes else "is too long"
            raise BundleError(
                f"{path} {kind}: {found:,} bytes instead of {entry.bytes:,}; "
                "copy or export the bundle again"
            )
        if sha256 != entry.sha256:
            raise BundleError(
                f"{path} is not the file that the bundle was made with: its sha256 differs from "
                f"the one in {CONFIG}; copy or export the bundle again"
            )
        return path


def open_bundle(folder: Path | str) -> Bundle:
    """Open a bundle; each file is checked when it is requested.

    Raises:
        BundleError: The folder is not a bundle, or its `bundle.json` cannot be used.
    """
    folder = Path(folder)
    path = folder / CONFIG
    if not path.is_file():
        raise BundleError(_why_none(folder))
    try:
        size = path.stat().st_size
        if size > _LARGEST_CONFIG:
            raise BundleError(
                f"{path} has {size:,} bytes; the limit is {_LARGEST_CONFIG:,}; "
                "copy or export the bundle again"
            )
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BundleError(f"{path} cannot be read: {error}; copy the bundle again") from error
    return Bundle(folder, BundleConfig.from_json(text, where=str(path)))


def _why_none(folder: Path) -> str:
    if not folder.is_dir():
        return f"{folder} is not a folder; give the folder of a bundle, which contains {CONFIG}"
    if (folder / "config.toml").is_file() or (folder / "metrics.jsonl").is_file():
        what = "is a training run"
    elif (folder / "model.safetensors").is_file():
        what = "is a model that can be trained"
    else:
        return (
            f"{folder} has no {CONFIG}, so it is not a bundle; `emendo export MODEL OUT` makes one"
        )
    return f"{folder} {what}, not yet a bundle: run `emendo export {folder} OUT` and load OUT"


@contextmanager
def drafted_bundle(target: Path | str) -> Iterator[Path]:
    """Yield a new folder to fill and `seal_bundle`, and put it in place if all went well.

    Raises:
        BundleError: The target is neither a bundle nor an empty folder, or cannot be replaced;
            the old content is kept.
    """
    target = Path(target)
    is_old = target.is_dir() and any(target.iterdir())
    if (is_old and not (target / CONFIG).is_file()) or (target.exists() and not target.is_dir()):
        raise BundleError(f"{target} exists and is not a bundle; write to another folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    draft, old = (
        target.with_name(f".{target.name}.{kind}.{os.getpid()}") for kind in ("new", "old")
    )
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        yield draft
        assert (draft / CONFIG).is_file(), "a draft is sealed before it is put in place"
        _put_in_place(draft, target, old)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _put_in_place(draft: Path, target: Path, old: Path) -> None:
    """Rename a folder over another, which is deleted only after the new one has its name."""
    # A folder cannot be renamed over one that is not empty.
    if target.exists():
        target.rename(old)
    try:
        draft.rename(target)
    except OSError as error:
        kept = ""
        if old.exists():
            try:
                kept = f"; the old one is still {old.rename(target)}"
            except OSError:
                kept = f"; the old one is now {old}"
        raise BundleError(
            f"the new bundle cannot be put in place as {target} ({error.strerror}){kept}"
        ) from error
    shutil.rmtree(old, ignore_errors=True)


def seal_bundle(folder: Path, config: BundleConfig) -> BundleConfig:
    """Write `bundle.json` last, with the hash of every file that is in the folder."""
    present = [folder / name for name in FILES if (folder / name).is_file()]
    files = {path.name: FileEntry(sha256_of(path), path.stat().st_size) for path in present}
    config = replace(config, files=files)
    (folder / CONFIG).write_text(config.to_json(), encoding="utf-8")
    return config


def set_levels(
    folder: Path | str,
    levels: Mapping[str, Level],
    default_level: str,
    calibration: Mapping[str, tuple[float, float]] | None = None,
) -> None:
    """Replace the levels of a bundle, and its calibration if one is given.

    Its `bundle.json` is replaced atomically.
    """
    path = open_bundle(folder).folder / CONFIG
    # Fields that only a newer emendo supports stay as they are.
    content = json.loads(path.read_text(encoding="utf-8"))
    content["levels"] = {name: asdict(level) for name, level in levels.items()}
    content["default_level"] = default_level
    if calibration is not None:
        content["calibration"] = calibration
    write_whole(path, to_text(content))
