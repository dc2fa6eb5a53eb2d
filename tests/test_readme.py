"""The README's Python blocks, run one after the other as a reader would."""

import re

import pytest

from tests.conftest import ROOT

BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
ENCODER = "ibm-granite/granite-embedding-30m-english"


def test_python_blocks_run(granite, monkeypatch, tmp_path):
    blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert blocks
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        # There is no hub here: the model of that name is in a folder.
        exec(compile(block.replace(ENCODER, str(granite)), "README.md", "exec"), names)


@pytest.mark.parametrize(
    "page",
    [
        path.relative_to(ROOT)
        for path in ROOT.glob("**/*.md")
        if not {".cache", "node_modules"} & set(path.parts)
    ],
    ids=str,
)
def test_links_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (ROOT / page.parent / target).exists(), f"{page}: {target}"


def test_the_tree_names_every_folder():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for folder in (ROOT / "src/emendo").iterdir():
        if folder.is_dir() and folder.name != "__pycache__":
            assert f"{folder.name}/" in readme, f"the README's tree lacks {folder.name}/"
