"""Every format gives the same pairs; what is malformed is named with file and line."""

import json

import pytest

from emendo.data.readers import PairFiles, ParallelFiles
from emendo.errors import FormatError
from emendo.text import format_pairs

# A line separator and a carriage return are characters of a text, not ends of a line.
PAIRS = [("He go .", "He goes ."), ("a\u2028b c", "a\u2028b"), ("Ünï 😀 \r x", "x"), ("", "")]
M2 = """S He go .
A 1 2|||R:VERB|||goes|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||went|||REQUIRED|||-NONE-|||2

S Fine .

S Only one
A 0 1|||R:ADV|||just|||REQUIRED|||-NONE-|||1

"""


def write(path, text):
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def read(*files, **options):
    return [tuple(pair) for pair in PairFiles(*files, **options).read()]


def test_jsonl(tmp_path):
    lines = [json.dumps({"source": s, "target": t, "more": 1}) for s, t in PAIRS]
    lone = json.dumps({"source": "\ud800", "target": "b"})
    path = write(tmp_path / "a.jsonl", "\n".join([*lines, "", lone]))
    assert read(path) == [*PAIRS, ("\ud800", "b")]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tsv(tmp_path, end):
    text = "".join(f"{s}\t{t}\tmore\tcolumns{end}" for s, t in PAIRS)
    path = write(tmp_path / "a.tsv", "\ufeff" + text)
    assert read(path) == PAIRS
    assert read(str(path)) == PAIRS


@pytest.mark.parametrize("suffix", ["st", "txt"])
def test_blocks(tmp_path, suffix):
    from emendo.text import EditPair

    text = "".join(format_pairs(EditPair(*pair) for pair in PAIRS if "\r" not in pair[0]))
    path = write(tmp_path / f"a.{suffix}", text)
    assert read(path) == [pair for pair in PAIRS if "\r" not in pair[0]]


@pytest.mark.parametrize(
    ("annotator", "targets"),
    [
        (None, ["He goes .", "He went .", "Fine .", "just one"]),
        (0, ["He goes .", "Fine .", "just one"]),
        (1, ["He goes .", "Fine .", "just one"]),
        (2, ["He went .", "Fine .", "just one"]),
    ],
)
def test_m2_annotators(tmp_path, annotator, targets):
    path = write(tmp_path / "a.m2", M2)
    assert [target for _, target in read(path, annotator=annotator)] == targets


def test_parquet_in_row_groups(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    many = PAIRS * 50
    table = pa.table(
        {"n": range(200), "target": [t for _, t in many], "source": [s for s, _ in many]}
    )
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=7)
    assert read(tmp_path / "a.parquet") == many


def test_parallel_files(tmp_path):
    source = write(tmp_path / "a.src", "".join(f"{s}\n" for s, _ in PAIRS))
    target = write(tmp_path / "a.trg", "".join(f"{t}\n" for _, t in PAIRS))
    assert read(f"{source}:{target}") == PAIRS
    assert read(ParallelFiles(source, target)) == PAIRS


def test_a_colon_in_a_name_is_no_second_file(tmp_path):
    path = write(tmp_path / "12:30.tsv", "a\tb\n")
    assert read(str(path)) == [("a", "b")]


def test_files_follow_one_another(tmp_path):
    first, second = write(tmp_path / "a.tsv", "a\tb\n"), write(tmp_path / "b.tsv", "c\td")
    assert read(second, first) == [("c", "d"), ("a", "b")]
    assert read() == []


