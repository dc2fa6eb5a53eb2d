"""Real text in and out: nothing comes from the round trip, and peers are asked as they speak."""

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emendo.errors import FormatError
from emendo.evaluation.gold import gold_from_m2, read_annotated
from emendo.evaluation.raw_text import detokenise, retokenise
from emendo.text import Edit, read_m2
from peers import command, harper, languagetool, quire
from peers.suggestions import take_suggestions
from tests.conftest import ROOT

STYLES = st.sampled_from(("bea", "conll"))
REAL = [
    "I",
    "do",
    "n't",
    "know",
    ",",
    '"',
    "he",
    "'s",
    "(",
    "10",
    "%",
    ")",
    "$",
    "well",
    "-",
    "known",
]
REAL += [
    "'",
    ".",
    "..",
    "...",
    "can",
    "not",
    "2C.",
    ".She",
    "Mr.",
    "/",
    "b",
    "gon",
    "na",
    "haven't",
]
ANY = st.text(
    st.characters(exclude_categories=("Cs", "Zs", "Zl", "Zp", "Cc")), min_size=1, max_size=6
)
TOKENS = st.lists(
    st.sampled_from(REAL) | ANY.filter(lambda token: len(token.split()) == 1), max_size=12
)


@given(TOKENS, STYLES)
def test_a_tool_that_does_nothing_changes_nothing(tokens, style):
    raw = detokenise(tokens, style=style)
    assert [raw.text[start:end] for start, end in raw.spans] == tokens
    assert raw.text.replace(" ", "") == "".join(tokens)
    assert "  " not in raw.text
    assert retokenise(raw, raw.text) == " ".join(tokens)
    assert retokenise(raw, f" {raw.text}\n") == " ".join(tokens)


@given(TOKENS, st.lists(st.text(max_size=8) | st.sampled_from(REAL), max_size=8), STYLES)
def test_nothing_a_tool_writes_is_lost(tokens, words, style):
    corrected = " ".join(words)
    output = retokenise(detokenise(tokens, style=style), corrected)
    assert "".join(output.split()) == "".join(corrected.split())
    assert output == " ".join(output.split())


@given(TOKENS, TOKENS, st.sampled_from(["", "really", "qqq zzz"]), STYLES)
def test_tokens_beside_a_change_come_back(before, after, new, style):
    tokens = [*before, "|", "xxx", "|", *after]
    raw = detokenise(tokens, style=style)
    start, end = raw.spans[len(before) + 1]
    output = retokenise(raw, raw.text[:start] + new + raw.text[end:])
    assert output == " ".join([*before, "|", *new.split(), "|", *after])


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("I do n't know , he said .", "I don't know, he said."),
        ('" Yes " , she said : " I \'m 5 . "', '"Yes", she said: "I\'m 5."'),
        ("He called ( twice ) ; nobody came ...", "He called (twice); nobody came..."),
        ("the girls ' room and Ann 's", "the girls' room and Ann's"),
        ("his ' evil ' plans", "his 'evil' plans"),
        ("it is $ 5 or 10 € , 20 % off # 3", "it is $5 or 10€, 20% off #3"),
        ("a well - known state - of - the - art one", "a well-known state-of-the-art one"),
        ("the sea - which was cold - and he / she", "the sea - which was cold - and he/she"),
        (
            "at home - You know non - English pages 3 - 4",
            "at home - You know non-English pages 3-4",
        ),
        ("I can not , you wo nt , we 're gon na", "I cannot, you wont, we're gonna"),
        ("tea , coffee , ... :) .So", "tea, coffee, ... :) .So"),
        ('He said " no', 'He said "no'),
        ('no , he said "', 'no, he said"'),
        ("« Oui » , ¿ no ? [ 1 ]", "«Oui», ¿no? [1]"),
    ],
)
def test_detokenised_text_is_as_people_write(tokens, text):
    assert detokenise(tokens.split()).text == text


def test_other_sets_keep_their_compounds():
    tokens = ["a", "'real", "'", "face-to-face", "talk", "-", "his", "/", "her"]
    assert detokenise(tokens, style="conll").text == "a 'real' face-to-face talk - his / her"


@pytest.mark.parametrize("token", ["", " ", "a b", "a\u00a0b"])
def test_tokens_have_no_space(token):
    with pytest.raises(FormatError, match="token 1 is"):
        detokenise(["a", token])


