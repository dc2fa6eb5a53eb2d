"""Test sets from files: what is read, and what is refused by its name."""

import pytest

from emendo.errors import FormatError, RequestError
from emendo.evaluation.gold import GoldSet, read_annotated, read_clean, read_gold, read_lines
from emendo.evaluation.metrics import score

M2 = "S I has dogs .\nA 1 2|||R:VERB:SVA|||have|||REQUIRED|||-NONE-|||0\n"


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_byte_order_mark_is_not_read(tmp_path, mark):
    (tmp_path / "gold.M2").write_text(mark + M2, encoding="utf-8")
    (tmp_path / "text").write_text(f"{mark}I have dogs .\r\n", encoding="utf-8")
    gold = read_gold(None, [tmp_path / "gold.M2"])
    hypotheses = read_lines(tmp_path / "text")
    assert gold.sources == ("I has dogs .",)
    assert score("em", gold, hypotheses).values()["em"] == 100
    assert score("m2", gold, hypotheses).values()["f0.5"] == 100


def test_what_is_not_utf8_is_named(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("naïve\n".encode("latin-1"))
    with pytest.raises(FormatError, match=r"latin\.txt is not UTF-8"):
        read_lines(path)


def test_what_is_not_m2_is_named(tmp_path):
    path = tmp_path / "bad.m2"
    path.write_text("S a b\nA 0 9|||R|||c|||REQUIRED|||-NONE-|||0\n")
    with pytest.raises(FormatError, match=r"bad\.m2, line 2: 0 9 is outside"):
        read_annotated(path)


def test_a_test_set_has_sentences(tmp_path):
    empty = tmp_path / "empty.m2"
    empty.write_text("\n")
    with pytest.raises(FormatError, match=r"empty\.m2 has no sentences"):
        read_gold(None, [empty])
    nothing = tmp_path / "nothing.txt"
    nothing.write_text("")
    for read in (lambda path: read_gold(path, [path]), read_clean):
        with pytest.raises(FormatError, match=r"nothing\.txt has no sentences"):
            read(nothing)


def test_clean_text_is_asked_for(tmp_path):
    path = tmp_path / "clean.txt"
    path.write_text("Fine .\n")
    assert read_clean(path).references == (("Fine .",),)
    path.write_text("Fine .\n\n \nGood .\n")
    assert len(read_clean(path).sources) == 4
    assert read_clean(path, with_blank=False).sources == ("Fine .", "Good .")
    path.write_text("\n\n")
    with pytest.raises(FormatError, match=r"clean\.txt has only blank lines"):
        read_clean(path, with_blank=False)
    path.write_text("Fine .\n")
    with pytest.raises(FormatError, match="give --reference"):
        read_gold(path, [])


def test_metrics_are_known():
    with pytest.raises(RequestError, match="no metric 'M2'; choose one of m2, errant"):
        score("M2", GoldSet(("a",), (("a",),)), ["a"])


def test_white_space_parts_tokens_and_no_more():
    gold = GoldSet(("a b",), (("a  c ",),))
    assert score("em", gold, ["a\tc"]).values()["em"] == 100
    assert score("em", gold, ["ac"]).values()["em"] == 0


def test_sentences_spread_over_a_set():
    gold = GoldSet(tuple("abcdefgh"), tuple((letter.upper(),) for letter in "abcdefgh"))
    assert gold.spread(4).sources == ("a", "c", "e", "g")
    assert gold.spread(4).references == (("A",), ("C",), ("E",), ("G",))
    assert gold.spread(3).sources == ("a", "c", "f")
    assert gold.spread(9).sources == gold.sources
    assert gold.spread(4).annotated is None
    assert gold.take(range(8)[1::3]).sources == ("b", "e", "h")
    assert gold.take([1]).references == (("B",),)
