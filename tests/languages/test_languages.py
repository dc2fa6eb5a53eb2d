"""A language is one folder; nothing else knows it by name."""

import re
from textwrap import dedent

from emendo.languages import known_languages, load_language
from emendo.text.language import _SCRIPTS
from tests.conftest import ROOT
from tests.run_python import run_python

# What somebody would write to add a language: no file of emendo is changed.
FOLDER = {
    "__init__.py": """
        from pathlib import Path

        from emendo.languages.language import ErrorRules, Language, SentenceEnds, words
        from emendo.languages.word_tables import WordTables
        from emendo.languages.wording import Wording
        from emendo.languages.en.wording import WORDING
        from dataclasses import replace


        def _error_rules():
            from emendo.synthesis.changes import replace as write

            def swap(sentence, rng):
                return write(sentence, 0, 1, "Zub") if sentence.lower(0) == "zib" else None

            return ErrorRules(lambda tables: {"toy slip": swap}, never_doubled=words("zib"))


        LANGUAGE = Language(
            "qx",
            "Toyish",
            variants={"qx-QX": "Toyland"},
            script="latin",
            function_words=words("zib mok tul fep nar wod"),
            sentence_ends=SentenceEnds(never_last=words("lok")),
            confusables="zib zub; mok muk",
            load_word_tables=lambda: WordTables({"tul": "a"}, lambda word: ()),
            load_wording=lambda: replace(WORDING, missing="{} fep nar"),
            error_tables=Path(__file__).with_name("errors"),
            load_error_rules=_error_rules,
        )
    """,
    "errors/kinds.json": '{"kinds": {"toy slip": {"share": 1.0, "type": "spelling"}}}',
}
USE = """
    import sys
    import emendo.languages

    # A folder that stands beside the others.
    emendo.languages.__path__.append(sys.argv[1])

    from random import Random
    from emendo.inference.document import read_document
    from emendo.serving.languagetool.language_names import list_languages
    from emendo.synthesis.clean_text import CleanText
    from emendo.synthesis.error_writer import ErrorWriter
    from emendo.text import Edit, detect_language, edit_type, is_in, split_sentences
    from emendo.text.explanations import explain

    text = "Zib mok lok. Wod tul nar."
    assert len(split_sentences(text, languages=("qx",))) == 1
    assert len(split_sentences(text)) == 2

    assert detect_language("Zib mok tul fep nar wod.") == "qx"
    assert is_in(text, ("qx",)) and not is_in("Zib mok tul fep nar wod.", ("en",))
    assert not is_in("This is what the people of the town have said.", ("qx",))

    assert edit_type("Zib mok.", Edit(4, 4, "tul "), language="qx") == "article"
    assert edit_type("Muk zib.", Edit(0, 3, "Mok"), language="qx") == "confused word"
    missing = Edit(4, 4, "tul ", type="article")
    assert explain("Zib mok.", missing, language="qx") == "The article “tul” fep nar before “mok”."

    wrong = ErrorWriter("qx").write_kind("Zib mok tul.", "toy slip", Random(1))
    assert wrong.source == "Zub mok tul."
    refused = __import__("collections").Counter()
    clean = CleanText("qx", misspellings=frozenset())
    assert not list(clean.sentences("Mok zib zib tul.", refused)) and refused.total() == 1

    names = [each.name for each in list_languages(("qx",))]
    assert names == ["Toyish", "Toyish (Toyland)"], names

    english = "This is what the people of the town have said."
    read = read_document(
        f"{text} {english}", languages=("qx",), max_tokens=192, count_tokens=len
    )
    assert read.lines == [text] or tuple(read.lines) == (text,), read.lines
"""


def test_a_language_takes_one_folder_and_no_other_change(tmp_path):
    for name, content in FOLDER.items():
        path = tmp_path / "languages" / "qx" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(content))
    run_python("-c", dedent(USE), tmp_path / "languages")


def test_a_language_without_a_folder_is_its_code():
    assert load_language("lt").code == "lt"
    assert not load_language("lt").has_word_tables
    # A name that comes from a client loads no module.
    assert load_language("loading") == load_language("loading")
    assert not load_language("loading").script


def test_every_language_can_be_recognised():
    for language in known_languages():
        assert language is load_language(language.code)
        assert language.name
        assert language.script in _SCRIPTS, language.code
        if language.script in ("latin", "cyrillic"):
            assert len(language.function_words) > 100, language.code


def test_nothing_else_names_a_language():
    codes = "|".join(language.code for language in known_languages())
    # A page in English says so with lang="en".
    named = re.compile(rf"""(?<!lang=)["'](?:{codes})["']""")
    source = ROOT / "src/emendo"
    found = {
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if path.relative_to(source).parts[0] != "languages" and named.search(path.read_text())
    }
    # ERRANT is a tool for English; the others give "en" as an example.
    assert found <= {"evaluation/errant_edits.py", "inference/loading.py", "bundle/installed.py"}
