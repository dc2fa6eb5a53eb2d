"""`emendo edit`: prints the corrected text, or the edits."""

import gc
import json
import os
import shutil
import sys
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from emendo.cli.input_files import check_files
from emendo.cli.model_options import LevelOption, ModelOption
from emendo.cli.progress import show_steps
from emendo.errors import RequestError
from emendo.files import replaced_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from emendo.inference import Editor
    from emendo.text import EditedText

# Texts with more characters take long enough to show progress.
_LONG = 20_000

Color = Literal["auto", "always", "never"]


def edit(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Text, Markdown, LaTeX or HTML by suffix; standard input if none or -."
        ),
    ] = None,
    model: ModelOption = None,
    level: LevelOption = None,
    diff: Annotated[bool, typer.Option("--diff", help="Print a unified diff.")] = False,
    word_diff: Annotated[
        bool, typer.Option("--word-diff", help="Print the text with its edits: [-was-]{+is+}.")
    ] = False,
    color: Annotated[
        Color, typer.Option(help="Colour diffs; auto colours them on a terminal.")
    ] = "auto",
    json_: Annotated[
        bool, typer.Option("--json", help="Print a JSON object with the edits of each file.")
    ] = False,
    m2: Annotated[
        bool, typer.Option("--m2", help="Print the sentences and their edits as M2.")
    ] = False,
    in_place: Annotated[
        bool,
        typer.Option(
            "--in-place",
            "-i",
            help="Change the files; the old content is kept as .orig, .orig2 and so on.",
        ),
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Print nothing; exit 1 if there is an edit to make.")
    ] = False,
    dictionary: Annotated[
        Path | None, typer.Option(help="A file of words that are never changed, one on each line.")
    ] = None,
    alternatives: Annotated[
        bool, typer.Option("--alternatives", help="With --json: also list other replacements.")
    ] = False,
) -> None:
    """Correct text.

    A model for another task, such as fusing sentences, does its own task instead.

    Text outside the edits stays the same, byte for byte, including bytes that are not UTF-8. Exit
    codes: 0 done, 1 --check found an edit, 2 an error.
    """
    if sum((diff, word_diff, json_, m2, in_place, check)) > 1:
        raise RequestError(
            "use only one of --diff, --word-diff, --json, --m2, --in-place and --check"
        )
    if alternatives and not json_:
        raise RequestError("--alternatives works only with --json")
    paths = files or [Path("-")]
    if in_place and Path("-") in paths:
        raise RequestError("--in-place needs files; it cannot change standard input")
    check_files(paths)
    with _loading():
        from emendo.cli.diffs import unified_diff, word_diff_of
        from emendo.inference.loading import load_editor
        from emendo.text.markup import markup_of
        from emendo.text.word_files import read_words

        words = read_words(dictionary) if dictionary else ()
        # On one thread larger batches are hardly faster, and 512 takes half as much memory again.
        editor = load_editor(model, level=level, alternatives=alternatives, batch_tokens=256)
    found = False
    for path in paths:
        text = _read(path)
        with show_steps(is_worth_it=len(text) >= _LONG) as on_step:
            (edited,) = editor.edit_many(
                [text],
                markup=markup_of(path),
                dictionary=words,
                on_progress=on_step and partial(on_step, f"{_short(path)}: sentences"),
            )
        found |= bool(edited.edits)
        if json_:
            figures = {"file": str(path), **_figures(edited, alternatives=alternatives)}
            _print(_printable(json.dumps(figures, ensure_ascii=False)) + "\n")
        elif m2:
            _print_m2(edited, editor)
        elif in_place:
            _write(path, edited)
        elif diff:
            _print(unified_diff(edited, str(path), is_coloured=_is_coloured(color)))
        elif word_diff:
            _print(word_diff_of(edited, is_coloured=_is_coloured(color)))
        elif not check:
            _print(edited.text)
    if check and found:
        raise typer.Exit(1)


@contextmanager
def _loading() -> "Iterator[None]":
    """Load without garbage collection, which takes a tenth of a short run."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


def _read(path: Path) -> str:
    if str(path) == "-" and sys.stdin.isatty():
        print("Type or paste text; end it with Ctrl-D on a new line.", file=sys.stderr)
    data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    # Bytes that are not UTF-8 become lone surrogates, which no edit may touch.
    return data.decode("utf-8", errors="surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", errors="surrogateescape")


def _print(text: str) -> None:
    """Write text to standard output, including bytes that are not UTF-8."""
    sys.stdout.flush()
    sys.stdout.buffer.write(_bytes(text))


def _is_coloured(color: Color) -> bool:
    if color == "auto":
        return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return color == "always"


def _write(path: Path, edited: "EditedText") -> None:
    """Replace a file atomically, and keep its old content beside it.

    Raises:
        RequestError: The file is read-only, or has changed since it was read.
    """
    if not edited.edits:
        return
    # Of a link, the file that it stands for is replaced.
    path = path.resolve()
    before = _bytes(edited.source)
    if not os.access(path, os.W_OK):
        raise RequestError(f"{path} is read-only and stays as it is")
    if path.read_bytes() != before:
        raise RequestError(
            f"{path} has changed since it was read, and stays as it is; run the command again"
        )
    shutil.copy2(path, _backup(path, before))
    with replaced_file(path) as partial:
        partial.write_bytes(_bytes(edited.text))
        shutil.copymode(path, partial)


def _backup(path: Path, content: bytes) -> Path:
    """Return the path for the old content of a file; it never replaces other content."""
    for number in count(1):
        backup = path.with_name(f"{path.name}.orig{number if number > 1 else ''}")
        if not backup.exists() or backup.read_bytes() == content:
            break
    return backup


def _print_m2(edited: "EditedText", editor: "Editor") -> None:
    from emendo.bundle.format import PASSAGE
    from emendo.text.document_m2 import m2_of_document

    for sentence in m2_of_document(
        edited, languages=editor.languages, by_paragraph=editor.unit == PASSAGE
    ):
        _print(sentence.format())


def _figures(edited: "EditedText", *, alternatives: bool) -> dict[str, Any]:
    return {
        "source": edited.source,
        "text": edited.text,
        "edits": [
            {
                "start": edit.start,
                "end": edit.end,
                "replacement": edit.replacement,
                "type": edit.type,
                "confidence": round(edit.confidence, 4),
                **({"alternatives": edit.alternatives} if alternatives else {}),
            }
            for edit in edited.edits
        ],
    }


def _printable(text: str) -> str:
    """Replace lone surrogates by U+FFFD one by one for JSON, so that positions stay."""
    from emendo.text.surrogates import SURROGATE

    return SURROGATE.sub("\ufffd", text)


def _short(path: Path, most: int = 32) -> str:
    """Return the end of a path, so that the counts fit on the line."""
    return text if len(text := str(path)) <= most else "…" + text[1 - most :]
