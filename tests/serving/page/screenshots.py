"""Pictures of the page, and a recording, for the docs: python -m tests.serving.page.screenshots docs/images.

The edits are those of the shipped model. Made small by pngquant, which Debian has; the recording needs Pillow.
"""

import io
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.conftest import ROOT
from tests.serving.conftest import Process
from tests.serving.page.conftest import ARGUMENTS

DESK = {"viewport": {"width": 1200, "height": 720}, "device_scale_factor": 1.5}
SMALL = {"viewport": {"width": 1000, "height": 480}}
TYPED = "Yesterday I go to the libary with my freind. She have alot of books, and we has read untill the evening."
CHECKED = "() => document.getElementById('state-text').textContent === 'Checked'"
PHONE = {
    "viewport": {"width": 390, "height": 780},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}


@contextmanager
def serving():
    """The server as people start it, with the model that is shipped."""
    bundle = ROOT / "models/emendo-en/src/emendo_en/bundle"
    with tempfile.TemporaryDirectory() as name:
        server = Process(bundle, "--alternatives", log=Path(name) / "log")
        try:
            yield server
        finally:
            server.stop()


def main(folder: Path) -> None:
    with serving() as live, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=ARGUMENTS
        )

        def picture(name, *, card, alignment=False, **options):
            page = browser.new_context(**options).new_page()
            page.goto(live.url)
            page.click("#example-button")
            page.wait_for_selector("#mirror mark")
            page.wait_for_function(CHECKED)
            for _ in range(card):
                page.click("#next-button")
            if alignment:
                page.click("#align-button")
                page.wait_for_selector("#drawing svg")
            page.mouse.move(1, 1)
            page.wait_for_function(CHECKED)
            path = folder / f"{name}.png"
            page.screenshot(path=path)
            subprocess.run(["pngquant", "--force", "--output", path, path], check=True)

        picture("page-desktop", card=3, **DESK)
        picture("page-dark", card=2, color_scheme="dark", **DESK)
        picture("page-alignment", card=3, alignment=True, **DESK)
        picture("page-phone", card=1, **PHONE)
        record(browser.new_context(**SMALL).new_page(), live.url, folder / "page.gif")


def record(page, url: str, path: Path) -> None:
    """Record how a text is typed and its suggestions are accepted."""
    frames: list[tuple[Image.Image, int]] = []

    def frame(milliseconds):
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        frames.append((picture.quantize(128, dither=Image.Dither.NONE), milliseconds))

    page.goto(url)
    page.wait_for_selector("#text")
    frame(800)
    for word in TYPED.split(" "):
        page.type("#text", word + " ")
        frame(140)
    page.wait_for_selector("#mirror mark")
    page.wait_for_function(CHECKED)
    page.mouse.move(1, 1)
    frame(1800)
    for _ in range(2):
        page.click("#next-button")
        page.wait_for_function(CHECKED)
        frame(1400)
        page.click("#cards .accept")
        page.wait_for_function(CHECKED)
        frame(900)
    page.click("#accept-all")
    page.mouse.move(1, 1)
    page.wait_for_selector("#panel >> text=Nothing to correct")
    frame(3500)
    (first, _), *others = frames
    first.save(
        path,
        save_all=True,
        append_images=[picture for picture, _ in others],
        duration=[milliseconds for _, milliseconds in frames],
        loop=0,
        optimize=True,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
