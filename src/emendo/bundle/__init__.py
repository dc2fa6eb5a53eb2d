"""The format of a shipped model, a folder that lists its content; torch-free."""

from emendo.bundle.format import BundleConfig
from emendo.bundle.installed import HOW_TO_INSTALL, InstalledModel, find_bundle, installed_models
from emendo.bundle.levels import Level
from emendo.bundle.store import Bundle, drafted_bundle, open_bundle, seal_bundle, set_levels

__all__ = [
    "HOW_TO_INSTALL",
    "Bundle",
    "BundleConfig",
    "InstalledModel",
    "Level",
    "drafted_bundle",
    "find_bundle",
    "installed_models",
    "open_bundle",
    "seal_bundle",
    "set_levels",
]
