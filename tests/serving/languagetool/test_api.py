"""LanguageTool's API over an editor whose every edit is known."""

import json

import pytest

from emendo.serving.access import ApiKey
from emendo.serving.languagetool.rules import RULES
from emendo.text import EDIT_TYPES
from tests.serving.conftest import KEY, client_of


def check(client, path="/v2/check", **form):
    answer = client.post(path, data={"language": "en-US", **form})
    assert answer.status_code == 200, answer.text
    return answer.json()


def matches(client, **form):
    return check(client, **form)["matches"]


def units(text):
    return text.encode("utf-16-le", "surrogatepass")


def covered(text, match):
    """Return what a match covers, in code units as clients count them."""
    part = units(text)[2 * match["offset"] : 2 * (match["offset"] + match["length"])]
    return part.decode("utf-16-le")


def applied(text, found):
    """Apply first replacements as a client does, from the end."""
    data = units(text)
    for match in sorted(found, key=lambda match: -match["offset"]):
        value = match["replacements"][0]["value"]
        start, end = match["offset"], match["offset"] + match["length"]
        data = data[: 2 * start] + units(value) + data[2 * end :]
    return data.decode("utf-16-le")


def test_a_match_has_all_that_clients_read(client):
    text = "I know that teh dogs are there."
    (match,) = matches(client, text=text)
    assert covered(text, match) == "teh"
    assert match["message"] == ("Possible spelling mistake: “teh” is probably meant to be “the”.")
    assert match["shortMessage"] == "Spelling"
    assert match["replacements"] == [{"value": "the", "confidence": 0.9}]
    assert match["context"] == {"text": text, "offset": 12, "length": 3}
    assert match["sentence"] == text
    assert match["type"] == {"typeName": "UnknownWord"}
    assert match["rule"]["id"] == "EMENDO_SPELLER_RULE"
    assert match["rule"]["issueType"] == "misspelling"
    assert match["rule"]["category"] == {"id": "TYPOS", "name": "Possible Typo"}


def test_the_rest_of_the_answer(client):
    content = check(client, text="She is here. He is there.")
    assert content["software"]["apiVersion"] == 1
    assert content["warnings"] == {"incompleteResults": False}
    assert content["language"]["code"] == "en-US"
    assert content["language"]["name"] == "English (US)"
    assert content["language"]["detectedLanguage"]["code"].startswith("en")
    assert content["sentenceRanges"] == [[0, 12], [13, 25]]
    assert [each["from"] for each in content["extendedSentenceRanges"]] == [0, 13]
    assert list(content) == [
        "software",
        "warnings",
        "language",
        "matches",
        "sentenceRanges",
        "extendedSentenceRanges",
    ]


@pytest.mark.parametrize(
    "before", ["😀 ", "𝒞𝒞𝒞𝒞 ", "👨\u200d👩\u200d👧 ", "é ", "\U0010ffff\n", ""]
)
def test_positions_are_utf16(client, before):
    text = f"{before}This is teh dog 😀 and teh end."
    found = matches(client, text=text)
    assert [covered(text, match) for match in found] == ["teh", "teh"]
    assert applied(text, found) == text.replace("teh", "the")
    for match in found:
        context = match["context"]
        assert covered(context["text"], context) == "teh"


def test_a_match_right_after_an_emoji(client):
    text = "This is 😀teh dog."
    (match,) = matches(client, text=text)
    assert match["offset"] == 10
    assert covered(text, match) == "teh"


def test_the_context_is_cut_to_forty_characters(client):
    text = "She is 😀 here. " * 20 + "This is teh dog.\n" + "He is 😀 there. " * 20
    (match,) = matches(client, text=text)
    context = match["context"]
    assert context["text"].startswith("...")
    assert context["text"].endswith("...")
    assert "\n" not in context["text"]
    assert covered(context["text"], context) == "teh"
    assert len(context["text"]) == 40 + 3 + 40 + 6


@pytest.mark.parametrize(
    ("text", "span", "value", "result"),
    [
        ("They go store now.", "go", "go to the", "They go to the store now."),
        ("It is very very good.", "very very", "very", "It is very good."),
        ("I like an dog.", "an", "a", "I like a dog."),
    ],
)
def test_every_match_covers_a_word_and_offers_one(client, text, span, value, result):
    (match,) = matches(client, text=text)
    assert covered(text, match) == span
    assert match["replacements"][0]["value"] == value
    assert applied(text, [match]) == result


def annotation(*parts):
    return json.dumps({"annotation": list(parts)})


def text_part(text):
    return {"text": text}


def markup(text, meaning=None):
    return {"markup": text, **({} if meaning is None else {"interpretAs": meaning})}