def test_reading_is_lazy(tmp_path):
    path = write(tmp_path / "a.tsv", "a\tb\nmalformed\n")
    pairs = PairFiles(path).read()
    assert next(pairs) == ("a", "b")
    with pytest.raises(FormatError):
        next(pairs)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.jsonl", '{"source": "a", "target": "b"}\n{"source"', "line 2: not JSON"),
        ("a.jsonl", '{"source": "a"}', "line 1: expected"),
        ("a.jsonl", '{"source": "a", "target": 1}', "line 1: expected"),
        ("a.jsonl", '["source", "target"]', "line 1: expected"),
        ("a.tsv", "a\tb\nno tab\n", "line 2: expected source<TAB>target"),
        ("a.tsv", b"a\tb\n\xff\tb\n", "line 2: not UTF-8"),
        ("a.m2", "S a\nB b\n", "line 2"),
        ("a.st", "S\ta\nT\tb\n\nX\tc\n", "line 4"),
        ("a.parquet", "no such thing", "not a Parquet file"),
    ],
)
def test_malformed_lines_are_named(tmp_path, name, text, message):
    path = write(tmp_path / name, text)
    with pytest.raises(FormatError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"source": ["a"], "other": ["b"]}, "found source, other"),
        ({"source": ["a"], "target": [1]}, "string columns"),
        ({"source": ["a", "b"], "target": ["b", None]}, "row 2"),
    ],
)
def test_malformed_parquet(tmp_path, columns, message):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    with pytest.raises(FormatError, match=message):
        read(tmp_path / "a.parquet")


@pytest.mark.parametrize(("source", "target"), [(3, 5), (5, 3), (0, 1)])
def test_parallel_files_of_different_length(tmp_path, source, target):
    first = write(tmp_path / "a.src", "x\n" * source)
    second = write(tmp_path / "a.trg", "y\n" * target)
    with pytest.raises(FormatError, match=f"a.src has {source} lines.*a.trg has {target}"):
        read(ParallelFiles(first, second))


def test_parallel_errors_name_the_file_at_fault(tmp_path):
    first, second = write(tmp_path / "a.src", "x\n"), write(tmp_path / "a.trg", b"\xff\n")
    with pytest.raises(FormatError, match=r"a\.trg: line 1: not UTF-8"):
        read(ParallelFiles(first, second))


def test_an_unknown_suffix_is_refused_before_anything_is_read(tmp_path):
    with pytest.raises(FormatError, match=r"a\.csv.*\.jsonl"):
        PairFiles(tmp_path / "a.csv")


def test_identity_tells_parallel_files_from_two_files(tmp_path):
    first, second = write(tmp_path / "a.tsv", "a\tb\n"), write(tmp_path / "b.tsv", "c\td\n")
    both = PairFiles(first, second).identity()
    assert both == PairFiles(first, second).identity()
    assert both != PairFiles(ParallelFiles(first, second)).identity()
    assert both != PairFiles(second, first).identity()
    write(second, "c\tdd\n")
    assert both != PairFiles(first, second).identity()


def write_corpus(folder):
    (folder / "letters").mkdir(parents=True)
    write(folder / "letters/1.txt", "He {go=>goes}.\nFine.\n")
    write(folder / "letters/2.txt", "I know{,=>} that.\n")
    rows = ["file\tpart\tsplit\twriter\ttopic"]
    rows += ["letters/1.txt\tletter\ttrain\tA\tx", "letters/2.txt\tletter\tdev\tB\tx"]
    write(folder / "files.tsv", "\n".join(rows) + "\n")
    return folder


def test_a_corpus_of_inline_files(tmp_path):
    folder = write_corpus(tmp_path / "corpus")
    train = [("He go.", "He goes."), ("Fine.", "Fine.")]
    dev = [("I know, that.", "I know that.")]
    assert read(folder) == [*train, *dev]
    assert read(f"{folder}:train") == train
    assert read(f"{folder}:dev") == dev
    path = write(tmp_path / "a.inline", "He {go=>goes}.\n")
    assert read(path) == train[:1]
    assert len(PairFiles(folder).identity()) == 2


def test_what_is_wrong_in_a_corpus_is_named(tmp_path):
    folder = write_corpus(tmp_path / "corpus")
    with pytest.raises(FormatError, match="no file of the split 'tset'"):
        read(f"{folder}:tset")
    write(folder / "letters/2.txt", "Fine.\nI know{,=>that.\n")
    with pytest.raises(FormatError, match=r"2\.txt: line 2: '\{' is not part of a mark"):
        read(folder)
    write(folder / "files.tsv", "file\tpart\tsplit\twriter\ttopic\nletters/1.txt\ttrain\n")
    with pytest.raises(FormatError, match=r"files\.tsv: line 2: expected 5 columns"):
        read(folder)
    with pytest.raises(FormatError, match=r"a folder without files\.tsv"):
        read(folder / "letters")
