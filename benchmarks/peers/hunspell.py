"""Hunspell, by its command: apt install hunspell and a dictionary, such as hunspell-de-de."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

from emendo.text.edits import Edit
from peers.suggestions import take_suggestions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DICTIONARIES = {"de": "de_DE", "ru": "ru_RU"}
_WORD = re.compile(r"[^\W\d_]+")


def connect(folder: Path, language: str) -> Callable[[list[str]], list[str]]:
    """Return Hunspell: every word that it does not know becomes its first suggestion."""
    dictionary = folder / DICTIONARIES[language]
    if not dictionary.with_suffix(".dic").is_file():
        raise SystemExit(f"no dictionary {dictionary}.dic: install it, or name its folder")

    def correct(texts: list[str]) -> list[str]:
        words = sorted({word for text in texts for word in _WORD.findall(text)})
        better = _suggestions(dictionary, words)
        return [
            take_suggestions(
                text,
                [
                    Edit(match.start(), match.end(), better[match[0]])
                    for match in _WORD.finditer(text)
                    if match[0] in better
                ],
            )
            for text in texts
        ]

    return correct


def _suggestions(dictionary: Path, words: list[str]) -> dict[str, str]:
    """Return the first suggestion for each word that is unknown and has one."""
    # One word in a line, after ^, so that none is a command. An answer ends with an empty line.
    lines = "".join(f"^{word}\n" for word in words)
    try:
        said = subprocess.run(
            ["hunspell", "-a", "-i", "utf-8", "-d", str(dictionary)],
            input=lines.encode(),
            capture_output=True,
            check=True,
        )
    except FileNotFoundError:
        raise SystemExit("Hunspell is not installed: apt install hunspell") from None
    _, _, answers = said.stdout.decode().partition("\n")
    found = {}
    for word, answer in zip(words, answers.split("\n\n"), strict=False):
        kind, _, rest = answer.partition(" ")
        if kind == "&":
            found[word] = rest.partition(": ")[2].partition(", ")[0].partition("\n")[0]
    return found
