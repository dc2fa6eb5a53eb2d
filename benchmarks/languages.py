"""How often `auto` gives a paragraph to the right model, and the memory of a server with three.

    python benchmarks/languages.py [--paragraphs 300] [--errors 5] [--model FOLDER...]

One third each of the paragraphs is English, German and Russian. Half of them are one to four
consecutive lines of corpora/written-* (test split, with the mistakes); the other half are one to
four consecutive sentences of Common Voice. `right_pct` is the share that the right editor reads if
all are in one text, in random order; `alone_right_pct` is the share if each is a text of its own.
`single_line_right_pct` is the latter for paragraphs of one line. `short_right_pct` is the same
for all lines of up to four words from the same sources, each a text of its own.

With --model, it also measures the memory of an idle server with the first model and with all of
them: `one_model_idle_mb`, `all_models_idle_mb`. A single bundle is copied for the other languages,
which shows the memory of three models of its size.

Prints one JSON object on its last line.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from archives import ROOT, unpacked
from emendo import Editor, Editors
from emendo.bundle.format import CONFIG
from emendo.data.inline_corpus import read_listing
from emendo.text.inline import parse_inline
from served import serving

if TYPE_CHECKING:
    from collections.abc import Sequence

LANGUAGES = ("en", "de", "ru")
SHORT = 4
LONGEST = 4


class Reader:
    """An editor of sentences that only reads."""

    max_tokens = 512

    def count_tokens(self, sentence: str) -> int:
        return len(sentence)


def written(code: str) -> list[list[str]]:
    """Return the lines of each file of a corpus' test split, as they were written."""
    files = read_listing(ROOT / f"corpora/written-{code}", "test")
    return [
        [parse_inline(line).source for line in file.path.read_text("utf-8").splitlines() if line]
        for file in files
    ]


def voices(code: str) -> list[str]:
    path = unpacked("permissive-clean-text") / f"common-voice/{code}.curated.txt"
    return [line.strip() for line in path.read_text("utf-8").splitlines() if line.strip()]


def drawn(files: Sequence[Sequence[str]], rng: random.Random) -> list[str]:
    """Return one to four lines in a row of one of the files."""
    lines = rng.choice(files)
    size = rng.randint(1, LONGEST)
    start = rng.randrange(max(1, len(lines) - size))
    return list(lines[start : start + size])


def paragraphs(count: int, rng: random.Random) -> list[tuple[str, list[str]]]:
    """Return languages and the lines of paragraphs, half of them written with mistakes."""
    found: list[tuple[str, list[str]]] = []
    for code in LANGUAGES:
        own, clean = written(code), [voices(code)]
        found += [
            (code, drawn(clean if k % 2 else own, rng)) for k in range(count // len(LANGUAGES))
        ]
    rng.shuffle(found)
    return found


def short_lines() -> list[tuple[str, str]]:
    return [
        (code, line)
        for code in LANGUAGES
        for line in (*(line for file in written(code) for line in file), *voices(code)[:5000])
        if len(line.split()) <= SHORT
    ]


def reads(editors: Editors, text: str) -> list[tuple[int, int, str]]:
    """Return start, end and language of the sentences of a text."""
    document = editors.read(text)
    return [(each.start, each.end, document.language(each)) for each in document.sentences]


def is_right(sentences: list[tuple[int, int, str]], code: str) -> bool:
    """Whether the right editor reads a paragraph, and no other does."""
    return {language for _, _, language in sentences} == {code}


def share(results: Sequence[bool]) -> float:
    return round(100 * sum(results) / len(results), 2) if results else 0.0


def choice(count: int, errors: int) -> dict[str, float]:
    """Return how often the choice is right."""
    editors = Editors([Editor(Reader(), languages=(code,)) for code in LANGUAGES])  # type: ignore[arg-type]
    lines = paragraphs(count, random.Random(0))
    found = [(code, " ".join(each)) for code, each in lines]
    whole = reads(editors, "\n\n".join(text for _, text in found))
    together, start = [], 0
    for code, text in found:
        own = [each for each in whole if start <= each[0] < start + len(text)]
        together.append(is_right(own, code))
        start += len(text) + 2
    alone = [is_right(reads(editors, text), code) for code, text in found]
    single = [ok for ok, (_, each) in zip(alone, lines, strict=True) if len(each) == 1]
    short = short_lines()
    shorts = [is_right(reads(editors, text), code) for code, text in short]
    for results, texts in ((together, found), (alone, found), (shorts, short)):
        wrong = [each for ok, each in zip(results, texts, strict=True) if not ok]
        for code, text in wrong[:errors]:
            print(code, text)
    return {
        "paragraphs": len(found),
        "right_pct": share(together),
        "alone_right_pct": share(alone),
        "single_line_right_pct": share(single),
        "short_lines": len(short),
        "short_right_pct": share(shorts),
    }


def memory(models: Sequence[Path]) -> dict[str, float]:
    """Return the memory of idle servers with the first model, and with all."""
    figures = {}
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        models = models if len(models) > 1 else copies(models[0], work)
        for kind, used in (("one_model", models[:1]), ("all_models", models)):
            more = [word for model in used[1:] for word in ("--model", model)]
            with serving(used[0], work, *more) as server:
                figures[f"{kind}_idle_mb"] = round(server.rss_mb(), 1)
    return figures


def copies(model: Path, work: Path) -> list[Path]:
    """Return a bundle as one for each language."""
    found = []
    for code in LANGUAGES:
        shutil.copytree(model, work / code)
        path = work / code / CONFIG
        content = json.loads(path.read_text(encoding="utf-8")) | {"languages": [code]}
        path.write_text(json.dumps(content), encoding="utf-8")
        found.append(work / code)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--paragraphs", type=int, default=300)
    parser.add_argument("--errors", type=int, default=0, help="print so many of each kind")
    parser.add_argument("--model", type=Path, nargs="*", default=[], help="bundles' folders")
    options = parser.parse_args()
    figures = choice(options.paragraphs, options.errors)
    if options.model:
        figures |= memory(options.model)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
