"""Debian's Chromium, and the page open in it."""

import shutil

import pytest

from tests.serving.page.known_edits import Live

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


# Of a module: while it is open, no other test of this process could run an event loop.
@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium: apt-get install chromium")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def shared_live():
    with Live() as server:
        yield server


@pytest.fixture
def live(shared_live):
    """A server without keys, whose author has seen nothing yet."""
    shared_live.author.seen.clear()
    shared_live.author.before = lambda sentences: None
    return shared_live


@pytest.fixture
def visit(browser):
    """Open the page, and see at the end that nothing in it failed."""
    contexts, said = [], []

    def note(message):
        # That a server is away, or refuses, is what some tests want.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            said.append(message.text)

    def open_page(url, *, path="/", **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", note)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.asked = []
        # Playwright keeps notes on what it calls, which a built-in method has no place for.
        page.on("request", lambda request: page.asked.append(request))  # noqa: PLW0108
        page.goto(url + path)
        page.wait_for_function(
            "() => document.getElementById('state').dataset.state !== 'idle'"
            " || document.getElementById('version').textContent"
        )
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert said == []


@pytest.fixture
def page(visit, live):
    return visit(live.url)