def test_markup_shifts_and_is_never_covered(client):
    data = annotation(
        markup("<p>😀"), text_part("This is "), markup("<b>"), text_part("teh"), markup("</b>"),
        text_part(" dog. I see "), markup("<i>", ""), text_part("an"), markup("</i>"), text_part(" dog."),
    )  # fmt: skip
    whole = "<p>😀This is <b>teh</b> dog. I see <i>an</i> dog."
    found = matches(client, data=data)
    assert [covered(whole, match) for match in found] == ["teh", "an"]
    assert applied(whole, found) == "<p>😀This is <b>the</b> dog. I see <i>a</i> dog."
    context = found[0]["context"]
    assert context["text"] == whole[: len(context["text"]) - 3] + "..." or context["text"] == whole
    assert covered(context["text"], context) == "teh"
    assert found[0]["sentence"] == "This is teh dog."


@pytest.mark.parametrize(
    "parts",
    [
        [text_part("This is t"), markup("<b>"), text_part("eh dog.")],
        [text_part("This is "), markup("&t;", "teh"), text_part(" dog.")],
        [text_part("This is t"), markup("&e;", "e"), text_part("h dog.")],
        [text_part("It is very"), markup("<br>"), text_part(" very good.")],
    ],
    ids=["across", "interpreted", "inside", "deletion at the border"],
)
def test_no_match_where_markup_stands(client, parts):
    whole = "".join(part.get("text") or part["markup"] for part in parts)
    for match in matches(client, data=annotation(*parts)):
        assert "<" not in covered(whole, match)
        assert "&" not in covered(whole, match)


def test_an_insertion_beside_markup_is_widened_to_text(client):
    data = annotation(text_part("They go"), markup("<b>"), text_part(" store"), markup("</b>"))
    (match,) = matches(client, data=data)
    assert covered("They go<b> store</b>", match) == "go"
    assert match["replacements"][0]["value"] == "go to the"


def test_data_may_be_plain_text(client):
    assert matches(client, data=json.dumps({"text": "This is teh dog.", "metaData": {"a": "b"}}))
    lone = '{"text": "This is \\ud83d teh dog."}'
    (match,) = matches(client, data=lone)
    assert match["offset"] == 10


