"""The English words of `emendo.languages.en`, counted from free text.

    python tools/word_list.py > src/emendo/languages/en/words.txt

Words and their classes are counted in AMALGUM (its academic, news, interview and fiction parts) and
MASC, and their frequency in OpenStax's books and Common Voice's sentences. Misspellings in the list
of the typos project are left out, and so are regular forms of words that are in the list.
Needs `permissive-parsed-text`, `permissive-clean-text` and `permissive-wordlists`.
"""

from __future__ import annotations

import argparse
import gzip
import math
import re
import sys
import zipfile
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from archives import unpacked
from emendo.languages.en.words import CLASSES as CLOSED
from emendo.languages.en.words import IRREGULAR, Words, bases
from emendo.languages.word_tables import TAGS, WordTables

CLASSES = {
    "NN": "N", "NNS": "S", "VB": "V", "VBP": "V", "VBZ": "Z", "VBD": "D", "VBN": "P", "VBG": "G",
    "JJ": "J", "RB": "R", "JJR": "C", "JJS": "C", "RBR": "C", "RBS": "C",
}  # fmt: skip
GENRES = ("academic", "news", "interview", "fiction")
WORD = re.compile(r"\b[a-zé]{2,24}\b")
HEAD = """\
# English words by class, for emendo.languages.en.words; made by tools/word_list.py.
# Counted from AMALGUM (annotations CC BY 4.0; academic texts CC BY 4.0, news and interviews from
# Wikinews CC BY 2.5, fiction in the public domain; https://github.com/gucorpling/amalgum), MASC
# (open, any use; https://anc.org), OpenStax textbooks (CC BY 4.0, https://openstax.org) and Common
# Voice sentences (CC0), less the misspellings in https://github.com/crate-ci/typos (MIT or
# Apache-2.0). "<" and ">": log-odds, in tenths, of the tags after and before a
# class of word. "=": the classes of the words below, the most frequent first.
"""


