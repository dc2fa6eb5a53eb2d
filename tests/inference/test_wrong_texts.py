"""What is no text, or no list of texts: said at once, not edited as something else."""

import pytest

from emendo.errors import RequestError
from emendo.inference import Editor, SentenceEditor
from tests.inference.scripted_networks import ScriptedBackend


@pytest.fixture
def editor(small_tokenizer):
    backend = ScriptedBackend(small_tokenizer, {"cat": "dog"})
    return Editor(SentenceEditor(backend, small_tokenizer))


@pytest.mark.parametrize("wrong", [None, b"a cat", 5, ["a cat"]])
def test_a_text_is_a_string(editor, wrong):
    message = rf"a text must be a str, but this is .*{type(wrong).__name__}"
    with pytest.raises(TypeError, match=message) as raised:
        editor.edit(wrong)
    assert isinstance(raised.value, RequestError)
    with pytest.raises(TypeError, match=message):
        editor.read(wrong)
    for edit in (editor.edit_many, editor.edit_sentences, editor.edit_lines):
        with pytest.raises(TypeError, match=message.replace("this", "number 1")):
            edit(["fine", wrong])


@pytest.mark.parametrize("wrong", ["She go.", b"She go."])
def test_a_text_is_no_list_of_texts(editor, wrong):
    for edit in (
        editor.edit_many,
        editor.edit_sentences,
        editor.edit_lines,
        lambda texts: editor.edit_at_levels(texts, [editor.level()]),
    ):
        with pytest.raises(TypeError, match=r"several texts.* a single (str|bytes).*\[text\]"):
            edit(wrong)


def test_none_is_no_list(editor):
    with pytest.raises(TypeError, match="expected several texts, but this is None"):
        editor.edit_sentences(None)


@pytest.mark.parametrize(
    ("dictionary", "message"),
    [
        ("emendo", "must be a collection of words, but this is of type str"),
        (b"emendo", "of type bytes"),
        (iter(["emendo"]), "must be a collection of words"),
        (["emendo", None], "word 1 of the dictionary is None"),
    ],
)
def test_a_dictionary_that_is_none(editor, dictionary, message):
    """A str would protect its letters, and an iterator only the first of several texts."""
    with pytest.raises(TypeError, match=message):
        editor.edit("emendo", dictionary=dictionary)
    for words in (["emendo"], ("emendo",), {"emendo"}, {"emendo": 1}.keys()):
        assert editor.edit("emendo", dictionary=words).text == "emendo"