@pytest.mark.parametrize(
    "send",
    [
        lambda client, form: client.get("/v2/check?" + form),
        lambda client, form: client.post("/v2/check?" + form),
        lambda client, form: client.post("/v2/check", content=form),
        lambda client, form: client.post(
            "/v2/check", content=form, headers={"Content-Type": "application/json"}
        ),
        lambda client, form: client.post(
            "/v2/check", content=form, headers={"Content-Type": "multipart/form-data"}
        ),
        lambda client, form: client.post(
            "/v2/check?language=de", content=form, headers={"Content-Type": "text/plain"}
        ),
    ],
    ids=["get", "query", "no type", "json", "multipart", "form over query"],
)
@pytest.mark.parametrize(
    "text", ["text=This+is%20teh+dog%20%F0%9F%98%80", "text=This is teh dog 😀"]
)
def test_a_form_is_a_form_whatever_it_is_called(client, send, text):
    answer = send(client, f"language=en&{text}")
    assert answer.status_code == 200, answer.text
    assert [match["offset"] for match in answer.json()["matches"]] == [8]


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"text": "a"}, "language"),
        ({"language": "en"}, "'text' or 'data'"),
        ({"language": "en", "text": "a", "data": "{}"}, "'text' or 'data'"),
        ({"language": "e n", "text": "a"}, "language code"),
        ({"language": "../en", "text": "a"}, "language code"),
        ({"language": "en", "data": "{"}, "valid JSON"),
        ({"language": "en", "data": "[" * 100_000}, "valid JSON"),
        ({"language": "en", "data": "[]"}, "JSON object"),
        ({"language": "en", "data": "{}"}, "either 'text' or 'annotation'"),
        ({"language": "en", "data": '{"text": 5}'}, "must be a string"),
        ({"language": "en", "data": '{"annotation": {}}'}, "must be a list"),
        ({"language": "en", "data": '{"annotation": [5]}'}, "an object"),
        ({"language": "en", "data": '{"annotation": [{}]}'}, "either 'text' or 'markup'"),
        ({"language": "en", "data": annotation({"text": "a", "markup": "b"})}, "either"),
        ({"language": "en", "data": annotation({"text": "a", "interpretAs": "b"})}, "interpretAs"),
        ({"language": "en", "text": "a", "level": "high"}, "picky"),
        ({"language": "en", "text": "a", "mode": "some"}, "mode"),
        ({"language": "en", "text": "a", "enabledOnly": "true"}, "needs"),
        (
            {"language": "en", "text": "a", "enabledOnly": "yes", "enabledRules": "A", "disabledRules": "B"},
            "cannot be combined",
        ),
        ({"language": "en", "text": "a", "preferredVariants": "en-GB"}, "auto"),
        ({"language": "en", "text": "a", "noopLanguages": "de"}, "auto"),
        ({"language": "en", "text": "a", "enabled": "A"}, "version 1"),
        ({"language": "en", "text": "a", "autodetect": "1"}, "version 1"),
        ({"language": "en", "text": "a", "callback": "alert(1)"}, "callback"),
        ({"language": "en", "text": "a", "username": "me"}, "apiKey"),
        ({"language": "en", "text": "a", "username": "../me", "apiKey": "x"}, "username"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_as_languagetool_says_it(client, form, said):
    answer = client.post("/v2/check", data=form)
    assert answer.status_code == 400
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.text.startswith("Error: ")
    assert said in answer.text


def test_too_many_parameters(client):
    answer = client.post("/v2/check", data={f"p{k}": "1" for k in range(500)})
    assert answer.status_code == 400


def test_unknown_parameters_do_no_harm(client):
    names = "allowIncompleteResults enableHiddenRules textSessionId useragent v abtest ld token"
    extra = dict.fromkeys(names.split(), "true")
    assert matches(client, text="This is teh dog.", **extra)


def test_text_level_rules_are_none_and_cost_nothing(client, scribe):
    content = check(client, text="This is teh dog.", mode="textLevelOnly")
    assert content["matches"] == []
    assert content["sentenceRanges"] == [[0, 16]]
    assert scribe.seen == []
    assert matches(client, text="This is teh dog.", mode="allButTextLevelOnly")


def test_compact_answers_leave_out_what_is_not_read(client):
    content = check(client, text="This is teh dog.", c="1")
    assert "software" not in content
    (match,) = content["matches"]
    assert "context" not in match
    assert "sentence" not in match
    assert match["offset"] == 8


def test_picky_is_thorough(client, editor):
    check(client, text="This is teh dog.", level="picky")
    assert editor.remembered(["This is teh dog."], level="thorough")
    assert not editor.remembered(["This is teh dog."], level="balanced")


@pytest.mark.parametrize(
    ("form", "spans"),
    [
        ({}, ["teh", "london"]),
        ({"disabledRules": "EMENDO_SPELLER_RULE,WHITESPACE_RULE"}, ["london"]),
        ({"disabledCategories": "CASING"}, ["teh"]),
        ({"disabledCategories": "CASING", "enabledRules": "EMENDO_CASING"}, ["teh", "london"]),
        ({"enabledOnly": "true", "enabledRules": "EMENDO_CASING"}, ["london"]),
        ({"enabledOnly": "yes", "enabledCategories": "TYPOS"}, ["teh"]),
        ({"enabledOnly": "true", "enabledCategories": "STYLE"}, []),
    ],
)
def test_rules_and_categories(client, form, spans):
    text = "I see teh streets of london here."
    assert [covered(text, match) for match in matches(client, text=text, **form)] == spans


def test_languages_that_are_not_ours_get_no_matches(client, scribe):
    assert matches(client, text="This is teh dog.", language="de-DE") == []
    assert matches(client, text="This is teh dog.", language="xx") == []
    assert matches(client, text="This is teh dog.", language="de-DE-x-simple-language") == []
    german = "Das ist nicht so, wie wir es haben, teh."
    content = check(client, text=german, language="auto", noopLanguages="de,fr")
    assert content["matches"] == []
    assert content["language"]["code"] == "de"
    assert scribe.seen == []


def test_the_language_is_found_and_the_preferred_variant_named(client):
    content = check(
        client, text="This is teh dog.", language="auto", preferredVariants="de-AT,en-GB"
    )
    assert content["language"]["code"] == "en-GB"
    assert content["language"]["detectedLanguage"]["code"].startswith("en")
    assert content["matches"]
    assert check(client, text="Hm 5", language="auto")["language"]["code"] == "en"


def test_languages(client):
    listed = client.get("/v2/languages").json()
    assert {"name": "English (US)", "code": "en", "longCode": "en-US"} in listed
    assert [each["name"] for each in listed] == sorted(each["name"] for each in listed)


def test_the_small_ones(client):
    assert client.get("/v2/info").json()["software"]["name"] == "emendo"
    assert client.get("/v2/maxtextlength").text == "200000"
    assert client.get("/v2/healthcheck").text == "OK"
    rules = client.get("/v2/configinfo?language=en").json()["rules"]
    assert len(rules) == len(EDIT_TYPES)
    answer = client.get("/v2/nothing")
    assert answer.status_code == 404
    assert answer.text.startswith("Error: ")
    assert client.put("/v2/check").status_code == 405


def test_every_type_has_a_rule_of_its_own():
    assert set(RULES) == set(EDIT_TYPES)
    assert len({rule.id for rule in RULES.values()}) == len(RULES)


def test_words(client):
    def words(**query):
        return client.get("/v2/words", params=query).json()["words"]

    def post(verb, **form):
        return client.post(f"/v2/words/{verb}", data=form).json()

    assert words() == []
    assert matches(client, text="This is teh dog.")
    assert post("add", word="teh") == {"added": True}
    assert post("add", word="teh") == {"added": False}
    assert matches(client, text="This is teh dog.") == []
    me = {"username": "Me@Example.org", "apiKey": "any"}
    assert matches(client, text="This is teh dog.", **me)
    assert post("add", mode="batch", words="c,b, a", **me) == {"added": True}
    assert words(**me) == ["a", "b", "c"]
    assert words(offset=1, limit=1, **me) == ["b"]
    assert post("add", word="x", dict="other", **me) == {"added": True}
    assert words(dicts="other", **me) == ["x"]
    assert words(dicts="other,default", **me) == ["a", "b", "c", "x"]
    assert post("delete", word="a", **me) == {"deleted": True}
    assert post("delete", word="a", **me) == {"deleted": False}
    assert post("delete", word="teh") == {"deleted": True}
    assert matches(client, text="This is teh dog.")


@pytest.mark.parametrize(
    ("path", "form", "status"),
    [
        ("add", {}, 400),
        ("add", {"word": ""}, 400),
        ("add", {"word": "two words"}, 400),
        ("add", {"word": "a\nb"}, 400),
        ("add", {"word": "a\x00"}, 400),
        ("add", {"word": "a" * 101}, 413),
        ("add", {"word": "a", "dict": "../x"}, 400),
        ("add", {"word": "a", "dict": "a/b"}, 400),
        ("add", {"word": "a", "username": "..", "apiKey": "x"}, 400),
        ("add", {"word": "a", "username": "/etc/passwd", "apiKey": "x"}, 400),
        ("add", {"word": "a", "username": "a\\b", "apiKey": "x"}, 400),
        ("add", {"word": "a", "username": "a\x00b", "apiKey": "x"}, 400),
        ("add", {"word": "a", "username": "a" * 65, "apiKey": "x"}, 400),
        ("delete", {"words": "a"}, 400),
    ],
)
def test_words_that_are_none(client, path, form, status):
    answer = client.post(f"/v2/words/{path}", data=form)
    assert answer.status_code == status
    assert answer.text.startswith("Error: ")


def test_lists_are_bounded_before_they_are_split(client):
    commas = "," * 10**6
    for name in ("disabledRules", "enabledCategories", "dicts"):
        answer = client.post("/v2/check", data={"text": "a", "language": "en", name: commas})
        assert answer.status_code == 413
        assert answer.text == f"Error: '{name}' may have at most 1,000 entries"
    for verb in ("add", "delete"):
        answer = client.post(f"/v2/words/{verb}", data={"mode": "batch", "words": "a" + commas})
        assert answer.status_code == 413
    many = ",".join(f"w{k}" for k in range(10_000))
    assert client.post("/v2/words/add", data={"mode": "batch", "words": many}).status_code == 200
    assert client.get(f"/v2/words?dicts={commas[:20_000]}").status_code == 413


def test_words_are_changed_by_post_only_and_read_with_dicts(client):
    assert client.get("/v2/words/add?word=a").status_code == 405
    assert client.get("/v2/words?dict=a").status_code == 400
    assert client.get("/v2/words?limit=-1").status_code == 400


def test_a_key_in_the_path_or_the_form(editor):
    with client_of(
        editor, api_keys=(ApiKey.parse(KEY), ApiKey.parse("bob:another-long-key"))
    ) as client:
        form = {"language": "en", "text": "This is teh dog."}
        assert client.post("/v2/check", data=form).status_code == 403
        assert client.post("/v2/check", data={**form, "apiKey": "wrong"}).status_code == 403
        assert client.post("/k/wrong/v2/check", data=form).status_code == 403
        assert client.post(f"/k/{KEY}/v2/check", data=form).status_code == 200
        assert client.post("/v2/check", data={**form, "apiKey": KEY}).status_code == 200
        assert client.get("/v2/languages").status_code == 403
        assert client.get(f"/k/{KEY}/v2/languages").status_code == 200
        assert client.get(f"/v2/languages?apiKey={KEY}").status_code == 200
        assert client.get("/v2/healthcheck").text == "OK"
        # Each key has its own users.
        added = client.post(f"/k/{KEY}/v2/words/add", data={"word": "teh", "username": "me"})
        assert added.json() == {"added": True}
        assert client.get(f"/k/{KEY}/v2/words?username=me").json() == {"words": ["teh"]}
        assert client.get("/k/another-long-key/v2/words?username=me").json() == {"words": []}
