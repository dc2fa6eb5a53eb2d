"""The weights of emendo-en as they are in the repository: they load, and they correct English."""

import pytest

from emendo import TextTokenizer
from emendo.inference import SentenceEditor
from emendo.modeling import CopyCTCForEditing, TorchBackend
from tests.conftest import ROOT

FOLDER = ROOT / "models/emendo-en-weights/src/emendo_en_weights/model"


@pytest.fixture(scope="module")
def editor():
    model = CopyCTCForEditing.from_pretrained(FOLDER).eval()
    return SentenceEditor(TorchBackend(model), TextTokenizer.from_file(FOLDER / "tokenizer.json"))


def test_they_correct(editor):
    wrong = ["I could of done better.", "She is taller then me.", "I dont know.", "She have it."]
    right = ["I could have done better.", "She is taller than me.", "I don't know.", "She has it."]
    assert [edited.text for edited in editor.edit_sentences(wrong)] == right


def test_they_leave_alone_what_is_right(editor):
    fine = ["I could have done better.", "Then she came home.", "It is raining outside."]
    assert not any(edited.edits for edited in editor.edit_sentences(fine))