def count_tags(parsed):
    """Count each word's classes in the tagged texts."""
    tags = defaultdict(Counter)
    for genre in GENRES:
        with gzip.open(parsed / f"amalgum/{genre}.conllu.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                fields = line.split("\t")
                if len(fields) > 4:
                    tags[fields[1].lower()][CLASSES.get(fields[4], "-")] += 1
    with zipfile.ZipFile(parsed / "nltk/masc_tagged.zip") as archive:
        for name in archive.namelist():
            if name.endswith(".txt") and "categories" not in name:
                for token in archive.read(name).decode("utf-8", "replace").split():
                    word, _, tag = token.rpartition("_")
                    tags[word.lower()][CLASSES.get(tag, "-")] += 1
    return tags


def count_words(clean):
    """Count how often each word occurs in plain text; everyday sentences weigh more."""
    counts = Counter()
    for path in sorted(clean.glob("openstax/*.sents.txt")):
        counts.update(WORD.findall(path.read_text(encoding="utf-8")))
    everyday = WORD.findall((clean / "common-voice/en.curated.txt").read_text(encoding="utf-8"))
    counts.update({word: 8 * n for word, n in Counter(everyday).items()})
    return counts


def read_misspellings(lists):
    """Return common misspellings, which also occur in edited text."""
    with (lists / "typo-lists/words.csv").open(encoding="utf-8") as lines:
        return {line.split(",")[0] for line in lines}


def choose_classes(tags, counts, misspellings):
    """Return the classes of each word, without probable errors of the tagger."""
    chosen = {}
    for word, own in tags.items():
        total = sum(own.values())
        # Short ones are often abbreviations, variable names, or words of other languages.
        enough = {2: 200, 3: 40}.get(len(word), 1)
        if WORD.fullmatch(word) and counts[word] >= enough and word not in misspellings:
            floor = 2 if total > 1 and counts[word] < 40 else 1
            kept = [t for t, n in own.most_common() if t != "-" and n >= max(floor, 0.04 * total)]
            if kept:
                chosen[word] = kept
    return chosen


def add_bases(tags, classes, counts):
    """Add words of which only forms were tagged: "acorns" makes "acorn" a noun."""
    for word in [word for word in classes if word not in IRREGULAR]:
        for tag in {tag for tag in classes[word] if tag in "SZDPG" and tags[word][tag] >= 3}:
            options = [(base, need) for base, form, need in bases(word) if form == tag]
            if any(need in classes.get(base, ()) or base in CLOSED for base, need in options):
                continue
            base, need = max(options, key=lambda option: counts[option[0]], default=("", ""))
            if counts[base] and base not in IRREGULAR:
                classes.setdefault(base, []).append(need)


def drop_regular(tags, classes):
    """Leave out forms whose classes follow from another word's."""
    entries = {}
    for word, own in classes.items():
        listed = {tag for _, tag in IRREGULAR.get(word, ())}
        derived = {tag for base, tag, need in bases(word) if need in classes.get(base, "")}
        derived |= listed
        if word not in IRREGULAR and (own[0] in derived or (derived and own[0] in "SZDPGC")):
            continue
        kept = [tag for tag in own if tag in "NVJRS" and tag not in derived]
        if not kept:
            continue
        # A noun's plural and a verb's -s count for the word itself.
        weight = {tag: tags[word][tag] for tag in kept}
        entries[word] = "".join(sorted(kept, key=weight.__getitem__, reverse=True))
    return entries


def count_contexts(parsed, tables):
    """Return lines of log-odds, in tenths: of a tag after (<) and before (>) a class of word."""
    seen = {"<": defaultdict(Counter), ">": defaultdict(Counter)}
    totals = Counter()
    for genre in GENRES:
        with gzip.open(parsed / f"amalgum/{genre}.conllu.gz", "rt", encoding="utf-8") as lines:
            before = ("^", None)
            for line in lines:
                fields = line.split("\t")
                if len(fields) < 5 or not fields[0].isdigit():
                    if not line.strip():
                        before = ("^", None)
                    continue
                word = fields[1].lower()
                letter = tables.word_class(word) if word[0].isalpha() or word[0] == "'" else ","
                tag = None if letter.islower() else CLASSES.get(fields[4])
                if tag:
                    totals[tag] += 1
                    seen["<"][before[0]][tag] += 1
                if before[1]:
                    seen[">"][letter][before[1]] += 1
                before = (letter, tag)
    everything = sum(totals.values())
    for side, letters in seen.items():
        for letter, counts in sorted(letters.items()):
            total = sum(counts.values()) + 20
            odds = [
                math.log((counts[t] + 20 * totals[t] / everything) / total * everything / totals[t])
                for t in TAGS
            ]
            yield f"{side}{letter} " + " ".join(str(round(10 * value)) for value in odds)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parsed", type=Path, help="unpacked permissive-parsed-text")
    parser.add_argument("--clean", type=Path, help="unpacked permissive-clean-text")
    parser.add_argument("--lists", type=Path, help="unpacked permissive-wordlists")
    parser.add_argument("--words", type=int, default=16300)
    options = parser.parse_args()
    parsed = options.parsed or unpacked("permissive-parsed-text")
    lists = options.lists or unpacked("permissive-wordlists")
    tags = count_tags(parsed)
    counts = count_words(options.clean or unpacked("permissive-clean-text"))
    classes = choose_classes(tags, counts, read_misspellings(lists))
    add_bases(tags, classes, counts)
    entries = drop_regular(tags, classes)
    common = {word: counts[word] + 2 * sum(tags[word].values()) for word in entries if counts[word]}
    best = sorted(sorted(common, key=common.__getitem__, reverse=True)[: options.words])
    groups = defaultdict(list)
    for word in best:
        groups[entries[word]].append(word)
    lines = [line for group in sorted(groups) for line in (f"={group}", *groups[group])]
    tables = WordTables(CLOSED, Words(lines).read)
    sys.stdout.write(HEAD + "\n".join([*count_contexts(parsed, tables), *lines, ""]))


if __name__ == "__main__":
    main()
