"""What a newcomer meets on the page."""

import threading
import time

import pytest

from tests.conftest import ROOT
from tests.serving.conftest import Process
from tests.serving.page.test_page import checked, marks, sent, value, wait_for_marks, write

SENTENCE = "Nobody was at home, and so we left teh letter for number {} of the long street."
ANY_MARK = "() => document.querySelectorAll('#mirror mark').length > 0"
# Notes every text that the panel shows in place of cards.
WATCH = """() => {
    const empty = document.getElementById("empty");
    window.notes = [];
    new MutationObserver(() => window.notes.push(empty.textContent)).observe(
        empty, { childList: true, subtree: true, characterData: true });
}"""


def long_text(place):
    """Return 20,000 characters that no other test has had read."""
    text = " ".join(SENTENCE.format(f"{k} {place}") for k in range(240))
    assert len(text) > 20_000
    return text


def write_long(page, live, text):
    """Write it, at a speed of the model at which all of it takes about five seconds."""
    live.author.before = lambda sentences: time.sleep(5 / 240 * len(sentences))
    write(page, text)
    page.wait_for_function(ANY_MARK)


def test_a_long_text_is_shown_sentence_by_sentence(page, live):
    text = long_text("in Bath")
    write_long(page, live, text)
    assert page.get_attribute("#state", "data-state") == "checking"
    assert sum(map(len, live.author.seen)) < 120
    live.author.before = lambda sentences: None
    checked(page)
    assert [mark for mark, _ in marks(page)] == ["teh"] * 240
    assert value(page) == text
    asked = [request.url.rpartition("/v1/")[2] for request in page.asked]
    assert [path for path in asked if path.startswith("edit")] == ["edit/stream"]


@pytest.mark.bar
def test_first_edits_of_a_long_text_are_there_within_two_seconds(page, live):
    started = time.monotonic()
    write_long(page, live, long_text("in York"))
    assert time.monotonic() - started < 2


@pytest.mark.quiet
def test_the_shipped_model_shows_its_first_edits_within_two_seconds(visit, tmp_path):
    server = Process(ROOT / "models/emendo-en/src/emendo_en/bundle", log=tmp_path / "log")
    try:
        page = visit(server.url)
        started = time.monotonic()
        write(page, long_text("in Hull"))
        page.wait_for_function(ANY_MARK)
        taken = time.monotonic() - started
        assert page.get_attribute("#state", "data-state") == "checking"
    finally:
        server.stop()
    print(f"first edits after {taken:.2f} s")
    assert taken < 2


def test_paragraphs_come_one_after_the_other(page, live):
    paragraphs = [
        " ".join(SENTENCE.format(f"{9 * block + k} in Rome") for k in range(9))
        for block in range(12)
    ]
    gate = threading.Event()
    batches = []

    def wait(sentences):
        """Do the first batch at once, and the others when the gate opens."""
        if "in Rome" in sentences[0]:
            batches.append(sentences)
            assert len(batches) == 1 or gate.wait(60)

    live.author.before = wait
    write(page, "\n\n".join(paragraphs))
    page.wait_for_function(ANY_MARK)
    try:
        # The whole batch: a card that is drawn again during a click does not get it.
        deadline = time.monotonic() + 20
        while len(marks(page)) < len(batches[0]) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert page.get_attribute("#state", "data-state") == "checking"
        # Whoever accepts what is there does not lose what is to come.
        page.click("#cards li:nth-child(1) .row")
        page.click("#cards .accept")
        assert value(page).startswith("Nobody was at home, and so we left the letter")
    finally:
        gate.set()
    checked(page)
    assert len(marks(page)) == 9 * 12 - 1


def test_a_stream_that_breaks_is_asked_for_again(page, live):
    failures = iter([True])

    def fail_once(sentences):
        if "number 90 " in "".join(sentences) and next(failures, False):
            raise RuntimeError("no network")

    live.author.before = fail_once
    write(page, " ".join(SENTENCE.format(f"{k} in Oslo") for k in range(100)))
    checked(page)
    assert len(marks(page)) == 100


def test_short_texts_are_asked_for_as_before(page):
    write(page, "This is teh dog. I goes home.")
    wait_for_marks(page, "teh", "goes")
    assert sent(page) == [["This is teh dog. I goes home."]]


def test_no_other_language_is_suspected_while_a_text_is_pasted(page):
    write(page, "This is a dog, and he was not at home today.")
    page.wait_for_selector("text=Nothing to correct")
    page.evaluate(WATCH)
    write(page, "We have another text here, and nothing is wrong with it.")
    page.wait_for_timeout(50)
    checked(page)
    page.wait_for_selector("text=Nothing to correct")
    assert not [note for note in page.evaluate("window.notes") if "language" in note]


def test_the_replacement_is_never_cut(visit, live):
    for width in (320, 390, 1000, 1280):
        page = visit(live.url, viewport={"width": width, "height": 800})
        write(
            page,
            "We made an extraordinarily complicated and entirely unnecessary plan, and I goes.",
        )
        page.wait_for_function("() => document.querySelectorAll('#cards ins').length === 2")
        cut = page.evaluate(
            """() => [...document.querySelectorAll("#cards ins")].filter((ins) => {
                const [own, row] = [ins, ins.closest(".row")].map((each) => each.getBoundingClientRect());
                return own.right > row.right || own.left < row.left || ins.scrollWidth > ins.clientWidth + 1;
            }).map((ins) => ins.textContent)"""
        )
        assert cut == [], width
        assert page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )


def test_confused_words_have_their_own_type_and_reason(page):
    write(page, "Your late.")
    wait_for_marks(page, "Your")
    page.click("#cards li:nth-child(1) .row")
    assert page.inner_text("#cards .type").lower() == "confused word"
    assert "is short for “you are”" in page.inner_text("#cards .message")
    # Both are words: there is nothing to add to a dictionary.
    assert page.locator("text=Add to dictionary").count() == 0


def test_the_slider_of_a_phone_has_a_label(visit, live):
    for width in (320, 390, 800):
        page = visit(
            live.url, viewport={"width": width, "height": 740}, is_mobile=True, has_touch=True
        )
        box = page.locator(".dial > span").bounding_box()
        assert box["width"] > 40, width
        assert page.locator("#threshold").bounding_box()["width"] > 30
        assert page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )


def test_the_alignment_button_says_what_it_does(page):
    assert page.inner_text("#align-button") == "Word by word"
    assert "keeps, writes and drops" in page.get_attribute("#align-button", "title")