@pytest.mark.parametrize(
    ("tokens", "corrected", "output"),
    [
        ("I do n't knows , he said", "I don't know, he said", "I do n't know , he said"),
        ("However it rains", "However, it rains", "However , it rains"),
        ("Dear Mr Smith", "Dear Mr. Smith", "Dear Mr. Smith"),
        ("Dear Mr . Smith", "Dear Mr Smith", "Dear Mr Smith"),
        ("a book", "a books.", "a books ."),
        ("haven't it", "haven't, it", "haven't , it"),
        ("an post - modern one", "a postmodern one", "a postmodern one"),
        ("show busines", "show-business", "show - business"),
        ("cheetah .She ran", "cheetah. She ran", "cheetah . She ran"),
        ("I know it is", "I can't know it's", "I ca n't know it 's"),
        ("15 % of it", "15% of them", "15 % of them"),
        ("he say hi", 'he says "hi."', 'he says " hi . "'),
        ("it can not be", "it can't be", "it ca n't be"),
        ("it is", "it is at 7:40 p.m. in the U.S.", "it is at 7:40 p.m. in the U.S."),
        ("mail", "mail a.b@c.org, www.d.org/e-f", "mail a.b@c.org , www.d.org/e-f"),
        ("it", "it cost $5...", "it cost $ 5 ..."),
        ("all gone", "", ""),
        ("", "new text.", "new text ."),
    ],
)
def test_only_what_is_new_is_tokenised(tokens, corrected, output):
    assert retokenise(detokenise(tokens.split()), corrected) == output


def test_new_text_follows_the_set():
    raw = detokenise(["x"], style="conll")
    assert retokenise(raw, "face-to-face, haven't 5%") == "face-to-face , have n't 5 %"
    raw = detokenise(["x"], style="bea")
    assert retokenise(raw, "face-to-face, haven't 5%") == "face - to - face , haven't 5%"


@pytest.mark.parametrize(
    ("tokens", "corrected", "output"),
    [
        ("Я вижу собака .", "Я вижу собаку.", "Я вижу собаку ."),
        ("Это было в СССР .", "Это случилось в США.", "Это случилось в США ."),
        ("Ich sehe den Straße .", "Ich sehe die Größe.", "Ich sehe die Größe ."),
        ("как нибудь , потом", "как-нибудь, потом", "как-нибудь , потом"),
    ],
)
def test_other_languages_have_their_full_stops(tokens, corrected, output):
    assert retokenise(detokenise(tokens.split(), style="conll"), corrected) == output


@pytest.mark.parametrize(
    ("name", "style", "share"), [("bea-dev", "bea", 0.997), ("nucle14-2a", "conll", 0.995)]
)
def test_the_gold_correction_comes_back(evaluation_data, name, style, share):
    path = evaluation_data / f"pillars-of-gec/data/evaluation_sets/{name}.m2"
    with path.open(encoding="utf-8") as lines:
        sentences = list(read_m2(lines))
    back = 0
    for sentence in sentences:
        raw = detokenise(sentence.tokens, style=style)
        assert retokenise(raw, raw.text) == " ".join(sentence.tokens)
        gold = sentence.corrected()
        back += retokenise(raw, detokenise(gold.split(), style=style).text) == gold
    assert back / len(sentences) > share


def test_suggestions_are_taken_from_the_left():
    edits = [Edit(4, 7, "ice"), Edit(0, 3, "an"), Edit(2, 5, "no"), Edit(7, 7, "!")]
    assert take_suggestions("the hat", edits) == "an ice!"


class LanguageTool(BaseHTTPRequestHandler):
    """Speaks the protocol, and knows two mistakes and one fault without a replacement."""

    def do_POST(self):
        assert self.path == "/v2/check"
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        (text,), (language,) = form["text"], form["language"]
        units = text.encode("utf-16-le")
        matches = []
        for wrong, right in (("teh", ["the", "ten"]), (f"{language} bad", ["good"]), ("odd", [])):
            found = units.find(wrong.encode("utf-16-le"))
            if found >= 0:
                replacements = [{"value": value} for value in right]
                matches.insert(
                    0, {"offset": found // 2, "length": len(wrong), "replacements": replacements}
                )
        status, answer = (
            200,
            {"software": {"name": "LanguageTool", "version": "0"}, "matches": matches},
        )
        if "outside" in text:
            answer["matches"] = [{"offset": 999, "length": 1, "replacements": [{"value": ""}]}]
        body = json.dumps(answer).encode()
        if "too long" in text:
            status, body = 413, b"Error: your text exceeds the limit"
        elif "no json" in text:
            body = b"<html>"
        elif "other json" in text:
            body = b"[]"
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        """Be quiet."""


@pytest.fixture(scope="module")
def server():
    server = HTTPServer(("127.0.0.1", 0), LanguageTool)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_languagetool_counts_in_utf16(server):
    texts = ["Only teh one.", "👩‍👩‍👧 in teh 𝒳 en-US bad odd thing", "Fine & 100% right+clear. é"]
    assert languagetool.connect(server)(texts) == [
        "Only the one.",
        "👩‍👩‍👧 in the 𝒳 good odd thing",
        texts[2],
    ]
    assert languagetool.connect(f"{server}/v2/", "british")(["en-GB bad"]) == ["good"]
    assert languagetool.version(server) == "LanguageTool 0"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("too long", "answered 413: Error: your text exceeds"),
        ("no json", "is not JSON"),
        ("other json", "is it LanguageTool"),
        ("outside", "does not fit the text"),
    ],
)
def test_languagetool_says_what_went_wrong(server, text, message):
    with pytest.raises(SystemExit, match=message):
        languagetool.connect(server)([text])


