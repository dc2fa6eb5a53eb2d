"""benchmarks/quality.py --language: what it counts, with an editor whose every edit is known."""

import json
import shutil

import pytest

from emendo import Edit, Editor
from emendo.text import EditedText
from tests.conftest import unpacked
from tests.in_steps import InSteps


class Meddler(InSteps):
    """Writes a word before every sentence, or nothing."""

    max_tokens = 512

    def __init__(self, words):
        self.words = words

    def count_tokens(self, sentence):
        return len(sentence.split()) + 2

    def edit_sentences(self, sentences, level):
        edits = (Edit(0, 0, self.words),) if self.words else ()
        return [EditedText(each, edits) for each in sentences]


@pytest.mark.parametrize("code", ["de", "ru"])
def test_false_alarms_and_precision(code, monkeypatch, capsys):
    import language_quality

    for archive in ("permissive-clean-text", *{a for a, _ in language_quality.SETS[code].values()}):
        unpacked(archive)
    for words, touched in (("Xyz ", 100), ("", 0)):
        editor = Editor(Meddler(words), languages=(code,))
        monkeypatch.setattr(language_quality, "load_editor", lambda *_, e=editor, **__: e)
        language_quality.run(code, None, 12, None)
        figures = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert figures["false_alarm_pct"] == pytest.approx(touched, abs=10), "but for the gate"
        assert figures["p"] == (0 if words else 100)
        assert figures["r"] == figures["f05"] == 0
        assert figures["p50_ms"] > 0
        assert figures["clean_sentences"] >= 12


@pytest.mark.parametrize("code", ["de", "ru"])
def test_clean_text_is_on_one_side_only(code):
    import preparation

    text = preparation.CleanText(unpacked("permissive-clean-text"), code)
    train, dev, reported = map(set, (text.train, text.dev, text.reported))
    assert not train & dev
    assert not (train | dev) & reported
    assert len(text.reported) == len(reported) == 2000
    assert len(train) > 25_000
    assert set(text.documents) & reported


def test_hunspell_corrects_every_word_that_it_does_not_know(tmp_path):
    if not shutil.which("hunspell"):
        pytest.skip("Hunspell is not installed")
    from peers import hunspell

    with pytest.raises(SystemExit, match="no dictionary"):
        hunspell.connect(tmp_path, "de")
    words = ["der", "Hund", "über", "bellt", "laut"]
    (tmp_path / "de_DE.aff").write_text("SET UTF-8\nTRY esianrtolcdugmphbyfvkwäöü\n")
    (tmp_path / "de_DE.dic").write_text("\n".join([str(len(words)), *words]) + "\n")
    correct = hunspell.connect(tmp_path, "de")
    texts = ["der Hnud bellt, lautt", "", "*der ^Hund & 3 über!", "qqqqqqqqqq obre ueber üebr"]
    assert correct(texts) == [
        "der Hund bellt, laut",
        "",
        "*der ^Hund & 3 über!",
        "qqqqqqqqqq obre über über",
    ]
