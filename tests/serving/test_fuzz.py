"""Anything at all sent to /v2/check and /v1: no 5xx, every offset valid, markup untouched."""

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.serving.conftest import Scribe, client_of
from tests.serving.languagetool.test_api import applied, units
from tests.text.test_lossless import texts as any_text

# Five thousand requests in the long form: EMENDO_LONG=1.
EXAMPLES = 5000 if os.environ.get("EMENDO_LONG") else 150

words = st.sampled_from(
    ["This is teh dog. ", "cat", "likes", "go store", "very very ", "an dog", "london", "😀", " ", "\n\n", "the ", ".", "𝒞", "\u0301"]
)  # fmt: skip
prose = st.lists(st.one_of(words, any_text), max_size=12).map("".join)
nodes = st.one_of(
    st.builds(lambda text: {"text": text}, prose),
    st.builds(lambda text: {"markup": text}, st.sampled_from(["<b>", "</b>", "&amp;", "😀", ""])),
    st.builds(
        lambda text, meaning: {"markup": text, "interpretAs": meaning},
        st.sampled_from(["<p>", "<br/>", "𝒞"]),
        st.one_of(st.sampled_from(["\n", "\n\n", "", " "]), prose),
    ),
)
junk = st.one_of(any_text, st.sampled_from(["", "true", "null", "en", "0", "{}", "[]"]))
options = st.fixed_dictionaries(
    {},
    optional={
        "level": st.sampled_from(["default", "picky", "x"]),
        "mode": st.sampled_from(["all", "textLevelOnly", "allButTextLevelOnly", ""]),
        "enabledOnly": junk,
        "enabledRules": junk,
        "disabledRules": st.sampled_from(["EMENDO_OTHER", "EMENDO_SPELLER_RULE,A", ","]),
        "disabledCategories": st.sampled_from(["GRAMMAR", "TYPOS,STYLE", ""]),
        "c": st.sampled_from(["0", "1"]),
        "username": junk,
        "apiKey": junk,
        "dicts": junk,
        "callback": junk,
        "preferredVariants": st.sampled_from(["en-GB", "xx,,en", ""]),
    },
)
languages = st.sampled_from(["en", "en-US", "auto", "de", "xx-YY", "e", ""])


@pytest.fixture(scope="module")
def client():
    from emendo import Editor

    with client_of(Editor(Scribe())) as client:
        yield client


def encodable(text):
    """Return text as a form can hold it."""
    return text.encode("utf-8", "replace").decode()


@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(language=languages, parts=st.one_of(prose, st.lists(nodes, max_size=8)), extra=options)
def test_any_check(client, language, parts, extra):
    if isinstance(parts, str):
        whole = encodable(parts)
        form = {"text": whole}
    else:
        whole = "".join(part.get("text") or part.get("markup", "") for part in parts)
        form = {"data": json.dumps({"annotation": parts})}
    form |= {"language": language, **{name: encodable(value) for name, value in extra.items()}}
    answer = client.post("/v2/check", data=form)
    assert answer.status_code in (200, 400), answer.text
    if answer.status_code != 200 or form.get("callback"):
        assert answer.status_code == 200 or answer.text.startswith("Error: ")
        return
    check_matches(whole, parts, answer.json(), is_compact=form.get("c") == "1")


def check_matches(whole, parts, content, *, is_compact):
    size = len(units(whole)) // 2
    done = 0
    for match in content["matches"]:
        assert 0 <= done <= match["offset"] < match["offset"] + match["length"] <= size
        done = match["offset"] + match["length"]
        assert match["replacements"][0]["value"] != units(whole)[
            2 * match["offset"] : 2 * done
        ].decode("utf-16-le", "surrogatepass")
        if not is_compact:
            context = match["context"]
            shown = units(context["text"])
            assert (
                shown[2 * context["offset"] : 2 * (context["offset"] + context["length"])]
                .decode("utf-16-le", "surrogatepass")
                == units(whole)[2 * match["offset"] : 2 * done]
                .decode("utf-16-le", "surrogatepass").replace("\n", " ")
            )  # fmt: skip
    for start, end in content["sentenceRanges"]:
        assert 0 <= start < end <= size
    if isinstance(parts, list):
        # No match shares a unit with markup.
        position = 0
        for part in parts:
            written = part.get("text") if "text" in part else part["markup"]
            end = position + len(units(written)) // 2
            if "markup" in part:
                for match in content["matches"]:
                    last = match["offset"] + match["length"]
                    assert last <= position or match["offset"] >= end
            position = end


@settings(max_examples=EXAMPLES // 3, suppress_health_check=list(HealthCheck))
@given(text=prose)
def test_all_matches_applied_give_the_edited_text(client, text):
    text = encodable(text)
    found = client.post("/v2/check", data={"language": "en", "text": text}).json()["matches"]
    edited = client.post("/v1/edit", json={"text": text, "language": "en"}).json()
    assert applied(text, found) == edited["results"][0]["text"]


@settings(max_examples=EXAMPLES // 3, suppress_health_check=list(HealthCheck))
@given(
    method=st.sampled_from(["GET", "POST"]),
    path=st.sampled_from(["check", "words", "words/add", "words/delete", "languages", "info", "configinfo"]),
    query=st.binary(max_size=60),
    body=st.binary(max_size=200),
)  # fmt: skip
def test_any_bytes(client, method, path, query, body):
    plain = query.decode("latin-1").encode("unicode_escape").decode().replace("#", "%23")
    answer = client.request(method, f"/v2/{path}?{plain}", content=body)
    assert answer.status_code in (200, 400, 403, 405, 413)