def test_languagetool_that_is_not_there():
    with pytest.raises(SystemExit, match="is the server running"):
        languagetool.connect("http://127.0.0.1:1")


def test_a_command_maps_lines_to_lines():
    texts = ["naïve teh", "", "a\u2028b 👩"]
    assert command.connect("cat")(texts) == texts
    assert command.connect("sed 's/teh/the/; s/$/\\r/'")(texts) == ["naïve the", *texts[1:]]
    assert command.connect("cat")([]) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "empty"),
        ("no-such-command-at-all", "cannot run no-such-command-at-all: No such file"),
        ("head -n 1", "wrote 1 lines for 2 texts"),
        ("sh -c 'echo first >&2; echo cause >&2; exit 3'", "status 3; last error line: cause"),
        ("false", "status 1; last error line: none"),
        (r"printf '\377\n\n'", "not UTF-8"),
        ("sh -c 'sleep 60; cat'", "sh was stopped after 0.5 s"),
    ],
)
def test_a_command_that_fails_says_why(line, message):
    with pytest.raises(SystemExit, match=message):
        command.connect(line, timeout=0.5)(["a", "b"])


def test_harper():
    pytest.importorskip("harper")
    correct = harper.connect()
    assert correct(["🙂 This is an test of the the linter.", "Fine."]) == [
        "🙂 This is a test of the linter.",
        "Fine.",
    ]
    assert correct(["The colour."]) == ["The color."]
    assert harper.connect("british")(["The colour."]) == ["The colour."]
    assert harper.version().startswith("harper-py ")


def test_quire():
    pytest.importorskip("quire_grammar_model")
    assert quire.connect()(["🙂 She had a apple and and went.", "Fine."]) == [
        "🙂 She had an apple and went.",
        "Fine.",
    ]
    assert "quire-grammar-model" in quire.version()


def run_benchmark(m2, *arguments):
    return subprocess.run(
        [
            *[sys.executable, str(ROOT / "benchmarks/raw_text.py")],
            *["--peer", "command", "--command", "sed s/teh/the/", "--m2", str(m2), *arguments],
        ],
        check=False,
        capture_output=True,
        text=True,
    )


def test_the_benchmark_from_end_to_end(tmp_path, errant):
    m2, output = tmp_path / "set.m2", tmp_path / "output.txt"
    m2.write_text(
        "S I do n't knows teh well - known man .\n"
        "A 3 4|||R:VERB:FORM|||know|||REQUIRED|||-NONE-|||0\n"
        "A 4 5|||R:SPELL|||the|||REQUIRED|||-NONE-|||0\n\n"
        "S \n\n"
        "S Fine , 2C. is it .\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n"
    )
    result = run_benchmark(m2, "--style", "bea", "--output", str(output))
    figures = json.loads(result.stdout.splitlines()[-1])
    assert output.read_text() == "I do n't knows the well - known man .\n\nFine , 2C. is it .\n"
    assert figures.pop("tokens_per_s") > 0
    assert figures == {
        "peer": "command",
        "version": "sed s/teh/the/",
        "sentences": 3,
        "precision": 100,
        "recall": 50,
        "f05": 83.33,
        "correct": 1,
        "proposed": 1,
        "gold": 2,
    }


def test_a_sample_keeps_the_order_and_can_be_scored(tmp_path, errant):
    m2, output = tmp_path / "set.m2", tmp_path / "output.txt"
    m2.write_text("".join(f"S teh {number}\n\n" for number in range(30)))
    done = run_benchmark(
        m2, *["--style", "bea", "--sentences", "7", "--seed", "1", "--output", str(output)]
    )
    assert json.loads(done.stdout.splitlines()[-1])["sentences"] == 7
    numbers = [int(line.removeprefix("the ")) for line in output.read_text().splitlines()]
    assert numbers == sorted(set(numbers))
    gold = gold_from_m2(read_annotated(tmp_path / "output.txt.m2"))
    assert gold.sources == tuple(f"teh {number}" for number in numbers)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--style", "bea", "--sentences", "0"], "1 or more"),
        ([], "--style says how --m2 is tokenised"),
        (["--style", "bea"], "has no sentences"),
    ],
)
def test_a_benchmark_of_nothing_is_refused(tmp_path, arguments, message):
    (tmp_path / "set.m2").write_text("")
    done = run_benchmark(tmp_path / "set.m2", *arguments)
    assert done.returncode
    assert message in done.stderr
    assert "Traceback" not in done.stderr
