"""How often the types of `emendo.text.edit_types` agree with ERRANT's.

    python benchmarks/edit_types.py

Every edit of BEA-dev, which has a type from ERRANT, becomes a span of characters in the tokens
joined by spaces, and gets one of our types. ERRANT has more types, and different ones:
`expected_type` maps each of them to one of ours. Prints precision and recall of each type and the
most frequent disagreements, then one JSON object on its last line. Edits a second are by CPU time;
`difflib_ratio` is the time in which difflib aligns the letters of the same edits, divided by the
time for their types. The rules were written with W&I's training set (--train measures on it), never
with BEA-dev.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from difflib import SequenceMatcher

import measure
from archives import unpacked
from emendo.languages import load_language
from emendo.text.edit_types import EDIT_TYPES, edit_type
from emendo.text.edits import Edit
from emendo.text.m2 import read_m2

DEV = "pillars-of-gec/data/evaluation_sets/bea-dev.m2"
TRAIN = "wi+locness/ABC.train.gold.bea19.m2"
ARTICLES = {"a", "an", "the"}
PRONOUN_DETERMINERS = {
    *("my", "your", "his", "her", "its", "our", "their", "whose", "this", "that", "these", "those"),
    *("which", "me", "you", "him", "us", "them", "mine", "yours", "hers", "ours", "theirs", "it"),
}
# Words that ERRANT's tagger calls prepositions and grammars call conjunctions.
SUBORDINATORS = {
    *("that", "if", "because", "although", "though", "whether", "unless", "while", "whereas", "so"),
}
INDEFINITES = {
    *("someone", "somebody", "something", "anyone", "anybody", "anything", "everyone", "everybody"),
    *("everything", "nobody", "nothing", "none"),
}
LETTERS = re.compile(r"[\W_]+")
SPACING = re.compile(r"[\s-]+")


def expected_type(errant_type: str, old: str, new: str, *, overrule: bool = True) -> str:
    """Return our type for an edit with a type from ERRANT.

    Where ERRANT's type is coarser than ours, the words of the edit decide:

    - ORTH is casing if only case differs, else spacing.
    - DET is article if a, an or the is on either side; pronoun if the others are possessives,
      demonstratives or which; else (some, every) a missing, extra or chosen word.
    - PREP and PART are preposition; TENSE, FORM and INFL of verbs tense; NUM and INFL of nouns
      number. NOUN:POSS is punctuation: what is repaired is the apostrophe.
    - The rest is a missing or an extra word or, if a word is replaced, word choice for NOUN, VERB,
      ADJ, ADV, CONJ, MORPH and for OTHER with one word on each side; other for longer OTHER.

    ERRANT's types depend on tokens and tags, and ours do not. So it is overruled here:

    - Words that are easily confused (`Language.confusables`) are confused words.
    - Same letters on both sides: white space and hyphens make spacing, marks punctuation
      (eco - friendly → ecofriendly is OTHER to ERRANT).
    - PREP of conjunctions (that, if, because) is a missing, extra or chosen word.
    - NOUN of someone, anything and similar words is pronoun.
    - CONTR is tense, unless it is about not: the other contractions are auxiliaries.
    """
    operation, _, kind = errant_type.partition(":")
    olds, news = old.lower().split(), new.lower().split()
    # As in ERRANT, a last word that stays, perhaps in another case, does not count.
    while olds and news and olds[-1] == news[-1] and len(olds) + len(news) > 2:
        olds, news = olds[:-1], news[:-1]
    words = {*olds, *news}
    plain = {"M": "missing word", "U": "extra word"}.get(operation, "word choice")
    if overrule:
        found = overruled_type(kind, old.lower(), new.lower(), words, plain)
        if found:
            return found
    match kind:
        case "ORTH":
            return "casing" if old.lower() == new.lower() else "spacing"
        case "DET":
            if words & ARTICLES:
                return "article"
            return "pronoun" if words & PRONOUN_DETERMINERS else plain
        case "OTHER":
            longer = plain == "word choice" and (len(olds) > 1 or len(news) > 1)
            return "other" if longer else plain
    return {
        "SPELL": "spelling",
        "PUNCT": "punctuation",
        "NOUN:POSS": "punctuation",
        "PREP": "preposition",
        "PART": "preposition",
        "PRON": "pronoun",
        "WO": "word order",
        "VERB:SVA": "agreement",
        "VERB:TENSE": "tense",
        "VERB:FORM": "tense",
        "VERB:INFL": "tense",
        "NOUN:NUM": "number",
        "NOUN:INFL": "number",
    }.get(kind, plain)


def overruled_type(kind, old, new, words, plain):
    """Return the type of an edit whose words overrule ERRANT's type, else None."""
    if load_language("en").are_confused(old, new):
        return "confused word"
    letters = LETTERS.sub("", old)
    if kind != "ORTH" and letters == LETTERS.sub("", new):
        same = letters and SPACING.sub("", old) == SPACING.sub("", new)
        return "spacing" if same else "punctuation"
    if kind in {"PREP", "PART"} and words <= SUBORDINATORS:
        return plain
    if kind == "NOUN" and words <= INDEFINITES:
        return "pronoun"
    if kind == "CONTR" and not words & {"n't", "not"}:
        return "tense"
    return None


