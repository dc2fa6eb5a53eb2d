"""A disk without room for dictionaries is said to be one, and loses no word."""

import errno
import os
import shutil
import subprocess

import httpx
import pytest

from emendo.serving.languagetool.user_words import Shelf, UserWords
from emendo.text import word_files
from tests.security.scribe_server import ScribeServer

SHELF = Shelf.of("local")


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 kB, where one can be had."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if os.getuid() or not shutil.which("mount") or subprocess.run(mount, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_507_in_words(tmp_path, small_disk):
    with ScribeServer(tmp_path / "log", dictionaries=str(small_disk)) as server:
        url = f"{server.url}/v2/words"
        assert httpx.post(f"{url}/add", data={"word": "kept"}).json() == {"added": True}
        words = ",".join(f"{k}" + "a" * 90 for k in range(2000))
        full = httpx.post(f"{url}/add", data={"mode": "batch", "words": words})
        assert full.status_code == 507
        assert full.text.startswith("Error: ")
        assert "disk" in full.text
        assert httpx.get(url).json() == {"words": ["kept"]}
        assert httpx.post(f"{url}/add", data={"word": "more"}).json() == {"added": True}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_the_same_where_no_disk_can_be_filled(editor, tmp_path, monkeypatch, number):
    from tests.serving.conftest import client_of

    def fail(descriptor):
        raise OSError(number, os.strerror(number))

    with client_of(editor, dictionaries=tmp_path) as client:
        assert client.post("/v2/words/add", data={"word": "kept"}).status_code == 200
        monkeypatch.setattr(word_files.os, "fsync", fail)
        assert client.post("/v2/words/add", data={"word": "lost"}).status_code == 507
        monkeypatch.undo()
    assert UserWords(tmp_path).words(SHELF) == ("kept",)
