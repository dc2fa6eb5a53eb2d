"""Files and folders are there whole or not at all."""

import hashlib
import os

import pytest

from emendo.files import replaced_file, replaced_folder, sha256_of, write_whole


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("old")
    with replaced_file(path) as partial:
        partial.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "words.txt"
    write_whole(path, "old ü")

    def fail():
        with replaced_file(path) as partial:
            partial.write_text("half of the n")
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        fail()
    assert path.read_text(encoding="utf-8") == "old ü"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_of_one_file_do_not_meet(tmp_path):
    path = tmp_path / "words.txt"
    with replaced_file(path) as first, replaced_file(path) as second:
        assert first != second
        first.write_text("first")
        second.write_text("second")
    assert path.read_text() == "first"


def test_a_folder_takes_the_place_of_another(tmp_path):
    folder = tmp_path / "best"
    folder.mkdir()
    (folder / "old").touch()
    with replaced_folder(folder) as partial:
        partial.mkdir()
        (partial / "new").touch()
        assert (folder / "old").exists()
    assert [path.name for path in folder.iterdir()] == ["new"]

    def fail():
        with replaced_folder(folder) as partial:
            partial.mkdir()
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        fail()
    assert [path.name for path in folder.iterdir()] == ["new"]
    assert list(tmp_path.iterdir()) == [folder]


def test_a_folder_is_on_the_disk_before_it_takes_the_place_of_another(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(os, "fsync", lambda _handle: seen.append((tmp_path / "best").exists()))
    with replaced_folder(tmp_path / "best") as partial:
        partial.mkdir()
        (partial / "new").write_text("x")
    assert seen == [False]


@pytest.mark.parametrize("size", [0, 5, (1 << 20) + 1])
def test_the_hash_of_a_file_of_any_size(tmp_path, size):
    path = tmp_path / "file"
    path.write_bytes(b"x" * size)
    assert sha256_of(path) == hashlib.sha256(b"x" * size).hexdigest()