def typed_edits(path):
    """Yield (text, edit, ERRANT's type) for every edit of an M2 file."""
    with path.open(encoding="utf-8") as lines:
        for sentence in read_m2(lines):
            text = " ".join(sentence.tokens)
            starts = [0]
            for token in sentence.tokens:
                starts.append(starts[-1] + len(token) + 1)
            for edit in sentence.edits:
                if edit.is_change:
                    new = " ".join(edit.corrections[0].split())
                    yield text, character_edit(text, starts, edit, new), edit.type


def character_edit(text, starts, edit, new):
    """Return a token edit as one of characters; insertions go before the white space."""
    start, end = starts[edit.start], max(starts[edit.end] - 1, 0)
    if edit.start == edit.end:
        start = end = max(start - 1, 0)
        new = f" {new}" if start else f"{new} "
    elif not new:
        start, end = (start - 1, end) if start else (0, min(end + 1, len(text)))
    return Edit(start, end, new)


def align_letters(text, edit):
    """Align an edit with the standard library, for comparison."""
    old = text[edit.start : edit.end]
    return SequenceMatcher(None, old, edit.replacement, autojunk=False).get_opcodes()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", action="store_true", help="measure on W&I's training set")
    parser.add_argument(
        "--show", nargs=2, metavar="TYPE", help="print edits of one type that got another"
    )
    options = parser.parse_args()
    path = unpacked("evaluation-only") / (TRAIN if options.train else DEV)
    edits = list(typed_edits(path))
    expected = [
        expected_type(kind, text[edit.start : edit.end], edit.replacement)
        for text, edit, kind in edits
    ]
    given = [edit_type(text, edit) for text, edit, _ in edits]
    times = measure.median_cpu_seconds(
        {
            "types": lambda: [edit_type(text, edit) for text, edit, _ in edits],
            "difflib": lambda: [align_letters(text, edit) for text, edit, _ in edits],
        },
        3,
    )
    pairs = Counter(zip(expected, given, strict=True))
    if options.show:
        for (text, edit, kind), *pair in zip(edits, expected, given, strict=True):
            if pair == options.show:
                before, after = text[max(0, edit.start - 25) : edit.start], text[edit.end :][:20]
                print(
                    f"{kind:13} {before}[{text[edit.start : edit.end]}→{edit.replacement}]{after}"
                )
    types = {}
    for name in EDIT_TYPES:
        right, gold = pairs[name, name], expected.count(name)
        found = given.count(name)
        types[name] = {
            "precision": round(100 * right / max(found, 1), 1),
            "recall": round(100 * right / max(gold, 1), 1),
            "edits": gold,
        }
        print(f"{name:13} {types[name]}")
    wrong = [(n, pair) for pair, n in pairs.most_common() if pair[0] != pair[1]]
    for n, (gold, found) in wrong[:15]:
        print(f"{n:6} {gold} taken for {found}")
    right = sum(n for (gold, found), n in pairs.items() if gold == found)
    by_errant = [
        expected_type(kind, text[edit.start : edit.end], edit.replacement, overrule=False)
        for text, edit, kind in edits
    ]
    right_by_errant = sum(map(str.__eq__, by_errant, given))
    print(
        json.dumps(
            {
                "accuracy": round(100 * right / len(edits), 2),
                # Without overruling ERRANT, and how often it is overruled.
                "accuracy_by_errant": round(100 * right_by_errant / len(edits), 2),
                "overruled": sum(map(str.__ne__, by_errant, expected)),
                "edits": len(edits),
                "edits_per_s": round(len(edits) / times["types"]),
                "difflib_ratio": round(times["difflib"] / times["types"], 3),
                "types": types,
            }
        )
    )


if __name__ == "__main__":
    main()
