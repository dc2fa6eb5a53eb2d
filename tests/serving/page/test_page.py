"""The page in a real browser, over a real server whose every edit is known."""

import json
import threading

import httpx
import pytest

from emendo.serving.access import ApiKey
from tests.serving.conftest import KEY
from tests.serving.page.known_edits import Live

TEXT = "This is teh dog. I goes home."
NASTY = (
    '<img src=x onerror="window.hacked=1"> teh <script>window.hacked=1</script> '
    "&amp; {{7*7}} \u202eteh\u202c <b>teh</b> \ud800 'teh' \"><svg/onload=window.hacked=1>"
)
# As marks lie in the mirror: what each covers, and what it is.
MARKS = "marks => marks.map(mark => [mark.textContent, mark.dataset.family])"


def write(page, text):
    page.fill("#text", text)


def checked(page):
    """Wait until the server has said all it has to say of the text as it is."""
    page.wait_for_function(
        "() => document.getElementById('state').dataset.state === 'done'"
        " && document.getElementById('state-text').textContent === 'Checked'"
    )


def marks(page):
    return page.eval_on_selector_all("#mirror mark", MARKS)


def wait_for_marks(page, *texts):
    page.wait_for_function(
        "texts => JSON.stringify([...document.querySelectorAll('#mirror mark')]"
        ".map(mark => mark.textContent)) === JSON.stringify(texts)",
        arg=list(texts),
    )


def sent(page):
    """Return the texts of each request to edit."""
    return [
        json.loads(request.post_data)["texts"]
        for request in page.asked
        if request.url.endswith("/v1/edit")
    ]


def value(page):
    return page.input_value("#text")


def test_marks_appear_as_one_types(page):
    page.type("#text", TEXT)
    wait_for_marks(page, "teh", "goes")
    assert marks(page) == [["teh", "spelling"], ["goes", "grammar"]]
    assert page.inner_text("#panel-title") == "2 suggestions"
    assert page.locator("#cards li").count() == 2
    checked(page)
    assert page.inner_text("#live") == "2 suggestions"


def test_the_copy_breaks_lines_as_the_text_does(page):
    words = "we go market and I hope I can visits her in village, suprised 😀 and teh " * 9
    write(page, f"{words}\n\n{'x' * 300} teh\n  indented teh \n\ttab teh\n\n")
    page.wait_for_function("() => document.querySelectorAll('#mirror mark').length > 40")
    for width in (320, 390, 700, 1280):
        page.set_viewport_size({"width": width, "height": 300})
        mirror, area = page.evaluate(
            """() => {
                const [mirror, area] = [document.getElementById("mirror"), document.getElementById("text")];
                area.style.height = "0";
                const both = [mirror.getBoundingClientRect().height, area.scrollHeight];
                area.style.height = "";
                return both;
            }"""
        )
        assert mirror == pytest.approx(area, abs=1), width


def test_accept_undo_redo(page):
    write(page, TEXT)
    wait_for_marks(page, "teh", "goes")
    page.click("#cards li:nth-child(1) .row")
    assert "Possible spelling mistake" in page.inner_text("#cards .message")
    assert "98 % sure" in page.inner_text("#cards .kind")
    page.click("#cards .accept")
    assert value(page) == "This is the dog. I goes home."
    wait_for_marks(page, "goes")
    # The next one is open, and has the focus.
    assert page.evaluate("document.activeElement.classList.contains('accept')")
    page.keyboard.press("Enter")
    assert value(page) == "This is the dog. I go home."
    page.wait_for_selector("text=Nothing to correct")
    page.click("#undo-button")
    assert value(page) == "This is the dog. I goes home."
    page.click("#undo-button")
    assert value(page) == TEXT
    wait_for_marks(page, "teh", "goes")
    page.click("#redo-button")
    assert value(page) == "This is the dog. I goes home."
    wait_for_marks(page, "goes")
    page.click("#undo-button")
    wait_for_marks(page, "teh", "goes")
    page.click("#cards li:nth-child(1) .row")
    page.click("#cards .other >> text=tea")
    assert value(page) == "This is tea dog. I goes home."


