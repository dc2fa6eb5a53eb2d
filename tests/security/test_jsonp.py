"""JSONP lets any web page read an answer: it is off unless asked for, and knows no dictionaries."""

from tests.serving.conftest import client_of

CHECK = "/v2/check?language=en&text=This+is+teh+dog."


def test_it_is_off_unless_it_is_asked_for(client):
    answer = client.get(f"{CHECK}&callback=go")
    assert answer.status_code == 400
    assert answer.text.startswith("Error: ")
    assert "--jsonp" in answer.text


def test_it_tells_nothing_of_a_dictionary(editor):
    with client_of(editor, has_jsonp=True) as client:
        client.post("/v2/words/add", data={"word": "teh"})
        assert client.get(CHECK).json()["matches"] == []
        # What a browser says about a script of a page elsewhere.
        fetch = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
        answer = client.get(f"{CHECK}&callback=go", headers=fetch)
        assert answer.headers["content-type"].startswith("application/javascript")
        assert answer.text.startswith("go({")
        assert "EMENDO_SPELLER_RULE" in answer.text, "as if the word were in no dictionary"
        for more in ("dicts=other", "username=me&apiKey=any"):
            refused = client.get(f"{CHECK}&callback=go&{more}")
            assert refused.status_code == 400
            assert "dictionar" in refused.text
        assert client.get(f"{CHECK}&callback=alert(1)").status_code == 400
