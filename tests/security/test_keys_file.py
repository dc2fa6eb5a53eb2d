"""A file of keys without a key in it is a mistake, and no server without keys."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("content", ["", "\n\n", "# anna:her-key-of-many-letters\n"])
def test_an_empty_file_refuses_to_start(tmp_path, content):
    file = tmp_path / "keys"
    file.write_text(content)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "emendo", "serve", "--model", "nowhere"),
            *("--api-keys-file", str(file)),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert f"{file} has no API key" in done.stderr
    assert "Traceback" not in done.stderr