def test_a_click_is_not_lost_when_suggestions_arrive(page, live):
    gate = threading.Event()
    write(page, "This is a cat.\n\nI goes home.")
    wait_for_marks(page, "goes")
    live.author.before = lambda sentences: gate.wait(20)
    write(page, "This is teh cat.\n\nI goes home.")
    row = page.locator("#cards .row").bounding_box()
    page.mouse.move(row["x"] + 40, row["y"] + row["height"] / 2)
    page.mouse.down()
    with page.expect_response("**/v1/edit"):
        gate.set()
    page.wait_for_timeout(100)
    page.mouse.up()
    assert page.inner_text("#cards .open ins") == "go"
    wait_for_marks(page, "teh", "goes")
    assert page.locator("#cards li").count() == 2
    assert page.inner_text("#cards .open ins") == "go"


def test_reject_and_restore(page):
    write(page, TEXT)
    wait_for_marks(page, "teh", "goes")
    page.click("#cards li:nth-child(1) .row")
    page.click("#cards >> text=Reject")
    wait_for_marks(page, "goes")
    # It stays rejected while other text changes, before it and behind.
    page.click("#cards .accept")
    page.evaluate("document.getElementById('text').setSelectionRange(0, 0)")
    page.type("#text", "Oh. ")
    page.wait_for_selector("text=Nothing to correct")
    checked(page)
    assert value(page) == "Oh. This is teh dog. I go home."
    page.click("text=Restore")
    wait_for_marks(page, "teh")


def test_all_at_once(page):
    write(page, TEXT)
    wait_for_marks(page, "teh", "goes")
    page.click("#reject-all")
    wait_for_marks(page)
    page.click("text=Restore")
    wait_for_marks(page, "teh", "goes")
    page.click("#accept-all")
    assert value(page) == "This is the dog. I go home."
    page.wait_for_selector("text=Nothing to correct")
    page.click("#undo-button")
    assert value(page) == TEXT, "one step back for all"


@pytest.mark.parametrize(
    ("button", "then"), [("accept-all", "undo-button"), ("reject-all", "text")]
)
def test_all_at_once_by_keyboard(page, button, then):
    write(page, TEXT)
    wait_for_marks(page, "teh", "goes")
    page.focus(f"#{button}")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Nothing to correct")
    assert page.evaluate("document.activeElement.id") == then


def test_accept_all_leaves_what_was_rejected(page):
    write(page, f"{TEXT} This is teh dog.")
    wait_for_marks(page, "teh", "goes", "teh")
    page.click("#cards li:nth-child(2) .row")
    page.click("#cards >> text=Reject")
    wait_for_marks(page, "teh", "teh")
    page.click("#accept-all")
    page.wait_for_selector("text=Nothing to correct")
    checked(page)
    assert value(page) == "This is the dog. I goes home. This is the dog."
    assert marks(page) == []
    assert "1 rejected" in page.inner_text("#chips")


def test_undo_where_only_the_focused_element_has_a_history(page):
    """As in Firefox."""
    page.evaluate("""() => {
        const asked = document.queryCommandEnabled.bind(document);
        document.queryCommandEnabled = name => document.activeElement.id === "text" && asked(name);
    }""")
    write(page, TEXT)
    wait_for_marks(page, "teh", "goes")
    page.click("#cards li:nth-child(1) .row")
    page.click("#cards .accept")
    checked(page)
    page.click("#undo-button")
    assert value(page) == TEXT


def test_insertions_and_deletions(page):
    write(page, "Every morning we go market. I was very very suprised.")
    wait_for_marks(page, "go", "", " very", "suprised")
    page.click("#accept-all")
    assert value(page) == "Every morning we went to the market. I was very surprised."


