"""A file of keys without a key in it is a mistake, and so is one that cannot be read."""

import subprocess
import sys

import pytest


def serve(file):
    return subprocess.run(
        [
            *(sys.executable, "-m", "emendo", "serve", "--model", "nowhere"),
            *("--api-keys-file", str(file)),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("content", ["", "\n\n", "# anna:her-key-of-many-letters\n"])
def test_an_empty_file_refuses_to_start(tmp_path, content):
    file = tmp_path / "keys"
    file.write_text(content)
    done = serve(file)
    assert done.returncode == 2
    assert f"{file} has no API key" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("encoding", "message"),
    # As Windows PowerShell writes it, and with the mark of other editors there.
    [("utf-16", "keys is not UTF-8; save it in this encoding"), ("utf-8-sig", "nowhere")],
)
def test_files_of_windows(tmp_path, encoding, message):
    file = tmp_path / "keys"
    file.write_text("anna:her-key-of-many-letters\n", encoding=encoding)
    done = serve(file)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
