"""Makes the counted tables of `emendo.synthesis`: how often each error occurs with each word.

    python tools/error_tables.py

The counts come from real corrections, which are strict rows of doc-typo-fixes (documentation under
CC BY, Apache-2.0 and MIT) and IteraTeR's fluency edits (Apache-2.0), and from typos' list of
misspellings (MIT or Apache-2.0), for words that are common in OpenStax's books (CC BY 4.0) and
Common Voice (CC0). The tables contain only counts over many edits, never a sentence. The shares of
learners' errors are published figures.
Needs `permissive-pairs`, `permissive-clean-text` and `permissive-wordlists`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from archives import ROOT, unpacked
from emendo.languages import load_language
from emendo.languages.en.words import CLASSES
from emendo.synthesis.clean_text import CleanText
from emendo.synthesis.error_writer import ErrorWriter
from emendo.synthesis.tables import load_tables
from emendo.text import EDIT_TYPES, Edit, edit_type
from emendo.text.word_edits import word_spans

TABLES = ROOT / "src/emendo/languages/en/errors"
CREDIT = """\
# Made by tools/error_tables.py. Counted from corrections in the documentation of Kubernetes,
# Microsoft, GitHub, Docker, React, Flutter, Rust and TensorFlow (CC BY 4.0 and 3.0, Apache-2.0,
# MIT) and from IteraTeR's fluency edits (Apache-2.0).
"""
LIST_CREDIT = """\
# Made by tools/error_tables.py. Misspellings from https://github.com/crate-ci/typos (MIT or
# Apache-2.0) and from the corrections that learned.tsv names; words that are common in OpenStax
# textbooks (CC BY 4.0, https://openstax.org) and Common Voice (CC0).
"""

# Percent of the errors of learners, by type of edit: rounded from the shares of ERRANT's types in
# W&I+LOCNESS that Bryant et al. (2019), "The BEA-2019 Shared Task on Grammatical Error Correction",
# print; ERRANT's OTHER is divided among missing and extra words and word choice.
LEARNERS = {
    "punctuation": 15.0, "article": 11.0, "preposition": 10.5, "spelling": 11.0, "tense": 12.0,
    "word choice": 12.0, "casing": 4.5, "spacing": 3.0, "number": 5.0, "agreement": 4.0,
    "pronoun": 4.0, "missing word": 3.5, "extra word": 2.5, "word order": 2.0,
}  # fmt: skip
# The weight of learners; the rest is for writers of documentation, whose errors are slips.
LEARNERS_WEIGHT = 0.75
# For each type, the kinds that `emendo.synthesis` makes, and their shares; "*" is counted.
KINDS = {
    "punctuation": {"*": 0.85, "apostrophe": 0.15},
    "article": {"*": 1.0},
    "preposition": {"*": 1.0},
    "pronoun": {"*": 1.0},
    "spelling": {"misspelling": 1.0},
    "tense": {"tense": 0.5, "verb form": 0.5},
    "word choice": {"word choice": 0.37, "word form": 0.26, "confusable": 0.25, "degree": 0.04,
                    "negation": 0.02, "conjunction": 0.06},
    "casing": {"casing": 1.0},
    "spacing": {"spacing": 0.8, "hyphen": 0.2},
    "number": {"noun number": 0.9, "countability": 0.1},
    "agreement": {"agreement": 1.0},
    "missing word": {"missing word": 1.0},
    "extra word": {"extra word": 0.6, "doubled word": 0.4},
    "word order": {"word order": 1.0},
}  # fmt: skip
# Learners omit an article more often than they add one; the figures are rounded from the missing,
# unnecessary and replaced edits of the same paper.
LEARNERS_OPERATIONS = {
    "article": {"missing": 0.5, "extra": 0.25, "wrong": 0.25},
    "preposition": {"missing": 0.22, "extra": 0.2, "wrong": 0.58},
    "pronoun": {"missing": 0.25, "extra": 0.2, "wrong": 0.55},
    "punctuation": {"missing": 0.65, "extra": 0.2, "wrong": 0.15},
}
# Matters of house style, not errors.
STYLE = {
    ("that", "which"), ("might", "may"), ("can", "may"), ("can", "will"), ("whether", "if"),
    ("must", "should"), ("it", "this"), ("you", "we"), ("their", "his"), ("does", "will"),
    ("into", "in to"), ("and", "&"), ("is", "will"), ("the", "your"), ("your", "our"),
    ("the", "our"), ("they", "you"), ("who", "that"), ("be", "been"), ("or", "and"), ("and", "or"),
    ("the", "he"), ("this", "his"), ("to", "the"), ("is", "in"), ("it", "is"), ("this", "the"),
    ("the", "this"), ("each", "the"), ("these", "the"), ("the", "they"), ("the", "these"),
    ("all", "both"), ("a", "your"), ("your", "the"), ("the", "its"),
}  # fmt: skip
# Classes of words before which an extra word is more than a typing slip.
EXTRA_BEFORE = {
    "article": "NSJGu?", "preposition": "aeNSJGiod", "extra word": "aeJVZDiomb", "pronoun": "ib",
}  # fmt: skip
# Classes of words after which an extra word can start a phrase.
EXTRA_AFTER = {
    "article": "pVZDGPbckwyt^", "preposition": "VZDPGo", "extra word": "NSVZDPGbio",
    "pronoun": "VZDN",
}  # fmt: skip
COUNTED_TYPES = ("article", "preposition", "pronoun", "word choice", "missing word", "extra word")
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def read_pairs(pairs):
    """Yield (source, target) of real corrections."""
    with (pairs / "doc-typo-fixes/en.ccby.tsv").open(encoding="utf-8") as lines:
        for line in lines:
            source, target, *_, strictness = line.rstrip("\n").split("\t")
            if strictness == "strict":
                yield source, target
    with (pairs / "iterater/human_sent_level/train.json").open(encoding="utf-8") as lines:
        for item in map(json.loads, lines):
            if item["labels"] == "fluency":
                yield item["before_sent"].strip(), item["after_sent"].strip()


def count_edits(pairs):
    """Count types, operations, and (type, right, wrong, class of the next word)."""
    tables = load_language("en").word_tables
    operations, words, typos = Counter(), Counter(), Counter()
    frequency = Counter()
    for source, target in read_pairs(pairs):
        spans = word_spans(source, [(0, len(source), target)])
        seen = [word.lower() for word in WORD.findall(target)]
        frequency.update(seen)
        frequency.update(map(" ".join, pairwise(seen)))
        if len(spans) > 4:
            continue
        for start, end, new in spans:
            kind = edit_type(source, Edit(start, end, new))
            wrong, right = source[start:end].strip(), new.strip()
            if {right, wrong} & {"–", "—", "https", "http"} or right == wrong.replace("’", "'"):
                continue
            operation = "missing" if not wrong else "wrong" if right else "extra"
            operations[kind, operation] += 1
            if kind == "spelling":
                typos[right.lower(), wrong.lower()] += 1
                continue
            after = WORD.match(source, end + 1)
            letter = tables.word_class(after.group().lower()) if after else ","
            words[kind, right.lower(), wrong.lower(), letter if not right else ""] += 1
    return operations, words, typos, frequency


def kind_shares(operations):
    """Return the share of each kind among all errors."""
    total = sum(count for (kind, _), count in operations.items() if kind != "other")
    shares = {}
    for name in EDIT_TYPES:
        if name not in LEARNERS:
            continue
        counted = {op: operations[name, op] for op in ("missing", "extra", "wrong")}
        seen = sum(counted.values())
        share = LEARNERS_WEIGHT * LEARNERS[name] / sum(LEARNERS.values())
        share += (1 - LEARNERS_WEIGHT) * seen / total
        for kind, part in KINDS[name].items():
            if kind != "*":
                shares[kind] = {"type": name, "share": share * part}
                continue
            for op, count in counted.items():
                mixed = LEARNERS_WEIGHT * LEARNERS_OPERATIONS[name][op]
                mixed += (1 - LEARNERS_WEIGHT) * count / seen
                shares[f"{op} {name}"] = {"type": name, "share": share * part * mixed}
    whole = sum(kind["share"] for kind in shares.values())
    for kind in shares.values():
        kind["share"] = round(kind["share"] / whole, 4)
    return shares


def learned_rows(words, frequency):
    """Yield rows (kind, right, wrong, weight, classes before, classes after)."""
    few = re.compile(r"[a-z']*(?: [a-z']+)?\Z")
    for (name, right, wrong, letter), count in sorted(words.items()):
        if name not in COUNTED_TYPES or count < 4 or (right, wrong) in STYLE:
            continue
        if not (few.match(right) and few.match(wrong)) or frequency[right or wrong] < 60:
            continue
        if not right and letter not in EXTRA_BEFORE[name]:
            continue
        # Optional words such as only, just and very cannot be learned as missing.
        known = {CLASSES.get(word, "r") for word in right.split()}
        if name == "missing word" and (known - set("cbhkwqmxtpa") or right.startswith("that ")):
            continue
        if name == "pronoun" and not right and wrong not in ("it", "that"):
            continue
        if name == "extra word" and CLASSES.get(wrong, "r") not in "bhwk":
            continue
        if name == "preposition" and {CLASSES.get(w, "p") for w in (right, wrong) if w} - set(
            "pty"
        ):
            continue
        kind = name
        if name in ("article", "preposition", "pronoun"):
            kind = f"{'wrong' if right and wrong else 'missing' if right else 'extra'} {name}"
        elif name == "word choice":
            if frequency[wrong] < 20:
                continue
            kind = "confusable"
        after = "" if right else EXTRA_AFTER[name]
        weight = 1000 * count / frequency[right] if right else count / 10
        if {right, wrong} == {"a", "an"}:
            # Writers of documentation get all articles right except this one.
            weight *= 0.4
        yield kind, right or "∅", wrong or "∅", f"{weight:.3g}", after, letter


def common_words(clean, limit):
    """Return the most frequent lower-case words of clean text, with their counts."""
    counts = Counter()
    for path in [*(clean / "openstax").glob("*.sents.txt"), clean / "common-voice/en.curated.txt"]:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                counts.update(re.findall(r"\b[a-z]{3,24}\b", line))
    return dict(counts.most_common(limit))


def slip(right, wrong):
    """Return the kind of slip that turns one spelling into the other; None for several."""
    same = [x == y for x, y in zip(right, wrong, strict=False)]
    i = [*same, False].index(False)
    old, new = right[i:], wrong[i:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    if len(old) == 2 and old == new[::-1]:
        return "swap"
    if not old and len(new) == 1:
        neighbours = wrong[max(0, i - 1) : i] + wrong[i + 1 : i + 2]
        return "double" if new in neighbours else "insert"
    if not new and len(old) == 1:
        neighbours = right[max(0, i - 1) : i] + right[i + 1 : i + 2]
        return "single" if old in neighbours else "drop"
    if len(old) == len(new) == 1:
        return "vowel" if {old, new} <= VOWELS else "letter"
    return "sound" if sound(right) == sound(wrong) else None


def sound(word):
    """Return roughly how a word sounds: all vowels are the same, double letters are single."""
    for spelling, plain in (("ph", "f"), ("ck", "k"), ("c", "k"), ("z", "s"), ("y", "i")):
        word = word.replace(spelling, plain)
    return re.sub(r"(.)\1+", r"\1", re.sub(r"[aeiouh]+", "a", word))


VOWELS = set("aeiouy")
# Spellings of another country are not errors.
REGIONAL = (("is", "iz"), ("ys", "yz"), ("our", "or"), ("ll", "l"), ("l", "ll"), ("re", "er"),
            ("ogue", "og"), ("ce", "se"), ("ae", "e"), ("oe", "e"), ("ement", "ment"))  # fmt: skip


def is_regional(right, wrong):
    """Whether the two differ as British and American spellings do."""
    return any(wrong.replace(a, b) == right or right.replace(a, b) == wrong for a, b in REGIONAL)


def misspellings(path, typos, common, known):
    """Return misspellings of common words, weighted by how often writers make such slips."""
    listed = defaultdict(set)
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            wrong, *rights = line.strip().split(",")
            if len(rights) == 1:
                listed[rights[0]].add(wrong)
    seen = Counter()
    for (right, wrong), count in typos.items():
        if right in common and wrong.isascii() and wrong.isalpha():
            seen[slip(right, wrong)] += count
            listed[right].add(wrong)
    there = Counter(slip(right, wrong) for right, wrongs in listed.items() for wrong in wrongs)
    found = defaultdict(dict)
    for right, wrongs in listed.items():
        if right not in common:
            continue
        for wrong in sorted(wrongs):
            kind = slip(right, wrong)
            if not (wrong.isascii() and wrong.isalpha()) or kind is None or known(wrong):
                continue
            if is_regional(right, wrong) or wrong[0] != right[0]:
                continue
            weight = seen[kind] / sum(seen.values()) / (there[kind] / there.total())
            found[right][wrong] = weight + 5 * typos[right, wrong]
    return found, {kind: n for kind, n in seen.most_common() if kind}


def rewrite_rules(found):
    """Count which letters replace which others, and between which neighbours."""
    counts, seen = Counter(), Counter()
    for right, wrongs in found.items():
        framed = f"^{right}$"
        for size in (0, 1, 2):
            for i in range(1, len(framed) - size):
                seen[framed[i - 1 : i + size + 1], size] += 1
        for wrong, weight in wrongs.items():
            other = f"^{wrong}$"
            i = next(k for k in range(len(framed)) if framed[k] != other[k : k + 1])
            old, new = framed[i:], other[i:]
            while old and new and old[-1] == new[-1]:
                old, new = old[:-1], new[:-1]
            if max(len(old), len(new)) <= 2:
                # An extra letter is mostly a random typing slip.
                share = 0.4 if not old and new not in framed[i - 1 : i + 1] else 1.0
                counts[framed[i - 1 : i + len(old) + 1], len(old), new] += share * min(weight, 5)
    for (frame, size, new), count in sorted(counts.items()):
        # A rare frame has too few counts.
        if count >= 4:
            rate = count / (seen[frame, size] + 30)
            yield frame[0], frame[1 : 1 + size], frame[1 + size], new, rate


SUFFIXES = (
    "ent ence|ant ance|ent ently|ant antly| ly|y ily|le ly|al ally|ic ical|ic ically| ment"
    "| ness|y iness|te tion|e ion| ion|e ation|ate ative| able|e able|able ably| ful|y iful"
    "| less|ous ously| ity|e ity|able ability|ible ibility|ive ively|ial ially|ful fully|ce tial"
    "|th thy| er|e er|t ce|fy fication| al|e al|y ical| ing|e ing| ed|e ed"
)


UNWANTED = {
    "erection",
    "erect",
    "seminal",
    "organ",
    "statement",
    "department",
    "apartment",
    "placement",
}


def families(words, common):
    """Return common words that have the same root and different endings."""
    found = defaultdict(set)
    for pair in SUFFIXES.split("|"):
        first, second = pair.split(" ")
        if second in ("ing", "ed", "er", "al", "able"):
            continue
        for word in common:
            if not word.endswith(first):
                continue
            other = word[: len(word) - len(first)] + second
            if (
                len(word) < 5
                or word in CLASSES
                or len(word) - len(first) < 3
                or other not in common
                or {word, other} & UNWANTED
            ):
                continue
            classes = {reading.tag for reading in words(word)}
            if second == "ly" and "J" not in classes:
                continue
            if classes and words(other):
                found[word].add(other)
                found[other].add(word)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=20_000, help="how many words get misspellings")
    args = parser.parse_args()
    operations, words, typos, frequency = count_edits(unpacked("permissive-pairs"))
    shares = {
        "source": "tools/error_tables.py; learners: rounded from Bryant et al. 2019 "
        "(BEA-2019); documents: counted from the corrections that learned.tsv names",
        "counted": {f"{op} {kind}": n for (kind, op), n in sorted(operations.items())},
        "kinds": kind_shares(operations),
    }
    write("kinds.json", json.dumps(shares, indent=1, ensure_ascii=False) + "\n")
    rows = ["\t".join(row) + "\n" for row in learned_rows(words, frequency)]
    head = (
        "# kind, right, wrong, weight, classes of the word before, of the one after; ∅: nothing.\n"
    )
    write("learned.tsv", CREDIT + head + "".join(rows))
    common = common_words(unpacked("permissive-clean-text"), args.words)
    path = unpacked("permissive-wordlists") / "typo-lists/words.csv"
    tables = load_language("en").word_tables
    found, slips = misspellings(
        path, typos, common, lambda w: w in common or w in CLASSES or bool(tables.readings(w))
    )
    lines = []
    for word in sorted(found):
        chosen = sorted(found[word], key=lambda wrong: -found[word][wrong])[:5]
        if chosen:
            lines.append(f"{word}\t{' '.join(chosen)}\n")
    write("misspellings.tsv", LIST_CREDIT + "".join(lines))
    rules = [f"{a}\t{b}\t{c}\t{d}\t{rate:.3g}\n" for a, b, c, d, rate in rewrite_rules(found)]
    head = "# letter before, right letters, letter after, wrong letters, rate; ^ and $: the ends.\n"
    write("letters.tsv", LIST_CREDIT + head + "".join(rules))
    related = families(load_language("en").word_tables.readings, common)
    lines = [f"{word}\t{' '.join(sorted(related[word]))}\n" for word in sorted(related)]
    head = "# Made by tools/error_tables.py from words that are common in OpenStax textbooks\n"
    head += "# (CC BY 4.0) and Common Voice (CC0): a word, and others with the same root.\n"
    write("families.tsv", head + "".join(lines))
    calibrate(shares, sample(unpacked("permissive-clean-text"), 12_000))
    print(json.dumps(slips))
    print(json.dumps({p.name: p.stat().st_size for p in sorted(Path(TABLES).iterdir())}))


def calibrate(shares, sentences):
    """Draw kinds that rarely fit a sentence more often, until the target shares are reached."""
    kinds = shares["kinds"]
    for item in kinds.values():
        item["draw"] = item["share"]
    for _ in range(4):
        write("kinds.json", json.dumps(shares, indent=1, ensure_ascii=False) + "\n")
        load_tables.cache_clear()
        writer = ErrorWriter()
        made = Counter()
        for number, sentence in enumerate(sentences):
            made.update(kind for _, kind in writer.write(sentence, Random(number)).errors)
        for kind, item in kinds.items():
            ratio = item["share"] / max(made[kind] / made.total(), 1e-4)
            item["draw"] *= min(max(ratio, 0.5), 2.0)
        whole = sum(item["draw"] for item in kinds.values())
        for item in kinds.values():
            item["draw"] = round(item["draw"] / whole, 4)
    write("kinds.json", json.dumps(shares, indent=1, ensure_ascii=False) + "\n")


def sample(clean, size):
    """Return sentences of all sources."""
    paths = sorted((clean / "openstax").glob("*.sents.txt"))
    paths += clean / "common-voice/en.curated.txt", clean / "wikinews-en/wikinews.sents.txt"
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").split("\n")]
    text = CleanText(misspellings=frozenset())
    refused = Counter()
    return [
        sentence
        for line in lines[:: len(lines) // size]
        for sentence in text.sentences(line, refused)
    ]


def write(name, text):
    (TABLES / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
