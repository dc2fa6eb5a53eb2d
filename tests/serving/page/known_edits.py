"""An editor that makes known edits, and a real server around it: what the page is tried on."""

import re
import threading
import time

import uvicorn

from emendo import Edit, Editor
from emendo.bundle import Level
from emendo.inference.alignment import Alignment, Link
from emendo.serving.app import create_app
from emendo.serving.protocol import Intake, bounded_protocol
from emendo.serving.settings import ServerSettings
from emendo.text import edit_type
from tests.serving.conftest import Scribe, free_port

# {old>new|other:confidence} between the words that it stands among.
CORRECTIONS = (
    "I {have visited>visited|had visited:.93} my",
    "near the {see>sea|lake:.97}",
    "She {live>has lived|lives|lived:.88} there",
    "there {since>for:.91} forty",
    "she {know>knows|knew:.95} every",
    "every {people>person|neighbour:.72} by",
    "we {go>went|would go|walked:.78} market",
    "go{> to the| to:.84} market",
    "bread{,>:.42} that",
    "{that>which:.63} was still",
    "me {an>a|the:.99} story",
    "very{ very>:.86} suprised",
    "{suprised>surprised|pleased:.99}",
    "in{> the| her:.81} village",
    "who {learned>learnt:.31} to",
    "can {visits>visit:.98} her",
    "{teh>the|tea:.98}",
    "{recieve>receive:.6}",
    "{london>London:.9}",
    "I {goes>go:.95}",
    "{Your>You're:.9} late",
    "an {extraordinarily complicated and entirely unnecessary>unusually convoluted and wholly needless:.9} plan",
)
LEVELS = {
    "precise": Level(edit_threshold=0.8),
    "balanced": Level(edit_threshold=0.5),
    "thorough": Level(),
}
_CORRECTION = re.compile(r"(.*)\{(.*)>(.*):(.*)\}(.*)")
_TOKEN = re.compile(r"\s*(?:[\w'’-]+|[^\w\s])")


def _rules():
    for entry in CORRECTIONS:
        before, old, new, confidence, after = _CORRECTION.fullmatch(entry).groups()
        pattern = re.compile(
            rf"(?<!\w){re.escape(before)}({re.escape(old)}){re.escape(after)}(?!\w)"
        )
        yield pattern, new.split("|"), float(confidence)


class Author(Scribe):
    """Makes the corrections above, as sure as they say, and draws what it did."""

    rules = tuple(_rules())

    def edit_sentences(self, sentences, level):
        return [level.filter(edited) for edited in super().edit_sentences(sentences, level)]

    def edits(self, sentence):
        found = [
            Edit(*match.span(1), new, confidence, alternatives=tuple(others))
            for pattern, (new, *others), confidence in self.rules
            for match in pattern.finditer(sentence)
        ]
        for edit in sorted(found, key=lambda edit: (edit.start, edit.end)):
            yield Edit(
                edit.start,
                edit.end,
                edit.replacement,
                edit.confidence,
                edit_type(sentence, edit),
                edit.alternatives,
            )

    def align(self, sentence):
        source, output, links = [], [], []
        edits = list(self.edits(sentence))

        def write(text, is_kept, probability):
            links.append(Link(len(source) - 1, len(output), is_kept, probability))
            output.append(text)

        for number, match in enumerate(_TOKEN.finditer(sentence)):
            source.append(match.group())
            start, end = (
                match.start() + len(match.group()) - len(match.group().lstrip()),
                match.end(),
            )
            over = [edit for edit in edits if edit.start < end and edit.end > start]
            if not over:
                write(match.group(), True, 0.99 - 0.37 * (number % 7 == 3) - 0.02 * (number % 5))
            for edit in over:
                if edit.start >= match.start():
                    for token in _TOKEN.findall(edit.replacement):
                        write(" " + token.strip(), False, edit.confidence)
            for edit in edits:
                if edit.start == edit.end == end:
                    for token in _TOKEN.findall(edit.replacement):
                        write(token, False, edit.confidence)
        return Alignment(tuple(source), tuple(output), tuple(links))


class Live:
    """A real server in a thread, which can go away and come back at the same address."""

    def __init__(self, **settings):
        self.author = Author()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._settings = ServerSettings(port=self.port, **settings)
        self.start()

    def start(self):
        editor = Editor(self.author, levels=LEVELS)
        config = uvicorn.Config(
            create_app(editor, self._settings),
            host="127.0.0.1",
            port=self.port,
            log_config=None,
            http=bounded_protocol(Intake(self._settings, self._settings.max_connections)),
            lifespan="on",
            ws="none",
            timeout_graceful_shutdown=2,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        deadline = time.monotonic() + 30
        while not self._server.started:
            assert self._thread.is_alive(), "the server did not start"
            assert time.monotonic() < deadline, "the server does not start"
            time.sleep(0.01)

    def stop(self):
        self._server.should_exit = True
        self._thread.join(30)
        assert not self._thread.is_alive()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._thread.is_alive():
            self.stop()
