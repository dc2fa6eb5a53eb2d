"""The Russian model as it is in the repository: what it corrects, and what it leaves."""

import pytest

from emendo import load_editor
from tests.conftest import ROOT

RIGHT = {
    "Он сказал что придёт завтра.": "Он сказал, что придёт завтра.",
    "Я незнаю, где он живёт.": "Я не знаю, где он живёт.",
    "Он ушёл потому что опаздывал.": "Он ушёл, потому что опаздывал.",
    "Я люблю гулять в парке когда тепло.": "Я люблю гулять в парке, когда тепло.",
    "Мы поняли что опоздали.": "Мы поняли, что опоздали.",
}
FINE = (
    "Мы живём в Москве уже пять лет.",
    "Книга, которую я читаю, очень интересная.",
    "Как говорится, поживём — увидим.",
    "В 2024 году население города выросло на 3,5 %.",
    "С уважением, Иван Петров",
    "Мне кажется, что дождь скоро кончится.",
)


@pytest.fixture(scope="module")
def editor():
    return load_editor(str(ROOT / "models/emendo-ru/src/emendo_ru/bundle"))


def test_corrects_russian(editor):
    assert {wrong: editor.edit(wrong).text for wrong in RIGHT} == RIGHT


def test_leaves_what_is_right(editor):
    assert not any(edited.edits for edited in editor.edit_many([*RIGHT.values(), *FINE]))


def test_leaves_english(editor):
    assert editor.languages == ("ru",)
    assert not editor.edit("She go to school every day, and he have a dog.").edits
