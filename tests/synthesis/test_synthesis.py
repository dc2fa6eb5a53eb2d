"""From files to pairs: the same every time, targets untouched, nothing lost uncounted."""

import json
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("lemminflect")

import itertools

from emendo.data.readers import PairFiles
from emendo.errors import FormatError, RequestError
from emendo.synthesis import clean_text
from emendo.synthesis.clean_text import CleanText
from emendo.synthesis.error_writer import ErrorWriter
from emendo.synthesis.page import PairSample
from emendo.synthesis.synthesis import SynthesisConfig, SynthesisCounts, synthesize
from emendo.synthesis.tables import load_tables
from emendo.synthesis.writing import write_pairs
from emendo.text import EDIT_TYPES
from tests.cli.test_edit import emendo

WRITER = ErrorWriter()
NAMES = ("Anna", "Ben", "Clara", "David", "Emma", "Frank")
PLACES = ("the old harbour", "a small village", "their school", "an office in the city")
LINES = [
    f"{name} went to {place} {number} days ago, because she wanted to see the people there. "
    f"It's where {other} has worked since then, and he doesn't like it."
    for number, (name, other, place) in enumerate(
        ((a, b, c) for a in NAMES for b in NAMES for c in PLACES for _ in range(5)), 2
    )
]


@pytest.fixture(scope="module")
def clean_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("clean") / "clean.txt"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


def run(path, workers=1, limit=None, **options):
    counts = SynthesisCounts()
    config = SynthesisConfig(**options)
    return list(synthesize([path], config, counts, workers=workers, limit=limit)), counts


def test_the_same_by_seed_and_by_any_number_of_workers(clean_file):
    first, counts = run(clean_file, seed=3)
    again, _ = run(clean_file, seed=3)
    parallel, parallel_counts = run(clean_file, seed=3, workers=2)
    other, _ = run(clean_file, seed=4)
    assert first == again == parallel
    assert counts == parallel_counts
    assert first != other
    assert [pair.target for pair in first] == [pair.target for pair in other]


def test_counts_and_shares(clean_file):
    pairs, counts = run(clean_file, clean_share=0.25)
    clean = [pair for pair in pairs if pair.source == pair.target]
    assert counts.pairs == len(pairs) == 2 * len(LINES)
    assert counts.clean == len(clean)
    assert 0.2 < len(clean) / len(pairs) < 0.3
    assert 8 < counts.errors_per_100_words < 14
    assert counts.kinds.total() == sum(len(pair.errors) for pair in pairs)
    assert json.loads(counts.to_json())["pairs"] == len(pairs)
    none, _ = run(clean_file, clean_share=1.0)
    assert all(pair.source == pair.target for pair in none)
    every, every_counts = run(clean_file, clean_share=0.0)
    assert sum(pair.source == pair.target for pair in every) == every_counts.errorless


def test_more_errors_where_more_are_wanted(clean_file):
    _, few = run(clean_file, errors_per_100_words=4)
    _, many = run(clean_file, errors_per_100_words=20)
    assert few.errors_per_100_words < 8
    assert many.errors_per_100_words > 16


def test_only_some_kinds(clean_file):
    counts = SynthesisCounts()
    config = SynthesisConfig(clean_share=0.0, kinds=("agreement", "misspelling"))
    list(synthesize([clean_file], config, counts))
    assert set(counts.kinds) == {"agreement", "misspelling"}
    with pytest.raises(RequestError, match="no errors of the kind 'agreements'; kinds: "):
        ErrorWriter(kinds=("agreements",))


def test_copies_and_limit(clean_file):
    pairs, _ = run(clean_file, copies=2)
    half = len(pairs) // 2
    assert [p.target for p in pairs[:half]] == [p.target for p in pairs[half:]]
    assert pairs[:half] != pairs[half:]
    limited, counts = run(clean_file, limit=7, workers=2)
    assert limited == pairs[:7]
    assert counts.pairs == 7


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80), st.integers(0, 1000))
def test_any_text_is_survived(text, seed):
    wrong = WRITER.write(text, Random(seed))
    assert wrong.target == text
    assert (wrong.source == text) == (not wrong.errors)


