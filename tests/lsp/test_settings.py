"""What a user may set."""

from pathlib import Path

import pytest

pytest.importorskip("pygls")

from emendo.lsp.settings import Settings

BASE = Settings(Path("words.txt"))


def test_all_that_can_be_set():
    settings, complaints = BASE.updated(
        {
            "model": "~/bundle",
            "level": "precise",
            "language": "en-GB",
            "dictionary": "~/words.txt",
            "minConfidence": 0.5,
        }
    )
    assert complaints == []
    assert settings == Settings(
        Path.home() / "words.txt", (str(Path.home() / "bundle"),), "precise", "en-GB", (), 0.5
    )
    assert BASE.updated({"model": ["en", "~/de"]})[0].models == ("en", str(Path.home() / "de"))
    assert BASE.updated({"dictionary": ["a", "b"]})[0].words == ("a", "b")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"modle": "a"}, "there is no setting 'modle'; did you mean 'model'?"),
        (
            {"colour": 1},
            "there is no setting 'colour'; there is model, level, language, dictionary",
        ),
        ({"level": 3}, "the setting 'level' must be a string"),
        ({"model": ""}, "the setting 'model' must be a string"),
        ({"model": ["en", 3]}, "the setting 'model' must be a string, or a list of strings"),
        ({"dictionary": [1]}, "the setting 'dictionary' must be a path, or a list of words"),
        ({"dictionary": 1}, "the setting 'dictionary' must be a path, or a list of words"),
        ({"minConfidence": True}, "the setting 'minConfidence' must be a number from 0 to 1"),
        ({"minConfidence": 1.5}, "the setting 'minConfidence' must be a number from 0 to 1"),
    ],
)
def test_what_is_wrong_is_told_and_left_out(given, told):
    settings, (complaint,) = BASE.updated(
        {"level": "precise", **given} if "level" not in given else given
    )
    assert complaint.startswith(told)
    assert settings.dictionary == BASE.dictionary
