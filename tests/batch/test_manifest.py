"""The entries of finished fragments: each is read once, whether it is single, merged or both."""

from dataclasses import FrozenInstanceError

import pytest

from emendo.batch.counts import Counts
from emendo.batch.manifest import Entry, Manifest
from emendo.batch.storage import Folder


def entry(number):
    counts = Counts(rows=2, written=2)
    return Entry(number, f"{number}.parquet", 10, "a hash", counts, 0.5, 1.0, 100)


@pytest.fixture
def folder(tmp_path):
    return Folder(str(tmp_path))


@pytest.fixture
def manifest(folder):
    return Manifest(folder)


def numbers(manifest):
    return sorted(each.number for each in manifest.read())


def merged(folder):
    """Return how many entries each merged file has."""
    names = folder.sizes("_emendo/gathered")
    return sorted(len(folder.read(name).splitlines()) for name in names)


def test_entries_are_read_before_and_after_they_are_merged(folder, manifest):
    for number in range(3):
        manifest.commit(entry(number))
    assert list(manifest.read()) == [entry(0), entry(1), entry(2)]
    manifest.gather()
    manifest.commit(entry(4))
    assert merged(folder) == [3]
    assert numbers(manifest) == [0, 1, 2, 4]
    # A fragment that is done again is still one.
    manifest.commit(entry(2))
    assert numbers(manifest) == [0, 1, 2, 4]


def test_dropped_entries_are_gone_whether_merged_or_not(folder, manifest):
    for number in range(4):
        manifest.commit(entry(number))
    manifest.gather()
    for number in (4, 5):
        manifest.commit(entry(number))
    manifest.drop([1, 4])
    assert numbers(manifest) == [0, 2, 3, 5]
    assert merged(folder) == [3]
    assert manifest.find(4) is None
    assert manifest.find(5) == entry(5)


def test_an_entry_that_disappears_meanwhile_hides_no_other(manifest):
    for number in range(3):
        manifest.commit(entry(number))
    entries = manifest.read()
    assert next(entries).number == 0
    manifest.drop([1])
    assert [each.number for each in entries] == [2]


def test_an_entry_that_is_merged_meanwhile_is_read_once(manifest):
    for number in range(3):
        manifest.commit(entry(number))
    entries = manifest.read()
    assert next(entries).number == 0
    manifest.gather()
    assert [each.number for each in entries] == [1, 2]


def test_a_merged_file_has_a_thousand_entries(folder, manifest, tmp_path):
    place = tmp_path / "_emendo/manifest"
    place.mkdir(parents=True)
    for number in range(1001):
        (place / f"{number:08}.json").write_bytes(entry(number).to_json())
    manifest.gather()
    assert merged(folder) == [1, 1000]
    assert not list(place.iterdir())
    assert numbers(manifest) == list(range(1001))


def test_an_entry_cannot_be_changed():
    done = entry(0)
    with pytest.raises(FrozenInstanceError):
        done.number = 1
