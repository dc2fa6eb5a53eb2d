"""The language gate: what it refuses, and what it must let pass."""

import time

import pytest
from hypothesis import given, settings

from emendo.text.language import choose_languages, detect_language, is_in
from tests.conftest import unpacked
from tests.text.test_segmentation import documents

SENTENCES = {
    "en": "I would like to know why she has not come home.",
    "de": "Ich möchte wissen, warum sie nicht nach Hause gekommen ist.",
    "fr": "Je voudrais savoir pourquoi elle n'est pas rentrée à la maison.",
    "es": "Quiero saber por qué ella no ha vuelto a la casa.",
    "it": "Vorrei sapere perché non è ancora tornata alla sua casa.",
    "nl": "Ik wil graag weten waarom zij nog niet naar huis is gekomen.",
    "pt": "Eu gostaria de saber por que ela ainda não voltou para a casa dela.",
    "pl": "Chciałbym wiedzieć, dlaczego ona jeszcze nie wróciła do domu.",
    "cs": "Chtěl bych vědět, proč se ještě nevrátila domů, protože je pozdě.",
    "sv": "Jag skulle vilja veta varför hon inte har kommit hem.",
    "ru": "Я хотел бы знать, почему она ещё не вернулась домой.",
    "uk": "Я хотів би знати, чому вона ще не повернулася додому.",
    "el": "Θα ήθελα να μάθω γιατί δεν γύρισε σπίτι.",
    "zh": "我想知道她为什么还没有回家。",
    "ja": "彼女がなぜ家に帰っていないのか知りたいです。",
    "ko": "그녀가 왜 집에 오지 않았는지 알고 싶어요.",
    "ar": "أريد أن أعرف لماذا لم تعد إلى المنزل.",
    "he": "אני רוצה לדעת למה היא לא חזרה הביתה.",
    "th": "ฉันอยากรู้ว่าทำไมเธอยังไม่กลับบ้าน",
    "hi": "मैं जानना चाहता हूँ कि वह घर क्यों नहीं आई।",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_languages_are_told_apart(code):
    sentence = SENTENCES[code]
    assert detect_language(sentence) == code
    assert is_in(sentence, (code,))
    assert is_in(sentence, ("en", code))
    assert is_in(sentence, ("en",)) == (code == "en")
    assert is_in(sentence, ("de", "ru")) == (code in ("de", "ru"))


@pytest.mark.parametrize(
    "text",
    ["", "42", "!?", "Hello", "Danke", "New York", "Mr. Müller", "La La Land", "Zoë visited Łódź", "C'est la vie, he said",
     "he go too school yestarday", "Table 3: results", "DONT DO IT", "My son has met ten men in the war", "Mike 's car"],
)  # fmt: skip
def test_names_fragments_and_errors_pass(text):
    assert is_in(text, ("en",))
    assert detect_language(text) in (None, "en")


def test_many_words_of_which_none_is_known_are_refused():
    lithuanian = "Norėčiau sužinoti kodėl mano sesuo dar negrįžo namo šiandien vakare"
    assert not is_in(lithuanian, ("en",))
    assert is_in(lithuanian, ("lt",)), "what the detector does not know, it does not judge"
    assert is_in("東京都", ("ja",))


@settings(max_examples=300)
@given(documents)
def test_any_text_has_an_answer(text):
    assert detect_language(text) is None or len(detect_language(text)) == 2
    assert is_in(text, ("en",)) in (True, False)


def lines(path):
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def test_learners_pass_on_real_corpora(evaluation_data):
    sentences = lines(evaluation_data / "pillars-of-gec/data/evaluation_sets/bea-dev.txt")
    refused = [s for s in sentences if not is_in(s, ("en",))]
    assert len(refused) / len(sentences) < 0.001, "0.02 % as measured"


def test_other_languages_are_refused_on_real_corpora():
    clean = unpacked("permissive-clean-text")
    for code, bound in (("de", 0.99), ("ru", 0.999)):
        sentences = lines(clean / f"common-voice/{code}.curated.txt")[:10_000]
        long = [s for s in sentences if len(s.split()) >= 5]
        begin = time.process_time()
        refused = [s for s in long if not is_in(s, ("en",))]
        seconds = time.process_time() - begin
        assert len(refused) / len(long) > bound
        assert len(long) / seconds > 5000, "over 40,000 a second where it is quiet"


@pytest.mark.parametrize("code", ["en", "de", "ru"])
def test_the_language_with_the_most_evidence_is_chosen(code):
    groups = (("fr", "en"), ("ru",), ("de",))
    (own,) = (k for k, group in enumerate(groups) if code in group)
    assert choose_languages(SENTENCES[code], groups) == (own,)
    assert choose_languages(SENTENCES["fr"], groups) == (0,)
    assert choose_languages("Max", groups) == (0, 2), "no evidence but the letters"
    assert choose_languages("Привет", groups) == (1,), "the only one in these letters"
    assert choose_languages("in", (("de",), ("en",))) == (0, 1), "as much for both"
    assert choose_languages(SENTENCES["zh"], groups) == choose_languages("42", groups) == (0, 1, 2)


def test_paragraphs_get_the_right_model():
    """The short form of benchmarks/languages.py, which reads real text with its mistakes."""
    import languages

    unpacked("permissive-clean-text")
    figures = languages.choice(300, 0)
    assert figures["right_pct"] >= 99
    assert figures["alone_right_pct"] >= 99
    assert figures["single_line_right_pct"] >= 98
    assert figures["short_right_pct"] >= 97, "one to four words; 98 as measured"
