"""Pictures of the page for the docs: python -m tests.serving.page.screenshots docs/images.

Made small by pngquant, which Debian has.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.serving.page.conftest import ARGUMENTS
from tests.serving.page.known_edits import Live

DESK = {"viewport": {"width": 1200, "height": 720}, "device_scale_factor": 1.5}
PHONE = {
    "viewport": {"width": 390, "height": 780},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}


def main(folder: Path) -> None:
    with Live() as live, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=ARGUMENTS
        )

        def picture(name, *, card, alignment=False, **options):
            page = browser.new_context(**options).new_page()
            page.goto(live.url)
            page.click("#example-button")
            page.wait_for_function("() => document.querySelectorAll('#mirror mark').length === 14")
            for _ in range(card):
                page.click("#next-button")
            if alignment:
                page.click("#align-button")
                page.wait_for_selector("#drawing svg")
            page.mouse.move(1, 1)
            page.wait_for_function(
                "() => document.getElementById('state-text').textContent === 'Checked'"
            )
            path = folder / f"{name}.png"
            page.screenshot(path=path)
            subprocess.run(["pngquant", "--force", "--output", path, path], check=True)

        picture("page-desktop", card=3, **DESK)
        picture("page-dark", card=2, color_scheme="dark", **DESK)
        picture("page-alignment", card=3, alignment=True, **DESK)
        picture("page-phone", card=1, **PHONE)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
