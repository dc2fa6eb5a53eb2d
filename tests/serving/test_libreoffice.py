"""LibreOffice Writer's built-in LanguageTool client on a real server (`make integration`)."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest

from emendo import load_editor

pytest.importorskip("onnxruntime")
# Debian's own, which has `uno`.
PYTHON = "/usr/bin/python3"

pytestmark = [
    pytest.mark.skipif(not os.environ.get("EMENDO_LONG"), reason="long form: EMENDO_LONG=1"),
    pytest.mark.skipif(
        not shutil.which("soffice") or not Path(PYTHON).exists(),
        reason="needs Debian's libreoffice-writer and python3-uno",
    ),
]


def test_writer_shows_our_matches_behind_an_emoji(server, tiny_bundle, edit_texts, tmp_path):
    editor = load_editor(tiny_bundle, backend="onnx")
    emoji = "😀👍🏽 "
    paragraph = next(
        emoji + text
        for text in edit_texts
        if any(edit.start > len(emoji) for edit in editor.edit(emoji + text).edits)
    )
    result = subprocess.run(
        [
            PYTHON,
            str(Path(__file__).with_name("libreoffice_client.py")),
            str(tmp_path / "profile"),
            f"{server.url}/v2",
        ],
        input=paragraph,
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"},
    )
    assert result.returncode == 0, result.stderr
    errors = json.loads(result.stdout)
    print(json.dumps(errors, ensure_ascii=False, indent=1))
    form = {"text": paragraph, "language": "en-US"}
    matches = httpx.post(f"{server.url}/v2/check", data=form, timeout=30).json()["matches"]
    assert matches
    assert [(e["start"], e["length"]) for e in errors] == [
        (m["offset"], m["length"]) for m in matches
    ]
    for error, match in zip(errors, matches, strict=True):
        assert error["suggestions"][:1] == [r["value"] for r in match["replacements"]][:1]
        assert error["message"]
        # Whole characters, counted as Writer does: in UTF-16.
        marked = paragraph.encode("utf-16-le")[2 * error["start"] :][: 2 * error["length"]]
        assert marked.decode("utf-16-le").strip()
    assert errors[-1]["start"] >= len(emoji.encode("utf-16-le")) // 2