def test_the_dial(page):
    text = "I recieve it, that was still teh one who learned to go."
    write(page, text)
    wait_for_marks(page, "recieve", "that", "teh")
    before = len(sent(page))
    strengths = page.eval_on_selector_all("#mirror mark", "all => all.map(m => m.dataset.strength)")
    assert strengths == ["2", "2", "4"]
    # The threshold is at once, and asks nobody.
    page.evaluate(
        """() => {
            const dial = document.getElementById("threshold");
            dial.value = 90;
            dial.dispatchEvent(new Event("input"));
        }"""
    )
    assert [text for text, _ in marks(page)] == ["teh"]
    assert "2 hidden by confidence" in page.inner_text("#chips")
    assert len(sent(page)) == before
    page.click("text=Show")
    assert len(marks(page)) == 3
    page.check("input[value=precise]", force=True)
    wait_for_marks(page, "teh")
    page.check("input[value=thorough]", force=True)
    wait_for_marks(page, "recieve", "that", "teh", "learned")
    asked = len(sent(page))
    page.check("input[value=precise]", force=True)
    wait_for_marks(page, "teh")
    assert len(sent(page)) == asked, "remembered"
    page.reload()
    wait_for_marks(page, "teh")
    assert page.is_checked("input[value=precise]")
    assert value(page) == text


def test_only_what_changed_is_sent(page):
    sentence = "Nobody was at home, and so we left a letter on number {} of the long street."
    paragraphs = [" ".join(sentence.format(10 * block + k) for k in range(9)) for block in range(4)]
    write(page, "\n\n".join(paragraphs))
    checked(page)
    assert sent(page) == [paragraphs]
    page.asked.clear()
    place = len("\n\n".join(paragraphs[:2])) + 2 + paragraphs[2].index("number 24")
    page.evaluate("place => document.getElementById('text').setSelectionRange(place, place)", place)
    page.type("#text", "teh ")
    wait_for_marks(page, "teh")
    (last,) = sent(page)[-1]
    assert "teh number 24" in last
    # Of the other paragraphs nothing, and of its own the sentences beside it.
    assert [k for k in range(40) if f"number {k} " in last] == [23, 24, 25]
    assert all(len(texts) == 1 and len(texts[0]) < 500 for texts in sent(page))
    page.asked.clear()
    page.keyboard.press("Control+Enter")
    checked(page)
    page.wait_for_timeout(300)
    assert sum(len(text) for texts in sent(page) for text in texts) < 500


def test_what_is_found_bit_by_bit_is_what_is_found_at_once(page):
    """Change a text at random, check what the draft wants checked, compare with all of it."""
    outcome = page.evaluate(
        """async () => {
            const { Draft } = await import("./page/draft.js");
            // A server of which every sentence's edits depend on that sentence alone.
            const check = (text) => {
                const [edits, sentences] = [[], []];
                for (const match of text.matchAll(/[^.!?\\n]+[.!?]*/g)) {
                    const start = match.index + match[0].length - match[0].trimStart().length;
                    const end = start + match[0].trim().length;
                    if (start === end) continue;
                    sentences.push({ start, end });
                    for (const word of match[0].matchAll(/teh/g)) {
                        const at = match.index + word.index;
                        edits.push({ start: at, end: at + 3, replacement: "the" });
                    }
                    if (match[0].includes("go")) {
                        edits.push({ start: end, end, replacement: " on" });
                    }
                }
                return { edits, sentences };
            };
            let seed = 1;
            const draw = (most) => (seed = (seed * 48271) % 2147483647) % most;
            const pieces = ["teh ", "go", ". ", "\\n\\n", "\\n", "! ", " 😀 ", "a long tail of words ", "x", "", " "];
            const view = (edits) =>
                edits.map((edit) => `${edit.start} ${edit.end} ${edit.replacement}`).sort().join("; ");
            const draft = new Draft();
            let [text, most, sum, changes] = ["", 0, 0, 20000];
            for (let k = 0; k < changes; k += 1) {
                const at = draw(text.length + 1);
                // Now and then much goes, so that the text does not grow for ever.
                const gone = draw(40) ? draw(6) : draw(400);
                text = text.slice(0, at) + pieces[draw(pieces.length)] + text.slice(at + gone);
                draft.change(text);
                if (draw(3) === 0) continue;
                for (const chunk of draft.chunks()) {
                    if (chunk.text !== text.slice(chunk.start, chunk.end)) return "a chunk is not in the text";
                    sum += chunk.text.length;
                    draft.settle(chunk, check(chunk.text));
                }
                if (draft.chunks().length) return "something is left to check";
                most = Math.max(most, text.length);
                const whole = check(text);
                if (view(draft.edits) !== view(whole.edits)) {
                    return `after ${k} changes: ${view(draft.edits)} is not ${view(whole.edits)} in ${text}`;
                }
            }
            return [most, sum / changes];
        }"""
    )
    assert not isinstance(outcome, str), outcome
    longest, average = outcome
    assert longest > 500
    assert average < longest / 3


