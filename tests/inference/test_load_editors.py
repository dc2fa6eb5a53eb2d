"""What an editor is made of, by its bundle and its options; the networks are scripted."""

import itertools
from dataclasses import replace

import pytest

from emendo import Level, load_editor, load_editors
from emendo.bundle import open_bundle, seal_bundle
from emendo.bundle.format import FUSION, KNOWN_WORDS, MISSPELLINGS, PASSAGE, TOKENIZER
from emendo.errors import BundleError, ConfigError
from emendo.inference import loading
from tests.bundle.test_installed import pretend
from tests.inference import conftest
from tests.inference.scripted_networks import ScriptedBackend
from tests.inference.test_alignment import DoubtingBackend
from tests.inference.test_editors import ENGLISH, GERMAN, Stamp

CONFIG = replace(conftest.CONFIG, max_tokens=512, candidates=1)
SCRIPT = {"cat": "dog", "dog": "fox", "fox": "cow", "likes": "like"}


@pytest.fixture
def loaded(monkeypatch, small_tokenizer):
    """Read bundles without graphs, and keep their networks and the options of engines."""
    found = []

    def open_scripted(bundle, **options):
        backend = ScriptedBackend(small_tokenizer, SCRIPT)
        found.append((backend, options))
        return backend

    monkeypatch.setattr(loading, "open_backend", open_scripted)
    monkeypatch.setattr(loading, "check_graphs", lambda *_: None)
    return found


@pytest.fixture
def make(loaded, small_tokenizer, tmp_path):
    """Make bundles."""

    def make_one(name="b", files=(), **changes):
        folder = tmp_path / name
        folder.mkdir()
        small_tokenizer.save(folder / TOKENIZER)
        for file, content in dict(files).items():
            (folder / file).write_text(content, encoding="utf-8")
        seal_bundle(folder, replace(CONFIG, **changes))
        return folder

    return make_one


def edited(editor, sentence, **options):
    return editor.edit_sentences([sentence], **options)[0].text


def test_only_a_model_that_corrects_reads_twice(make):
    corrects, fuses = make("corrects"), make("fuses", task=FUSION, unit=PASSAGE)
    assert edited(load_editor(corrects), "the cat") == "the fox"
    assert edited(load_editor(fuses), "the cat") == "the dog"
    for folder in (corrects, fuses):
        assert edited(load_editor(folder, rounds=1), "the cat") == "the dog"
        assert edited(load_editor(folder, rounds=3), "the cat") == "the cow"


def test_only_a_model_that_corrects_has_lists_of_words(make):
    files = {MISSPELLINGS: "dgo\tdog\n", KNOWN_WORDS: "the\ncat\ndog\n"}
    corrects, fuses = make("corrects", files), make("fuses", files, task=FUSION)
    assert edited(load_editor(corrects, rounds=1), "the dgo") == "the dog"
    assert edited(load_editor(fuses, rounds=1), "the dgo") == "the dgo"
    # The network writes "fox", which is no known word.
    assert edited(load_editor(corrects, rounds=1), "the dog") == "the dog"
    assert edited(load_editor(fuses, rounds=1), "the dog") == "the fox"


@pytest.mark.parametrize("file", [MISSPELLINGS, KNOWN_WORDS])
def test_a_bundle_may_have_one_list_of_words(make, file):
    content = {MISSPELLINGS: "dgo\tdog\n", KNOWN_WORDS: "the\ncat\n"}[file]
    text = edited(load_editor(make(files={file: content}), rounds=1), "the cat")
    assert text == {MISSPELLINGS: "the dog", KNOWN_WORDS: "the cat"}[file]


def test_edits_of_a_passage_are_made_together(make):
    """A level that leaves out one of them leaves out all."""
    folders = make("sentence"), make("passage", unit=PASSAGE)
    level = Level(type_thresholds=(("agreement", 2.0),))
    for folder, text in zip(folders, ("She likes a dog.", "She likes a cat."), strict=True):
        editor = load_editor(folder, rounds=1)
        assert edited(editor, "She likes a cat.") == "She like a dog."
        assert edited(editor, "She likes a cat.", level=level) == text


