"""Several editors: who reads which paragraph, and that none gets what another has made."""

from itertools import pairwise

import pytest

from emendo import Edit, Editor, Editors
from emendo.bundle import Level
from emendo.errors import ConfigError
from emendo.inference.mixed_document import Line
from emendo.text import EditedText
from tests.in_steps import InSteps

ENGLISH = "I would like to know why she has not come home."
GERMAN = "Ich möchte wissen, warum sie nicht nach Hause gekommen ist."
RUSSIAN = "Я хотел бы знать, почему она ещё не вернулась домой."
FRENCH = "Je voudrais savoir pourquoi elle n'est pas rentrée à la maison."


class Stamp(InSteps):
    """An editor of sentences that puts its name before each."""

    max_tokens = 200

    def __init__(self, name):
        self.name = name
        self.seen = []

    def count_tokens(self, sentence):
        return len(sentence.split()) + 2

    def edit_sentences(self, sentences, level):
        self.seen += sentences
        mark = f"{self.name}{level.keep_bias or ''}:"
        return [EditedText(each, (Edit(0, 0, mark),)) for each in sentences]


def editor(*languages, **options):
    return Editor(Stamp("/".join(languages)), languages=languages, **options)


@pytest.fixture
def editors():
    return Editors([editor("en"), editor("de"), editor("ru")])


def test_each_paragraph_has_the_model_of_its_language(editors):
    text = f"{ENGLISH}\n\n{GERMAN} {GERMAN}\n\n{RUSSIAN}\n\n# {GERMAN}\n- {ENGLISH}\n"
    assert editors.edit(text).text == (
        f"en:{ENGLISH}\n\nde:{GERMAN} de:{GERMAN}\n\nru:{RUSSIAN}\n\n# de:{GERMAN}\n- en:{ENGLISH}\n"
    )
    pieces = list(editors.edit_stream(text))
    assert "".join(piece.source for piece in pieces) == text
    assert "".join(piece.text for piece in pieces) == editors.edit(text).text


def test_pieces_of_a_stream_end_with_sentences(editors):
    question = "Do you know why?"
    text = f"  {ENGLISH} {question}\n\n{GERMAN}"
    pieces = list(editors.edit_stream(text))
    assert [piece.source for piece in pieces] == [f"  {ENGLISH}", f" {question}", f"\n\n{GERMAN}"]
    assert [piece.text for piece in pieces] == [
        f"  en:{ENGLISH}",
        f" en:{question}",
        f"\n\nde:{GERMAN}",
    ]
    assert [edit.start for piece in pieces for edit in piece.edits] == [2, 1, 2]
    assert list(editors.edit_stream("")) == []
    assert list(editors.edit_stream("\n")) == [EditedText("\n")]


def test_a_stream_begins_with_few_sentences_and_then_runs_more_at_once():
    alone = Editors([editor("en")])
    seen = alone.all[0]._sentence_editor.seen
    done = [0]
    for _ in alone.edit_stream(" ".join(f"This is the dog of house {k}." for k in range(200))):
        if len(seen) > done[-1]:
            done.append(len(seen))
    runs = [after - before for before, after in pairwise(done)]
    assert sum(runs) == 200
    assert runs[0] < 10
    assert len(runs) < 10
    assert all(after <= 2 * before for before, after in pairwise(runs))


@pytest.mark.parametrize("text", ["Hallo", "42", "Max, Tom!", "", "\n", "Tom & Jerry"])
def test_without_evidence_the_first_model_reads(text):
    for first, second in (("en", "de"), ("de", "en")):
        found = Editors([editor(first), editor(second)]).read(text)
        assert all(found.language(each) == first for each in found.sentences)


def test_a_paragraph_without_evidence_follows_the_one_before_or_the_next(editors):
    assert editors.edit(f"Max, Tom!\n\n{GERMAN}\n\nHallo\n").text == (
        f"de:Max, Tom!\n\nde:{GERMAN}\n\nde:Hallo\n"
    )
    # But not one that cannot read its letters.
    between = editors.edit(f"{GERMAN}\n\n{RUSSIAN}\n\nMax, Tom!\n\n{ENGLISH}\n\nTom, Max!")
    assert [edit.replacement for edit in between.edits] == ["de:", "ru:", "en:", "en:", "en:"]
    assert "en:Max" in editors.edit(f"{RUSSIAN}\n\nMax, Tom!").text


def test_the_nearest_paragraph_before_decides(editors):
    assert editors.edit(f"{GERMAN}\n\n{ENGLISH}\n\nMax, Tom!").text.endswith("en:Max, Tom!")
    text = f"{GERMAN}\n\n{ENGLISH}\n\n{GERMAN}\n\nMax, Tom!"
    assert [edit.replacement for edit in editors.edit(text).edits] == ["de:", "en:", "de:", "de:"]


def test_sentences_in_other_languages_stay(editors):
    assert editors.edit(FRENCH).edits == ()
    assert editors.edit(f"{GERMAN} {FRENCH}").text == f"de:{GERMAN} {FRENCH}"
    # A paragraph has one model, which leaves a sentence for another alone.
    more = f"{GERMAN} Dann sind wir aber mit dem Bus in die Stadt gefahren."
    assert editors.edit(f"{more} {ENGLISH}").text.endswith(f"gefahren. {ENGLISH}")