def test_marks_stay_where_they_are_while_one_types(page, live):
    write(page, "This is teh dog.\n\nI goes home.")
    wait_for_marks(page, "teh", "goes")
    checked(page)
    gate = threading.Event()
    live.author.before = lambda sentences: gate.wait(10)
    page.evaluate("document.getElementById('text').setSelectionRange(0, 0)")
    page.type("#text", "Well, it is new. ")
    # The server has not answered yet.
    assert [text for text, _ in marks(page)] == ["teh", "goes"]
    gate.set()
    checked(page)
    assert [text for text, _ in marks(page)] == ["teh", "goes"]


def test_an_answer_that_comes_too_late_is_not_shown(page, live):
    gate, entered = threading.Event(), threading.Event()

    def wait(sentences):
        entered.set()
        gate.wait(10)

    live.author.before = wait
    write(page, "This is the slow teh.")
    assert entered.wait(10)
    write(page, "I goes home.")
    page.wait_for_timeout(250)
    gate.set()
    wait_for_marks(page, "goes")
    checked(page)
    assert [text for text, _ in marks(page)] == ["goes"]


def test_emoji_before_an_error(page):
    write(page, "😀👩‍👩‍👧 This is teh dog 😀. 😀 I goes home.")
    wait_for_marks(page, "teh", "goes")
    page.click("#accept-all")
    assert value(page) == "😀👩‍👩‍👧 This is the dog 😀. 😀 I go home."


def test_nasty_text_is_text(page):
    page.evaluate(
        """text => {
            const area = document.getElementById("text");
            area.value = text;
            area.dispatchEvent(new Event("input"));
        }""",
        NASTY,
    )
    page.wait_for_function("() => document.querySelectorAll('#mirror mark').length >= 2")
    checked(page)
    page.click("#align-button")
    page.click("#cards li:nth-child(1) .row")
    page.wait_for_timeout(200)
    assert page.evaluate("window.hacked") is None
    assert page.locator("#mirror img, #mirror b, #cards img, #drawing script").count() == 0
    assert page.evaluate(
        "document.getElementById('mirror').textContent === document.getElementById('text').value"
    )


def test_a_click_on_a_mark_opens_its_card(page):
    write(page, TEXT)
    wait_for_marks(page, "teh", "goes")
    box = page.locator("#mirror mark").nth(1).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector("#mirror mark.near", state="attached")
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert "agree" in page.inner_text("#cards .open .message")
    assert page.locator("#mirror mark.active").inner_text() == "goes"
    page.keyboard.press("Escape")
    assert page.locator("#cards .open").count() == 0


def test_by_keyboard_alone(page):
    page.keyboard.type(TEXT)
    wait_for_marks(page, "teh", "goes")
    page.keyboard.press("Control+Home")
    page.keyboard.press("F8")
    assert "1 of 2. spelling: replace “teh” with “the”" in page.inner_text("#live")
    page.keyboard.press("F8")
    assert page.inner_text("#live").startswith("2 of 2.")
    page.keyboard.press("Shift+F8")
    page.keyboard.press("Control+Shift+Enter")
    assert page.inner_text("#live").startswith("Rejected. 1 left.")
    page.keyboard.press("Control+Enter")
    assert value(page) == "This is teh dog. I go home."
    assert page.evaluate("document.activeElement.id") == "text"
    page.keyboard.press("Control+z")
    assert value(page) == TEXT
    page.keyboard.press("Control+/")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("#help").is_hidden()


def test_a_word_for_the_dictionary(page):
    write(page, TEXT)
    wait_for_marks(page, "teh", "goes")
    page.click("#cards li:nth-child(1) .row")
    page.click("text=Add to dictionary")
    wait_for_marks(page, "goes")
    page.click("#help-button")
    page.click("[aria-label='Remove teh']")
    page.keyboard.press("Escape")
    wait_for_marks(page, "teh", "goes")