def test_the_level_is_the_bundles_own_unless_one_is_named(make):
    levels = {"balanced": Level(), "precise": Level(keep_bias=100.0)}
    folder = make(levels=levels, default_level="precise")
    assert edited(load_editor(folder, rounds=1), "the cat") == "the cat"
    assert edited(load_editor(folder, rounds=1, level="balanced"), "the cat") == "the dog"


def test_one_thread_unless_more_are_asked_for(make, loaded):
    folder = make()
    load_editor(folder)
    load_editor(folder, threads=3)
    assert [options["threads"] for _, options in loaded] == [1, 3]


@pytest.mark.parametrize(
    ("digits", "count", "batches"),
    # A space and two edges beside the digits: 64 * 8 is 512, and 57 * 9 is 513.
    [(5, 65, [64, 1]), (6, 57, [56, 1])],
)
def test_a_batch_has_at_most_512_tokens(make, loaded, digits, count, batches):
    numbers = map("".join, itertools.permutations("345678", digits))
    load_editor(make()).edit_sentences(list(itertools.islice(numbers, count)))
    ((backend, _),) = loaded
    assert backend.seen == batches


def test_alternatives_are_listed_if_asked_for(make, monkeypatch, small_tokenizer):
    backend = DoubtingBackend(small_tokenizer, {"cat": "dog"})
    monkeypatch.setattr(loading, "open_backend", lambda *_, **__: backend)
    folder = make()
    for options, alternatives in (({}, ()), ({"alternatives": True}, ("the",))):
        (found,) = load_editor(folder, **options).edit_sentences(["a cat!"])
        (edit,) = found.edits
        assert (edit.replacement, edit.alternatives) == ("dog", alternatives)


def test_ten_thousand_sentences_are_remembered(make, monkeypatch):
    monkeypatch.setattr(loading, "SentenceEditor", lambda *_, **__: Stamp("en"))
    editor = load_editor(make())
    lines = [f"line {number}" for number in range(10_001)]
    editor.edit_lines(lines)
    assert set(editor.remembered(lines)) == set(lines[1:])


def test_models_for_several_languages(make):
    english, german = make("en"), open_bundle(make("de", languages=("de",)))
    told, batches = [], set()

    def on_batch(batch, language):
        batches.add((len(batch.input_ids), language))

    editors = load_editors([english, german], on_batch=on_batch, on_model=told.append, rounds=1)
    assert (editors.languages, told) == (("en", "de"), ["en", "de"])
    text = f"{ENGLISH} The cat.\n\n{GERMAN}"
    assert editors.edit(text).text == text.replace("cat", "dog")
    assert batches == {(2, "en"), (1, "de")}
    # Nobody need be told.
    assert load_editors([english, german], rounds=1).edit(text).text == text.replace("cat", "dog")


def test_a_model_without_the_level_uses_its_own(make):
    levels = {"balanced": Level(), "precise": Level(keep_bias=1.0)}
    folders = [make("en", levels=levels), make("de", languages=("de",))]
    assert [each.default_level for each in load_editors(folders).all] == ["balanced", "balanced"]
    editors = load_editors(folders, level="precise")
    assert [each.default_level for each in editors.all] == ["precise", "balanced"]
    with pytest.raises(ConfigError, match="there is no level 'bold'; levels: balanced, precise"):
        load_editors(folders, level="bold")


def test_by_default_all_models_that_correct_the_english_one_first(make, monkeypatch, tmp_path):
    tasks = {"de": "correction", "en": "correction", "fr": FUSION, "ru": "correction"}
    for name, task in tasks.items():
        make(name, languages=(name,), task=task)
    (tmp_path / "four_models.py").write_text(
        "from pathlib import Path\n"
        + "".join(f"def {name}(): return Path(__file__).parent / {name!r}\n" for name in tasks)
    )
    monkeypatch.syspath_prepend(tmp_path)
    pretend(monkeypatch, **{name: f"four_models:{name}" for name in tasks})
    assert load_editors().languages == ("en", "de", "ru")
    pretend(monkeypatch)
    with pytest.raises(BundleError, match="no model is installed"):
        load_editors()
