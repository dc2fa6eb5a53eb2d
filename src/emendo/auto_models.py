"""`AutoModel.from_pretrained` finds emendo's networks, without an import in advance.

transformers finds a saved network by its model type once `emendo.modeling` is imported, which
imports torch. So this import happens when the module with `AutoModel` is loaded.
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
    """Register emendo's networks when `AutoModel` is imported, or now if it already is."""
    if _AUTO_MODELS in sys.modules:
        _register()
    elif not any(isinstance(finder, _Watcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watcher())


class _Watcher(MetaPathFinder):
    """Finds nothing itself, and runs code when one module is loaded."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Let the other finders find the module, and add a step to its loading."""
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
    # Without torch no network can be loaded, so there is nothing to register.
    with suppress(ImportError):
        import_module("emendo.modeling")
