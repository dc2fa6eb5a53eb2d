"""The cache of sentences: what it keeps, and what is too much for it."""

import pytest

from emendo.bundle import Level
from emendo.inference import sentence_cache
from emendo.inference.sentence_cache import SentenceCache
from emendo.text import Edit

LEVEL = Level()
EDIT = Edit(0, 1, "word")


def filled(size, sentences, edits=()):
    cache = SentenceCache(size)
    cache.remember(LEVEL, dict.fromkeys(sentences, edits))
    return cache


def test_as_many_usual_sentences_find_room_as_the_size_says():
    sentences = [f"This is the usual sentence with the number {k}." for k in range(10_001)]
    cache = filled(10_000, sentences, (EDIT,))
    assert len(cache) == 10_000
    found = cache.look_up(LEVEL, sentences)
    assert list(found) == sentences[1:], "the oldest is removed"
    assert set(found.values()) == {(EDIT,)}


def test_a_small_cache_has_room_for_a_few_long_sentences():
    long = [f"{k} " + "é😀" * 4000 for k in range(100)]
    assert len(filled(2, long[:2])) == 2
    assert 2 < len(filled(99, long)) < 99


def test_what_is_stored_beside_a_text_counts():
    texts = [f"{k:04}" + "a" * 1400 for k in range(1000)]
    assert 500 < len(filled(1000, texts)) < 1000
    sentences = [f"sentence {k}" for k in range(1000)]
    assert len(filled(1000, sentences)) == 1000
    assert 0 < len(filled(1000, sentences, (EDIT,) * 100)) < 200


@pytest.mark.parametrize("again", [False, True], ids=["new", "again"])
def test_the_count_of_bytes_is_right_after_long_use(monkeypatch, again):
    monkeypatch.setattr(sentence_cache, "_LEAST_BYTES", 4000)
    cache = SentenceCache(2)
    for k in range(20_000):
        cache.remember(LEVEL, {f"sentence {k % 2 if again else k}": (EDIT,)})
    assert len(cache) == 2
    cache.remember(LEVEL, {"a" * 5000: ()})
    assert len(cache) == 0, "more than all that it may take"
    cache.remember(LEVEL, {"sentence": (EDIT,)})
    assert cache.look_up(LEVEL, ["sentence"]) == {"sentence": (EDIT,)}