def test_a_language_can_be_named(editors):
    def read(text, *languages):
        found = editors.read(text, languages=languages)
        return [found.language(each) for each in found.sentences]

    assert read("Hallo", "de") == ["de"]
    assert read(GERMAN, "en") == [], "the gate of the model stays"
    assert read(GERMAN, "de", "en") == ["de"]
    assert read(ENGLISH, "fr") == []
    both = Editors([editor("en", "fr"), editor("de")])
    assert both.edit(FRENCH).text == f"en/fr:{FRENCH}"
    assert both.read(FRENCH, languages=("en",)).sentences == ()


def test_models_share_no_cache(editors):
    """The same line, read by two models."""
    line = "Max, Tom!"
    english, german = f"{ENGLISH}\n\n{line}", f"{GERMAN}\n\n{line}"
    for _ in range(2):
        assert editors.edit(english).text.endswith(f"en:{line}")
        assert editors.edit(german).text.endswith(f"de:{line}")
    mixed = editors.edit(f"{english}\n\n{german}")
    assert mixed.text == f"en:{ENGLISH}\n\nen:{line}\n\nde:{GERMAN}\n\nde:{line}"
    seen = [each._sentence_editor.seen for each in editors.all]
    assert seen == [[line, ENGLISH], [line, GERMAN], []], "and each has its own"
    levels = editors.level()
    assert set(editors.remembered([Line(line, k) for k in range(3)], levels)) == {
        Line(line, 0),
        Line(line, 1),
    }


def test_levels_are_those_of_each_model():
    strict, loose = Level(keep_bias=2.0), Level(keep_bias=1.0)
    editors = Editors(
        [
            editor("en", levels={"balanced": loose, "own": strict}),
            editor("de", levels={"balanced": strict}),
        ]
    )
    text = f"{ENGLISH}\n\n{GERMAN}"
    assert editors.levels == ("balanced", "own")
    assert editors.edit(text).text == f"en1.0:{ENGLISH}\n\nde2.0:{GERMAN}"
    assert editors.edit(text, level="own").text.startswith("en2.0:")
    assert "de2.0:" in editors.edit(text, level="own").text, "who has no such level, uses its own"
    assert "de1.0:" in editors.edit(text, level=loose).text
    with pytest.raises(ValueError, match="no level 'none'; levels: balanced, own"):
        editors.edit(text, level="none")


def test_markup_is_read_once_for_all(editors):
    text = f"{ENGLISH}\n\n```\n{GERMAN}\n\n{GERMAN}\n```\n\n{GERMAN} `{ENGLISH}`\n"
    edited = editors.edit(text, markup="markdown")
    assert edited.text == text.replace(ENGLISH, f"en:{ENGLISH}", 1).replace(
        f"\n\n{GERMAN} `", f"\n\nde:{GERMAN} `"
    )


def test_the_language_at_a_position(editors):
    text = f"\n{ENGLISH}\n\n{GERMAN}\n\n"
    document = editors.read(text)
    end = 1 + len(ENGLISH)
    places = {0: None, 1: "en", 9: "en", end: "en", end + 1: None, end + 2: "de", len(text): None}
    assert {place: document.language_at(place) for place in places} == places
    assert editors.read("").language_at(0) is None


def test_the_main_model_reads_most_characters(editors):
    question = "Do you know why?"
    assert editors.read(f"{GERMAN} {GERMAN}\n\n{question}").main_model == 1
    assert editors.read(f"{question}\n\n{RUSSIAN}").main_model == 2
    assert editors.read("42").main_model == 0


def test_the_first_model_stands_for_all():
    several = Editors(
        [
            editor("de", levels={"own": Level()}, default_level="own"),
            editor("en", unit="passage"),
        ]
    )
    assert (several.language, several.unit, several.default_level) == ("de", "sentence", "own")


def test_one_editor_edits_and_protects_as_several_do():
    text = f"{ENGLISH} Is it `42`?"
    alone = Editors([editor("en")])
    assert alone.edit(text).text == f"en:{ENGLISH} en:Is it `42`?"
    assert (alone.language, alone.unit, alone.default_level) == ("en", "sentence", "balanced")
    for one in (alone, Editors([editor("de"), editor("en")])):
        (span,) = one.read(text).untouchable()
        assert text[slice(*span)] == "`42`"


def test_models_must_be_for_different_languages():
    with pytest.raises(ConfigError, match="two models are for the language en"):
        Editors([editor("de"), editor("en"), editor("en", "fr")])
    with pytest.raises(ConfigError, match="names no language"):
        Editors([editor("en"), editor()])
    with pytest.raises(ConfigError, match="no editor"):
        Editors([])


def test_only_models_that_correct_work_side_by_side():
    with pytest.raises(ConfigError, match="one of several models is fusion"):
        Editors([editor("de"), editor("en", task="fusion", unit="passage")])
    alone = Editors([editor("en", task="fusion", unit="passage")])
    assert (alone.task, alone.unit) == ("fusion", "passage")


def test_one_editor_without_a_language_reads_everything():
    alone = Editors([editor()])
    assert len(alone.read(f"{FRENCH}\n\n{RUSSIAN}").sentences) == 2
    assert alone.read(FRENCH, languages=("fr",)).sentences == ()