WORDS = (
    "I the a cat dogs don't it's John’s go went going has been is are to of in , . ? well-known "
    "very U.S. 3,5 (the) “quick” better information because he she them quickly made who"
)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(WORDS.split()), max_size=15), st.integers(0, 1000))
def test_any_words_are_survived(words, seed):
    text = " ".join(words)
    wrong = WRITER.write(text, Random(seed))
    edits = [edit for edit, _ in wrong.errors]
    assert wrong.target == text
    assert (wrong.source == text) == (not edits)
    assert all(a.end <= b.start for a, b in itertools.pairwise(edits))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("Too short.", clean_text.SHORT),
        ("word " * 100 + "end.", clean_text.LONG),
        ("See http://example.com for what we mean by it.", clean_text.MARKUP),
        ("Use the `print` function to write it.", clean_text.MARKUP),
        ("This is <b>not</b> clean at all.", clean_text.MARKUP),
        ("This was a sentence , once upon a time .", clean_text.TOKENISED),
        ("and this has no start at all.", clean_text.UNFINISHED),
        ("A Title Without an End", clean_text.UNFINISHED),
        ("A 12 B 14 C 16 D 18 E 20 F 22 24 26.", clean_text.NO_PROSE),
        ("He said that “it was late.", clean_text.UNPAIRED),
        ("Das ist ein Satz, der nicht in dieser Sprache ist.", clean_text.FOREIGN),
        ("We went to the the house of a friend.", clean_text.WRONG),
        ("We recieved a letter from him.", clean_text.WRONG),
    ],
)
def test_unclean_text_is_counted(line, reason):
    refused = Counter()
    finder = CleanText("en", misspellings=frozenset({"recieved"}))
    assert list(finder.sentences(line, refused)) == []
    assert refused == {reason: 1}


def test_paragraphs_are_split_and_sentences_come_byte_for_byte():
    finder = CleanText("en", misspellings=frozenset())
    line = "  He’s here, I think.  “It is fine,” she said — at 5 o'clock! "
    expected = ["He’s here, I think.", "“It is fine,” she said — at 5 o'clock!"]
    assert list(finder.sentences(line, Counter())) == expected


@pytest.mark.parametrize("suffix", [".tsv", ".jsonl"])
def test_files_are_read_as_pairs(clean_file, tmp_path, suffix):
    pairs, _ = run(clean_file, limit=50)
    path = tmp_path / f"pairs{suffix}"
    write_pairs(pairs, path)
    assert list(PairFiles(path).read()) == [(pair.source, pair.target) for pair in pairs]
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_files_that_cannot_be(clean_file, tmp_path):
    with pytest.raises(FormatError, match=r"\.tsv or \.jsonl"):
        write_pairs([], tmp_path / "pairs.csv")
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"Fine so far.\n\xff\xfe\n")
    with pytest.raises(FormatError, match="line 2: not UTF-8"):
        run(bad)
    for wrong in ({"clean_share": 2}, {"errors_per_100_words": 0}, {"copies": 0}):
        with pytest.raises(RequestError, match=next(iter(wrong))):
            SynthesisConfig(**wrong)


@pytest.mark.parametrize("code", ["en", "de", "ru"])
def test_tables(code):
    tables = load_tables(code)
    assert abs(sum(tables.shares.values()) - 1) < 0.01
    assert set(tables.types.values()) <= set(EDIT_TYPES)
    assert set(tables.confusions) | set(tables.insertions) <= set(tables.shares)
    for word, wrongs in tables.misspellings.items():
        assert word not in wrongs
    for rows in (row for kind in tables.confusions.values() for row in kind.values()):
        assert all(" ".join(row.right) != row.wrong for row in rows)


def test_tables_of_other_languages():
    assert "recieve" in load_tables("en").misspellings["receive"]
    with pytest.raises(RequestError, match="only for de, en, ru"):
        load_tables("xx")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", "Ich weiß nicht, ob der Bruder meines Freundes heute mit dem Bus nach Hause fährt, oder mit dem Rad."),
        ("ru", "Я не знаю, поедет ли брат моего друга домой на автобусе, потому что он ещё из-за дождя на работе."),
    ],
)  # fmt: skip
def test_other_languages_have_errors_of_every_kind(code, text):
    """Of each kind that needs no table that a recipe makes; and the target is never touched."""
    writer = ErrorWriter(code)
    rng = Random(0)
    for kind in set(writer.kinds) - {"hyphen"}:
        found = [writer.write_kind(text, kind, rng) for _ in range(40)]
        assert all(each.target == text for each in found)
        assert any(each.source != text for each in found), kind
    hyphen = {"de": "Er spielt E-Gitarre im Park.", "ru": "Он говорит по-русски в классе."}[code]
    assert writer.write_kind(hyphen, "hyphen", Random(1)).source != hyphen


def test_the_page_shows_every_kind_it_saw(clean_file):
    sample = PairSample()
    pairs, counts = run(clean_file)
    assert list(sample.watch(pairs)) == pairs
    page = sample.page()
    assert all(f"<h2>{kind} (" in page for kind in counts.kinds)
    assert "<script" not in page
    assert "http" not in page


def test_the_command(clean_file, tmp_path):
    output, page = tmp_path / "pairs.tsv", tmp_path / "page.html"
    done = emendo("synthesize", clean_file, "-o", output, "--limit", "40", "--page", page)
    assert done.returncode == 0, done.stderr
    assert "errors per 100 words" in done.stdout.decode()
    assert len(list(PairFiles(output).read())) == 40
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    done = emendo("synthesize", clean_file, "-o", clean_file.with_suffix(".csv"))
    assert done.returncode == 2
    assert ".tsv or .jsonl" in done.stderr.decode()
