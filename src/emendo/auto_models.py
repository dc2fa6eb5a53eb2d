"""`AutoModel.from_pretrained` finds emendo's networks, and nothing is imported for it before.

transformers knows a saved network by its model type once `emendo.modeling` is imported, which takes
torch. So that is done at the moment at which the module with `AutoModel` is loaded.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

_AUTO_MODELS = "transformers.models.auto.modeling_auto"


def register_when_asked() -> None:
    """Have emendo's networks registered once `AutoModel` is imported, or now if it is."""
    if _AUTO_MODELS in sys.modules:
        _register()
    elif not any(isinstance(finder, _Watcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watcher())


class _Watcher(MetaPathFinder):
    """Finds nothing itself, and sees one module being loaded."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Let the others find the module, and add to what loading it does."""
        del path, target
        if fullname != _AUTO_MODELS:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def load_and_register(module: ModuleType) -> None:
            load(module)
            _register()

        spec.loader.exec_module = load_and_register  # type: ignore[method-assign]
        return spec


def _register() -> None:
    # Whoever has no torch cannot load a network, and needs none of ours.
    with suppress(ImportError):
        import_module("emendo.modeling")
