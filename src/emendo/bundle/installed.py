"""Models that are installed as packages, found by their language.

A model's package has an entry point in the group `emendo.models`. It is named after the language,
and refers to a function that returns the folder of the bundle.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from emendo.bundle.format import CORRECTION
from emendo.bundle.store import open_bundle
from emendo.errors import BundleError

GROUP = "emendo.models"
HOW_TO_INSTALL = (
    "the English one is the package emendo-en, the German one emendo-de; from a checkout: pip "
    "install ./models/emendo-en"
)
"""Names only models that exist, whatever name was requested."""


@dataclass(frozen=True)
class InstalledModel:
    """A model that a package contains."""

    name: str
    package: str
    version: str
    folder: Path


def installed_models() -> list[InstalledModel]:
    """Return the installed models by name.

    Raises:
        BundleError: A model's package is damaged.
    """
    return [_opened(point) for point in sorted(entry_points(group=GROUP), key=lambda p: p.name)]


def find_bundle(model: Path | str | None) -> Path:
    """Return the folder of a model.

    Args:
        model: The name of an installed model, a bundle's folder, or None for the only model that
            is installed, or the only one that corrects. If a folder has the same name as an
            installed model, give it as a `Path` or as "./en".

    Raises:
        BundleError: There is no such model, or several are installed and none is named.
    """
    if isinstance(model, Path):
        return model
    points = {point.name: point for point in entry_points(group=GROUP)}
    if model is None and len(points) == 1:
        (model,) = points
    elif model is None and points:
        # A model for another task beside it does not make its name necessary.
        corrects = [name for name in points if _task(points[name]) == CORRECTION]
        model = corrects[0] if len(corrects) == 1 else None
    if model in points:
        return _opened(points[model]).folder
    if model is not None and Path(model).exists():
        return Path(model)
    if model is None:
        if not points:
            raise BundleError(
                f"no model is installed. Install one ({HOW_TO_INSTALL}), or give the folder of a "
                "bundle"
            )
        raise BundleError(f"several models are installed ({', '.join(sorted(points))}); name one")
    # A name that looks like a path is treated as one.
    if len(Path(model).parts) > 1:
        raise BundleError(f"there is no folder {model}; give the folder of a bundle")
    known = (
        f"installed: {', '.join(sorted(points))}"
        if points
        else f"no model is installed ({HOW_TO_INSTALL})"
    )
    raise BundleError(f"there is no model and no folder {model!r}; {known}")


def _task(point: EntryPoint) -> str | None:
    """Return the task of a model, or None if its package is damaged."""
    try:
        return open_bundle(_opened(point).folder).config.task
    except BundleError:
        return None


def _opened(point: EntryPoint) -> InstalledModel:
    package, version = (point.dist.name, point.dist.version) if point.dist else ("", "")
    try:
        folder = Path(point.load()())
        open_bundle(folder)
    except Exception as error:
        raise BundleError(
            f"the model {point.name!r} of the package {package} {version} cannot be used "
            f"({error}); install the package again"
        ) from error
    return InstalledModel(point.name, package, version, folder)
