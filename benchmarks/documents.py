"""The time of a document without the network: split, protect, detect language, check again."""

from __future__ import annotations

import argparse
import json
import random
from typing import TYPE_CHECKING

import archives
from emendo import Editor
from emendo.text import EditedText, is_in, protected_spans, split_sentences
from measure import seconds

if TYPE_CHECKING:
    from emendo.inference.steps import Steps


class Silent:
    """An editor that finds nothing."""

    max_tokens = 512

    def __init__(self) -> None:
        self.sentences = 0

    def count_tokens(self, sentence: str) -> int:
        """Estimate the number of tokens."""
        return len(sentence) // 4 + 2

    def steps_at_levels(
        self, sentences: list[str], levels: list[object]
    ) -> Steps[list[list[EditedText]]]:
        """Count the sentences."""
        yield
        self.sentences += len(sentences)
        return [[EditedText(sentence) for sentence in sentences] for _ in levels]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    books = archives.unpacked("permissive-clean-text") / "openstax"
    paragraphs = (books / "world-history.paras.txt").read_text(encoding="utf-8").splitlines()
    megabyte = "\n\n".join(paragraphs)[:1_000_000]
    page = megabyte[:20_000]
    figures = {
        "split_s_per_mb": seconds(lambda: split_sentences(megabyte), repeats),
        "split_one_line_s": seconds(lambda: split_sentences(megabyte.replace("\n", " ")), repeats),
        "split_100k_blank_lines_s": seconds(lambda: split_sentences("\n" * 100_000), repeats),
        "protect_s_per_mb": seconds(lambda: protected_spans(megabyte), repeats),
        "protect_markdown_s_per_mb": seconds(
            lambda: protected_spans(megabyte, markdown=True), repeats
        ),
    }
    sentences = [megabyte[start:end] for start, end in split_sentences(megabyte)]
    judge = seconds(lambda: [is_in(sentence, ("en",)) for sentence in sentences], repeats)
    figures["gate_sentences_per_s"] = len(sentences) / judge
    editor = Silent()
    document = Editor(editor)
    document.edit(page, markup="markdown")
    figures["page_sentences"] = editor.sentences
    editor.sentences = 0
    rng = random.Random(0)

    def type_a_letter() -> None:
        nonlocal page
        place = rng.randrange(len(page))
        page = page[:place] + "x" + page[place:]
        document.edit(page, markup="markdown")

    figures["recheck_page_s"] = seconds(type_a_letter, 10 * repeats)
    figures["recheck_sentences_run"] = editor.sentences / (10 * repeats)
    print(json.dumps({name: round(value, 4) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
