"""The Python blocks of README and documentation, run in order as a reader would, and links."""

import re
import shutil
from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

from emendo.bundle import installed, open_bundle, seal_bundle
from tests.conftest import ROOT

BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
ENCODER = "ibm-granite/granite-embedding-30m-english"
IS_OURS = {".cache", "node_modules", "site"}.isdisjoint
PAGES = [path for path in sorted(ROOT.glob("**/*.md")) if IS_OURS(path.relative_to(ROOT).parts)]
WITH_BLOCKS = [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))]


def names(pages):
    return [str(page.relative_to(ROOT)) for page in pages]


@pytest.fixture
def installed_model(tiny_bundle, monkeypatch):
    """A tiny model under the name of the English one; benchmarks/first_minutes.py has the real."""
    monkeypatch.setenv("TMPDIR", str(tiny_bundle))
    monkeypatch.setattr("tempfile.tempdir", None)
    point = EntryPoint("en", "tempfile:gettempdir", installed.GROUP)
    monkeypatch.setattr(installed, "entry_points", lambda group: [point])


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=names(WITH_BLOCKS))
def test_python_blocks_run(page, granite, installed_model, tiny_bundle, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    # What a reader of how-to/fuse.md has trained and exported.
    fusing = shutil.copytree(tiny_bundle, tmp_path / "fuse-bundle")
    seal_bundle(fusing, replace(open_bundle(fusing).config, task="fusion", unit="passage"))
    known = {}
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        # There is no hub here: the model of that name is in a folder.
        exec(compile(block.replace(ENCODER, str(granite)), str(page), "exec"), known)


def test_the_first_example_edits():
    """Nobody's first example is an untrained network."""
    first = BLOCK.search((ROOT / "README.md").read_text(encoding="utf-8")).group(1)
    assert 'load_editor("en")' in first


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (page.parent / target).exists(), f"{page}: {target}"


def test_the_site_has_every_page():
    menu = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("**/*.md"):
        name = str(page.relative_to(ROOT / "docs"))
        assert f'"{name}"' in menu, f"zensical.toml lacks {name}"


def test_the_map_names_every_folder():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for folder in (ROOT / "src/emendo").iterdir():
        if folder.is_dir() and folder.name != "__pycache__":
            assert f"`{folder.name}/`" in page, f"ARCHITECTURE.md lacks {folder.name}/"
