"""A language server over an editor whose every edit is known: `python -m tests.lsp.known_server`."""

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from emendo import Editor
from emendo.bundle import Level
from emendo.errors import BundleError
from emendo.lsp.server import create_server
from emendo.lsp.settings import Settings
from emendo.text import EditedText
from tests.scribe import Scribe


class Doubtful(Scribe):
    """Is not always sure, knows alternatives, and says what it was asked."""

    def edit_sentences(self, sentences, level):
        for sentence in sentences:
            if os.environ.get("SEEN"):
                with Path(os.environ["SEEN"]).open("a") as file:
                    file.write(sentence + "\n")
        return [
            EditedText(
                each.source, tuple(self.doubt(edit) for edit in each.edits if level.keep_bias <= 0)
            )
            for each in super().edit_sentences(sentences, level)
        ]

    def doubt(self, edit):
        known = {"dog": (0.7, ("hound",)), "London": (0.3, ())}
        confidence, others = known.get(edit.replacement, (0.95, ()))
        return replace(edit, confidence=confidence, alternatives=others)


def load(settings):
    if settings.models == ("broken",):
        raise BundleError("broken is no bundle: it has no bundle.json")
    time.sleep(float(os.environ.get("SLOW", "0")))
    return Editor(Doubtful(), levels={"balanced": Level(), "precise": Level(keep_bias=1.0)})


if __name__ == "__main__":
    create_server(load, Settings(Path(sys.argv[1]))).start_io()
