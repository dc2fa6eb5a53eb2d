"""Dictionaries on disk: no way out of their folder, and whole after whatever happens."""

import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from emendo.errors import FormatError, RequestError, TooLargeError
from emendo.serving.languagetool import user_words
from emendo.serving.languagetool.user_words import Shelf, UserWords
from emendo.text import word_files

WRITER = """
import sys
from pathlib import Path
from emendo.serving.languagetool.user_words import Shelf, UserWords

words = UserWords(Path(sys.argv[1]))
shelf = Shelf.of("local", "me")
start = len(words.words(shelf))
for k in range(start, 100_000):
    # Long enough that a write takes more than one page.
    words.add(shelf, [f"word{k:06d}" + "x" * 80])
    print(k, flush=True)
"""


def test_the_folder_may_be_given_from_above(tmp_path, monkeypatch):
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    words, shelf = UserWords(Path("../words")), Shelf.of("local")
    assert words.words(shelf) == ()
    assert words.add(shelf, ["teh"])
    assert (tmp_path / "words/local/default/default.txt").read_text() == "teh\n"


def test_words_survive_and_are_seen_by_others(tmp_path):
    first, second = UserWords(tmp_path), UserWords(tmp_path)
    shelf = Shelf.of("local", "me")
    assert first.words(shelf) == ()
    assert first.add(shelf, ["b", "a"])
    assert not first.add(shelf, ["a"])
    assert second.words(shelf) == ("a", "b")
    assert second.add(shelf, ["c"])
    assert first.words(shelf) == ("a", "b", "c")
    assert first.delete(shelf, ["a", "never-there"])
    assert not first.delete(shelf, ["a"])
    assert UserWords(tmp_path).words(shelf) == ("b", "c")
    assert (tmp_path / "local/me/default.txt").read_text() == "b\nc\n"


def test_a_change_starts_from_the_file_whatever_its_figures_say(tmp_path):
    """Of a file that another machine has replaced, a network's filesystem may give old figures."""
    words = UserWords(tmp_path)
    shelf = Shelf.of("local", "me")
    words.add(shelf, ["mine"])
    assert words.words(shelf) == ("mine",)
    path = tmp_path / "local/me/default.txt"
    figures = path.stat()
    path.write_text("hers\n")
    os.utime(path, ns=(figures.st_atime_ns, figures.st_mtime_ns))
    assert words.add(shelf, ["new"])
    assert path.read_text() == "hers\nnew\n"
    assert words.words(shelf) == ("hers", "new")


def test_deleting_from_nothing_writes_nothing(tmp_path):
    assert not UserWords(tmp_path).delete(Shelf.of("local"), ["a"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name",
    ["..", ".", ".hidden", "a/b", "a\\b", "/etc/passwd", "a\x00", "a b", "é", "a" * 65, "..%2f", "~", "-x", "a:b"],
)  # fmt: skip
def test_names_lead_nowhere_else(tmp_path, name):
    with pytest.raises(RequestError):
        Shelf.of("local", name)
    with pytest.raises(RequestError):
        Shelf.of("local", "me", name)
    # Even past the check nothing is written elsewhere.
    if ".." in name.split("/"):
        with pytest.raises(AssertionError):
            UserWords(tmp_path / "in").add(Shelf("local", name), ["a"])


def test_names_are_the_same_in_capitals():
    assert Shelf.of("local", "Me@Example.org") == Shelf.of("local", "me@example.org")


def test_everything_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(word_files, "MAX_WORDS", 3)
    monkeypatch.setattr(user_words, "_MAX_USERS", 2)
    monkeypatch.setattr(user_words, "_MAX_DICTIONARIES", 2)
    for words in (UserWords(tmp_path), UserWords(None)):
        with pytest.raises(TooLargeError):
            words.add(Shelf.of("local", "a"), ["1", "2", "3", "4"])
        words.add(Shelf.of("local", "a"), ["1", "2", "3"])
        words.add(Shelf.of("local", "b"), ["1"])
        with pytest.raises(TooLargeError):
            words.add(Shelf.of("local", "c"), ["1"])
    words = UserWords(tmp_path)
    words.add(Shelf.of("local", "a", "two"), ["1"])
    with pytest.raises(TooLargeError):
        words.add(Shelf.of("local", "a", "three"), ["1"])


def test_many_at_once_lose_nothing(tmp_path):
    # Two servers on one folder.
    stores = [UserWords(tmp_path), UserWords(tmp_path)]
    shelf = Shelf.of("local", "me")

    def work(number):
        for k in range(10):
            stores[number % 2].add(shelf, [f"{number}-{k}"])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(UserWords(tmp_path).words(shelf)) == 60


def test_a_kill_leaves_a_whole_dictionary(tmp_path):
    rng = random.Random(0)
    shelf = Shelf.of("local", "me")
    told = -1
    for _ in range(20 if os.environ.get("EMENDO_LONG") else 4):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout.readline().strip() == str(told + 1)
            time.sleep(rng.uniform(0.0, 0.15))
            writer.kill()
            rest = writer.stdout.read().splitlines()
            told = int(rest[-1]) if rest else told + 1
        words = UserWords(tmp_path).words(shelf)
        # All that was said to be added, and at most the one that was being added.
        assert told + 1 <= len(words) <= told + 2
        assert words == tuple(f"word{k:06d}" + "x" * 80 for k in range(len(words)))
        told = len(words) - 1
    left = {path.name for path in (tmp_path / "local/me").iterdir()}
    UserWords(tmp_path).add(shelf, ["last"])
    assert {path.name for path in (tmp_path / "local/me").iterdir()} == {"default.txt", ".lock"}, (
        left
    )


def test_words_in_memory_are_bounded_together(monkeypatch):
    """Ten thousand dictionaries of ten thousand words are gigabytes."""
    word = "犬" * 10
    monkeypatch.setattr(user_words, "_MAX_IN_MEMORY", 10 * (sys.getsizeof(word) + 8))
    words = UserWords(None)
    for k in range(10):
        words.add(Shelf.of("local", f"user{k}"), [word])
    with pytest.raises(TooLargeError, match="memory for dictionaries is full"):
        words.add(Shelf.of("local", "one-more"), ["y"])
    assert words.words(Shelf.of("local", "one-more")) == ()
    words.delete(Shelf.of("local", "user3"), [word])
    assert words.add(Shelf.of("local", "one-more"), ["猫" * 10])


def test_a_file_that_a_user_named_is_changed_with_care(tmp_path):
    files, path, link = word_files.WordFiles(), tmp_path / "words.txt", tmp_path / "link.txt"
    path.write_bytes("Zoltán\n".encode("latin-1"))
    with pytest.raises(FormatError, match=r"words\.txt is not UTF-8"):
        files.change(path, lambda old: old | {"emendo"})
    assert path.read_bytes() == "Zoltán\n".encode("latin-1")
    path.write_text("b\n", encoding="utf-8")
    path.chmod(0o600)
    link.symlink_to(path)
    assert files.change(link, lambda old: old | {"a"})
    assert link.is_symlink()
    assert path.read_text(encoding="utf-8") == "a\nb\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert files.words(link) == ("a", "b")
