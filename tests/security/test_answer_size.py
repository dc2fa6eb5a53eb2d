"""An answer of /v2/check grows with its text, not with its square."""

import pytest

SENTENCE = "and this is teh dog that likes "


def check(client, text, **form):
    answer = client.post("/v2/check", data={"language": "en", "text": text, **form})
    assert answer.status_code == 200
    return answer


def test_a_run_on_sentence_is_not_repeated_whole_for_each_match(client):
    sizes = [len(check(client, "This is it " + SENTENCE * k).content) for k in (100, 200, 400)]
    assert sizes[1] < 2.2 * sizes[0]
    assert sizes[2] < 2.2 * sizes[1]


@pytest.mark.parametrize("place", [0, 50, 99])
def test_of_a_long_sentence_a_match_has_the_part_around_it(client, place):
    words = ["this is a dog that I have seen"] * 100
    words[place] = "😀 this is teh dog"
    text = ", ".join(words) + "."
    (match,) = check(client, text).json()["matches"]
    assert "teh dog" in match["sentence"]
    assert match["sentence"] in text
    assert 200 < len(match["sentence"]) <= 500


def test_a_usual_sentence_comes_whole(client):
    text = "It is here. This is teh dog that I have seen, as far as I know. It is gone."
    (match,) = check(client, text).json()["matches"]
    assert match["sentence"].strip() == "This is teh dog that I have seen, as far as I know."


def test_matches_beyond_the_bound_are_said_to_be_missing(client):
    text = "This is teh dog. " * 11_000
    found = check(client, text).json()
    assert len(found["matches"]) == 10_000
    assert found["warnings"]["incompleteResults"] is True
    assert "10,000" in found["warnings"]["incompleteResultsReason"]
    assert check(client, text[:170_000]).json()["warnings"] == {"incompleteResults": False}
