"""What pyproject.toml says about the package, held against the sources."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest

import emendo
from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def requirements():
    extras = PROJECT["project"]["optional-dependencies"].values()
    return [*PROJECT["project"]["dependencies"], *(one for extra in extras for one in extra)]


def names(wanted):
    return {re.split(r"[\[<>=;]", one)[0].strip().replace("-", "_").lower() for one in wanted}


def imported():
    """Return each module of another package that the sources import, with a file that does."""
    found = {}
    for path in (ROOT / "src/emendo").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules = [node.module]
            for module in modules:
                found.setdefault(module.split(".")[0], path)
    return {
        module: path
        for module, path in found.items()
        if module != "emendo" and module not in sys.stdlib_module_names
    }


def test_every_import_is_declared():
    declared = names(requirements())
    homes = packages_distributions()
    for module, path in imported().items():
        packages = {name.replace("-", "_").lower() for name in homes.get(module, [module])}
        assert packages & declared, f"{path} imports {module}, which no extra declares"


def test_onnxruntime_stands_in_one_extra():
    assert sum(one.startswith("onnxruntime") for one in requirements()) == 1


def test_the_version_stands_in_one_place():
    assert "version" not in PROJECT["project"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "src/emendo/__init__.py"
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?", emendo.__version__)


def test_the_source_distribution_takes_folders_of_the_root_alone():
    """`src` without a slash is any folder of that name: the weights' 70 MB, too."""
    includes = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert all(pattern.startswith("/") for pattern in includes)


def test_models_require_the_engine():
    package = tomllib.loads((ROOT / "models/emendo-en/pyproject.toml").read_text(encoding="utf-8"))
    assert package["project"]["dependencies"] == ["emendo[edit]"]


@pytest.mark.parametrize(
    "package",
    [
        ".",
        *(
            f"models/emendo-{name}"
            for name in ("en", "en-weights", "de", "de-weights", "ru", "ru-weights")
        ),
    ],
)
def test_packages_carry_their_licence(package):
    assert "Apache License" in (ROOT / package / "LICENSE").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "code"), [("en", "en"), ("de", "de"), ("ru", "ru"), ("fuse-en", "en")]
)
def test_a_model_is_exported_for_the_language_of_its_package(name, code):
    import build_bundle

    package = ROOT / f"models/emendo-{name}"
    assert build_bundle.language_of(package) == code
    module = f"emendo_{name.replace('-', '_')}"
    assert build_bundle.place_of(package) == package / f"src/{module}/bundle"