def test_copy(visit, live):
    page = visit(live.url, permissions=["clipboard-read", "clipboard-write"])
    write(page, TEXT)
    wait_for_marks(page, "teh", "goes")
    page.click("#accept-all")
    page.click("#copy-button")
    page.wait_for_selector("text=Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "This is the dog. I go home."


def test_the_alignment(page):
    write(page, TEXT)
    wait_for_marks(page, "teh", "goes")
    page.click("#align-button")
    page.wait_for_selector("#drawing svg")
    label = page.get_attribute("#drawing svg", "aria-label")
    assert (
        label.startswith("Source: This is teh dog. Output: This is the dog.") or "go home" in label
    )
    page.click("#cards li:nth-child(1) .row")
    page.wait_for_selector("#drawing svg[aria-label*='This is teh dog']")
    assert page.locator("#drawing path.kept").count() == 4
    assert page.locator("#drawing path.added").count() == 1
    kept = page.eval_on_selector_all(
        "#drawing path.kept", "all => all.map(each => Number(each.getAttribute('stroke-width')))"
    )
    assert max(kept) > min(kept) > 0.6, "a wider line is more certain"
    colours = page.evaluate(
        "['kept', 'added'].map(name => getComputedStyle(document.querySelector(`#drawing path.${name}`)).stroke)"
    )
    assert colours == ["rgb(26, 127, 55)", "rgb(176, 74, 0)"]


def test_the_example_and_an_empty_page(page):
    assert "appear here" in page.inner_text("#empty")
    page.click("#example-button")
    page.wait_for_function("() => document.querySelectorAll('#mirror mark').length === 14")
    page.click("#accept-all")
    page.wait_for_selector("text=Nothing to correct")
    assert "near the sea. She has lived there for forty years" in value(page)


def test_a_text_in_another_language(page):
    write(page, "Das ist ein Hund, und der ist heute nicht zu Hause gewesen.")
    page.wait_for_selector("text=This server checks English.")
    write(page, "This is a dog, and he was not at home today.")
    page.wait_for_selector("text=Nothing to correct")


def test_dark(visit, live):
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    page = visit(live.url, color_scheme="dark")
    dark = page.evaluate(ground)
    page.click("#theme-button")
    light = page.evaluate(ground)
    assert page.get_attribute("#theme-button", "aria-label") == "Theme: light"
    assert sum(map(int, dark[4:-1].split(","))) < 100
    assert sum(map(int, light[4:-1].split(","))) > 600
    page.reload()
    assert page.evaluate(ground) == light, "remembered"
    page.click("#theme-button")
    assert page.evaluate(ground) == dark


def test_a_phone(visit, live):
    page = visit(live.url, viewport={"width": 320, "height": 740}, is_mobile=True, has_touch=True)
    page.tap("#example-button")
    page.wait_for_function("() => document.querySelectorAll('#mirror mark').length === 14")
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) == 0
    page.evaluate("() => { document.getElementById('key-button').hidden = false; }")
    assert page.evaluate(wide) == 0, "where there is a key"
    page.tap("#align-button")
    page.wait_for_selector("#drawing svg")
    page.tap("#next-button")
    page.wait_for_selector("#panel.has-open")
    assert page.evaluate(wide) == 0
    box = page.locator("#panel").bounding_box()
    assert box["y"] + box["height"] == pytest.approx(740, abs=1), "comes up from below"
    assert page.locator("#cards li:visible").count() == 1
    page.tap("#cards .accept")
    assert "I visited my" in value(page)
    # The keyboard stays away from who taps buttons.
    assert page.evaluate("document.activeElement.id") != "text"
    page.tap("#close-button")
    assert page.locator("#cards li:visible").count() > 1


def test_a_server_that_goes_and_comes_back(visit):
    with Live() as live:
        page = visit(live.url)
        write(page, TEXT)
        wait_for_marks(page, "teh", "goes")
        live.stop()
        page.type("#text", " I goes on.")
        page.wait_for_selector("#banner:visible")
        assert "does not answer" in page.inner_text("#banner")
        assert page.inner_text("#state") == "No connection"
        assert [text for text, _ in marks(page)] == ["teh", "goes"], "what was known stays"
        live.start()
        # Even if it has come back by itself in the meantime.
        page.dispatch_event("#banner-button", "click")
        wait_for_marks(page, "teh", "goes", "goes")
        checked(page)
        assert page.locator("#banner").is_hidden()


