"""An editor of sentences whose every edit is known."""

import re

from emendo import Edit
from emendo.inference.alignment import Alignment, Link
from emendo.text import EditedText, edit_type
from tests.in_steps import InSteps

WRONG = {
    "cat": "dog",
    "likes": "like",
    "teh": "the",
    "an dog": "a dog",
    "very very": "very",
    "go store": "go to the store",
    "london": "London",
}


class Scribe(InSteps):
    """An editor of sentences that replaces some words, adds some, and drops some."""

    max_tokens = 200

    def __init__(self):
        self.seen = []
        self.before = lambda sentences: None
        self.on_batch = None

    def count_tokens(self, sentence):
        return len(sentence.split()) + 2

    def edit_sentences(self, sentences, level):
        self.before(sentences)
        self.seen.append(list(sentences))
        return [EditedText(sentence, tuple(self.edits(sentence))) for sentence in sentences]

    def align(self, sentence):
        """Keep everything, as surely as can be."""
        words = tuple(re.findall(r"\s*\S+", sentence))
        return Alignment(words, words, tuple(Link(k, k, True, 1.0) for k in range(len(words))))

    def edits(self, sentence):
        found = []
        for old, new in WRONG.items():
            for match in re.finditer(rf"\b{old}\b", sentence):
                start, end = match.span()
                if old == "go store":
                    found.append(Edit(start + 2, start + 2, " to the"))
                elif old == "very very":
                    found.append(Edit(start, start + 5, ""))
                elif old == "an dog":
                    found.append(Edit(start, start + 2, "a"))
                else:
                    found.append(Edit(start, end, new, 0.9))
        for edit in sorted(found, key=lambda edit: edit.start):
            yield Edit(
                edit.start,
                edit.end,
                edit.replacement,
                edit.confidence,
                edit_type(sentence, edit),
            )
