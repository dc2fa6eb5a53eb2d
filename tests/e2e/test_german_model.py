"""The German model as it is in the repository: what it corrects, and what it leaves."""

import pytest

from emendo import load_editor
from tests.conftest import ROOT

RIGHT = {
    "Er geht morgen nach hause.": "Er geht morgen nach Hause.",
    "Ich freue mich auf deinen besuch.": "Ich freue mich auf deinen Besuch.",
    "Er ist ein guter freund.": "Er ist ein guter Freund.",
    "Ich kann nicht kommen weil ich arbeite.": "Ich kann nicht kommen, weil ich arbeite.",
    "Das ist der Mann der mir geholfen hat.": "Das ist der Mann, der mir geholfen hat.",
}
FINE = (
    "Ich weiß, dass er krank ist.",
    "Am 3. Mai fahren wir nach Köln.",
    "Das Buch, das ich gelesen habe, war spannend.",
    "Die, die die Prüfung bestanden haben, dürfen gehen.",
    "Mit freundlichen Grüßen",
    "Heute Morgen hat es geschneit.",
)


@pytest.fixture(scope="module")
def editor():
    return load_editor(str(ROOT / "models/emendo-de/src/emendo_de/bundle"))


def test_corrects_german(editor):
    assert {wrong: editor.edit(wrong).text for wrong in RIGHT} == RIGHT


def test_leaves_what_is_right(editor):
    assert not any(edited.edits for edited in editor.edit_many([*RIGHT.values(), *FINE]))


def test_leaves_english(editor):
    assert editor.languages == ("de",)
    assert not editor.edit("She go to school every day, and he have a dog.").edits