def test_a_server_with_keys(visit):
    with Live(api_keys=(ApiKey.parse(KEY),)) as live:
        page = visit(live.url)
        page.wait_for_selector("#key-dialog:visible")
        # Who closes it can write, and is not asked at every letter.
        page.keyboard.press("Escape")
        page.type("#text", TEXT)
        page.wait_for_timeout(200)
        assert page.locator("#key-dialog").is_hidden()
        assert sent(page) == []
        page.click("text=Enter it")
        for key in (KEY + "\u200b", "a-key-that-is-wrong", KEY):
            page.fill("#key-field", key)
            page.click("#key-form >> text=Continue")
            if key != KEY:
                page.wait_for_selector("text=does not accept this key")
        page.wait_for_selector("#key-dialog", state="hidden")
        wait_for_marks(page, "teh", "goes")
        stored = "JSON.stringify([localStorage.getItem('emendo.key'), sessionStorage.getItem('emendo.key')])"
        assert json.loads(page.evaluate(stored)) == [None, KEY], "for this tab only"
        page.click("#key-button")
        page.fill("#key-field", KEY)
        page.check("#key-kept")
        page.click("#key-form >> text=Continue")
        page.wait_for_selector("#key-dialog", state="hidden")
        assert json.loads(page.evaluate(stored)) == [KEY, None]
        # A key that cannot be sent, as an earlier version could have stored it.
        page.evaluate("localStorage.setItem('emendo.key', 'a\u200b')")
        page.reload()
        page.click("#key-button")
        page.click("#key-forget")
        assert json.loads(page.evaluate(stored)) == [None, None]
        # Or in the address, as other clients have it.
        other = visit(live.url, path=f"/k/{KEY}/")
        write(other, TEXT)
        wait_for_marks(other, "teh", "goes")
        assert other.locator("#key-dialog").is_hidden()


def test_a_text_that_is_refused(visit):
    with Live(max_characters=50) as live:
        page = visit(live.url)
        write(
            page,
            "This is teh dog. " * 4 + "\n\nI goes.\n\nHere is teh other, which is not too long.",
        )
        page.wait_for_selector("text=a request may have at most 50 characters")
        wait_for_marks(page, "goes", "teh")
        write(page, TEXT)
        wait_for_marks(page, "teh", "goes")
        assert page.locator("#banner").is_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(visit, live, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    # axe is put into the page as a script, which the page's own policy forbids.
    page = visit(live.url, color_scheme=scheme, bypass_csp=True)

    def check(state):
        found = [
            (each["id"], [node["html"] for node in each["nodes"]])
            for each in axe.run(page).response["violations"]
            if each["impact"] in ("serious", "critical")
        ]
        assert found == [], state

    check("empty")
    page.click("#example-button")
    page.wait_for_function("() => document.querySelectorAll('#mirror mark').length === 14")
    page.click("#align-button")
    page.wait_for_selector("#drawing svg")
    page.click("#cards li:nth-child(3) .row")
    checked(page)
    check("a card and the alignment")
    page.set_viewport_size({"width": 390, "height": 740})
    check("phone")
    page.click("#close-button")
    page.click("#help-button")
    check("help")


def test_over_a_real_network(visit, server, edit_texts):
    """The same over `emendo serve` and a tiny network, which changes much, and at random."""
    page = visit(server.url)
    text = "😀 " + ". ".join(edit_texts[5:25]) + ".\n\n" + " ".join(edit_texts[30:40])
    answer = httpx.post(f"{server.url}/v1/edit", json={"texts": text.split("\n\n")}, timeout=30)
    results = answer.json()["results"]
    expected = [edit for result in results for edit in result["edits"]]
    assert len(expected) > 20
    write(page, text)
    checked(page)
    assert [mark for mark, _ in marks(page)] == [edit["original"] for edit in expected]
    page.click("#align-button")
    page.wait_for_selector("#drawing svg")
    page.click("#accept-all")
    assert value(page) == "\n\n".join(result["text"] for result in results)
