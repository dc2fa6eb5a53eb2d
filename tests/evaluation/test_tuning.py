import pytest

from emendo import Edit, EditedText
from emendo.bundle import Level
from emendo.evaluation import type_thresholds
from emendo.evaluation.aims import AIMS, Aim
from emendo.evaluation.counts import Counts
from emendo.evaluation.tuning import _false_alarms, tune_levels
from emendo.evaluation.type_thresholds import DevEdits, Touched, propose_levels

# Of one type of edit alone, or of two, no type can keep to a part of the limit.
OF_ANY_TYPE = {name: aim._replace(one_type=1.0) for name, aim in AIMS.items()}


def edited_alike(sentences):
    """An editor whose levels differ in their thresholds alone."""
    return lambda levels: [list(map(level.filter, sentences)) for level in levels]


def test_a_level_is_what_it_gives_after_all_rounds():
    """A second round finds an error that the first leaves, unless a threshold stops both."""

    def edit(levels):
        return [
            [
                EditedText(
                    "a b", (Edit(0, 1, "x"), *([] if level.edit_threshold else [Edit(2, 3, "y")]))
                )
            ]
            * 100
            for level in levels
        ]

    def count(outputs):
        return [Counts(2 - len({"a", "b"} & set(text.split())), 2, 2) for text in outputs]

    tuned = tune_levels(edit, count)
    assert {found.counts.recall for found in tuned.values()} == {1}
    assert {found.level.edit_threshold for found in tuned.values()} == {0}


def test_levels_order_precision_and_recall():
    """Edits whose confidence says how often they are right: higher levels leave out more."""
    sentences = [
        EditedText("a", (Edit(0, 1, "b", k / 100),), confidence=k / 100) for k in range(1, 100)
    ]

    def count(outputs):
        # Every sentence wants the edit, but where the edit is unsure it is mostly wrong.
        return [
            Counts(int(text == "b" and k % 10 < k / 10), int(text == "b"), 1)
            for k, text in zip(range(1, 100), outputs, strict=True)
        ]

    tuned = tune_levels(edited_alike(sentences), count)
    precise, balanced, thorough = (tuned[n].counts for n in ("precise", "balanced", "thorough"))
    assert precise.precision >= balanced.precision >= thorough.precision
    assert precise.recall <= balanced.recall <= thorough.recall
    assert precise.precision > thorough.precision


def test_false_alarms_are_bounded():
    """Where sure edits are wrong in correct sentences, levels give up recall for quiet."""
    sentences = [
        EditedText("a", (Edit(0, 1, "b", k / 1000),), confidence=k / 1000) for k in range(1000)
    ]

    def count(outputs):
        # Every other sentence is right as it is; in the others every edit is right.
        return [
            Counts(int(wanted and text == "b"), int(text == "b"), int(wanted))
            for wanted, text in zip([True, False] * 500, outputs, strict=True)
        ]

    tuned = tune_levels(edited_alike(sentences), count, aims=OF_ANY_TYPE)
    alarms = [tuned[name].false_alarms for name in ("precise", "balanced", "thorough")]
    # Thresholds of 0.995, 0.99, 0.95 and 0.92 let 0.6, 1, 5 and 8 % of the edits pass. 1 % of 500
    # sentences could as well be 2.1 % of others, 8 % 10.2 %, and 0.6 % more than 0.5 %.
    assert alarms == [0.006, 0.006, 0.05]
    elsewhere = [tuned[name].false_alarms_elsewhere for name in ("balanced", "thorough")]
    assert elsewhere == pytest.approx([0.0153, 0.0684], abs=1e-3)


def test_silence_in_a_few_sentences_promises_little():
    """No false alarm in 200 sentences could as well be 1.3 % of others."""
    counts = [Counts(0, 0, 0)] * 200
    share, bound = _false_alarms(counts)
    assert share == 0
    assert bound == pytest.approx(0.0133, abs=1e-4)
    assert _false_alarms([]) == (0.0, 0.0)
    assert _false_alarms([Counts(0, 1, 0)] * 3)[1] == pytest.approx(1)


def test_protected_edits_are_no_alarms():
    """What a document would not let through says nothing about a level."""
    wrong = EditedText("so . . . no", (Edit(3, 8, ".", 1.0),))
    right = EditedText("a", (Edit(0, 1, "b", 0.6),), confidence=0.6)

    def count(outputs):
        return [
            *(Counts(0, int(text != wrong.source), 0) for text in outputs[:500]),
            *(Counts(int(text == "b"), int(text == "b"), 1) for text in outputs[500:]),
        ]

    tuned = tune_levels(edited_alike([wrong] * 500 + [right] * 500), count)
    assert {found.false_alarms for found in tuned.values()} == {0}
    assert {found.counts.recall for found in tuned.values()} == {1}


def test_types_have_their_own_thresholds():
    """Sure spelling is right, sure commas are false alarms: one threshold cannot have both."""
    sentences = [EditedText("a", (Edit(0, 1, "b", 0.5, "spelling"),))] * 300
    sentences += [EditedText("c", (Edit(0, 1, "d", 0.9, "punctuation"),))] * 300

    def count(outputs):
        return [Counts(int(text == "b"), int(text == "b"), 1) for text in outputs[:300]] + [
            Counts(0, int(text == "d"), 0) for text in outputs[300:]
        ]

    tuned = tune_levels(edited_alike(sentences), count)
    for found in tuned.values():
        assert found.counts.recall == 1
        assert found.false_alarms == 0


def test_every_register_is_held_to_the_limit():
    """A tenth of one kind of correct text is touched at 0.5, and nothing of the other."""
    wrong = EditedText("a", (Edit(0, 1, "b", 0.6),))
    touched = EditedText("c", (Edit(0, 1, "d", 0.5),))
    fine = EditedText("e")
    sentences = [wrong] * 100 + [touched] * 50 + [fine] * 450 + [fine] * 2000

    def count(outputs):
        return [Counts(int(text == "b"), int(text == "b"), 1) for text in outputs[:100]] + [
            Counts(0, int(text == "d"), 0) for text in outputs[100:]
        ]

    registers = [range(100, 600), range(600, len(sentences))]
    tuned = tune_levels(edited_alike(sentences), count, registers)
    assert tuned["balanced"].false_alarms == 0
    assert tuned["balanced"].counts == Counts(100, 100, 100), "clean text counts for alarms alone"


def test_a_limit_is_spent_where_it_brings_most():
    """Two types share a limit that has room for one: the rarer one, which is right more often."""
    sentences = [EditedText("a", (Edit(0, 1, "b", 0.8, "article"),))] * 200
    sentences += [EditedText("c", (Edit(0, 1, "d", 0.8, "punctuation"),))] * 260
    # Of 4,000 correct sentences, one touches 1.2 % and the other 1.5 %.
    sentences += [EditedText("e", (Edit(0, 1, "f", 0.8, "article"),))] * 48
    sentences += [EditedText("g", (Edit(0, 1, "h", 0.8, "punctuation"),))] * 60
    sentences += [EditedText("i")] * 3892

    def count(outputs):
        articles = [Counts(int(text == "b"), int(text == "b"), 1) for text in outputs[:200]]
        marks = [
            Counts(int(text == "d" and k < 100), int(text == "d"), 1)
            for k, text in enumerate(outputs[200:460])
        ]
        clean = [Counts(0, int(text in "fh"), 0) for text in outputs[460:]]
        return articles + marks + clean

    registers = [range(460, 4460)]
    tuned = tune_levels(edited_alike(sentences), count, registers, OF_ANY_TYPE)
    assert tuned["balanced"].counts == Counts(200, 200, 460)
    assert tuned["balanced"].false_alarms == 0.012
    assert tuned["thorough"].counts == Counts(300, 460, 460)


def test_no_type_uses_up_the_limit():
    """Commas are right most often on the dev data, and would use nearly all of the limit."""
    types = {"punctuation": (300, 60), "article": (60, 16), "spelling": (50, 16)}
    # With few types, each may use more.
    others = {f"type {k}": (40, 0) for k in range(8)}
    types |= others
    edited = {name: EditedText("a", (Edit(0, 1, "b", 0.8, name),)) for name in types}
    sentences = [edited[name] for name, (right, _) in types.items() for _ in range(right)]
    wrong = len(sentences)
    sentences += [edited[name] for name, (_, alarms) in types.items() for _ in range(alarms)]
    sentences += [EditedText("c")] * (wrong + 4000 - len(sentences))

    def count(outputs):
        return [Counts(int(text == "b"), int(text == "b"), 1) for text in outputs[:wrong]] + [
            Counts(0, int(text == "b"), 0) for text in outputs[wrong:]
        ]

    def balanced(one_type):
        aims = {"balanced": Aim(0.5, 0.02, one_type)}
        registers = [range(wrong, len(sentences))]
        return tune_levels(edited_alike(sentences), count, registers, aims)["balanced"]

    # 60 of 4,000 correct sentences are 1.5 %; with articles and spelling they would be 2.3 %.
    assert (balanced(1.0).counts.correct, balanced(1.0).of_one_type) == (300 + 320, 0.015)
    assert (balanced(0.25).counts.correct, balanced(0.25).of_one_type) == (110 + 320, 0.004)


def test_with_few_types_each_may_use_more():
    """2.8 times an even share, but no less than the aim says."""
    aim = Aim(0.5, 0.02, 0.2)
    parts = {types: aim.spread_over(types).one_type for types in (0, 1, 2, 5, 8, 14, 20)}
    assert parts == pytest.approx({0: 0.2, 1: 1.0, 2: 1.0, 5: 0.56, 8: 0.35, 14: 0.2, 20: 0.2})
    types = [f"type {k}" for k in range(5)]
    sentences = [EditedText("a", (Edit(0, 1, "b", 0.8, name),)) for name in types * 60]
    wrong = len(sentences)
    # 0.6 % of 4,000 correct sentences: within 0.56 of the limit of 2 %, and not within 0.2.
    sentences += [EditedText("a", (Edit(0, 1, "b", 0.8, types[0]),))] * 24
    sentences += [EditedText("c")] * (wrong + 4000 - len(sentences))

    def count(outputs):
        return [Counts(int(text == "b"), int(text == "b"), 1) for text in outputs[:wrong]] + [
            Counts(0, int(text == "b"), 0) for text in outputs[wrong:]
        ]

    registers = [range(wrong, len(sentences))]
    tuned = tune_levels(edited_alike(sentences), count, registers, {"balanced": aim})
    assert tuned["balanced"].counts.correct == 300


def test_levels_well_within_the_limit_are_tried_beside_those_at_the_limit(monkeypatch):
    """Those at the limit may all exceed it with the margin for chance."""
    monkeypatch.setattr(type_thresholds, "_PROPOSALS", 1)
    # Thirty types, each with a threshold at which four alarms bring one to six right edits.
    types = {
        f"type {k}": [
            *(Touched(0.9, 1, 1, [0.0]) for _ in range(40)),
            *(Touched(0.6, 1, 1, [0.0]) for _ in range(1 + k // 5)),
            *(Touched(0.6, 0, 0, [1 / 4000]) for _ in range(4)),
        ]
        for k in range(30)
    }
    aim = Aim(0.5, 0.02, 1.0)
    found = propose_levels(Level(), DevEdits(types, gold=4000, sentences=4000), aim)

    def alarms(level):
        thresholds = dict(level.type_thresholds)
        return sum(
            sum(each.alarms)
            for name, touched in types.items()
            for each in touched
            if each.confidence >= thresholds.get(name, level.edit_threshold)
        )

    assert {round(alarms(level), 4) for level in found} == {0.015, 0.02}


def tuned_on(right, wrong):
    """Return the level for sentences of which some edits, all to *b*, are right and others not."""

    def count(outputs):
        edited = [int(text == "b") for text in outputs]
        return [Counts(each if row < len(right) else 0, each, 1) for row, each in enumerate(edited)]

    aims = {"balanced": Aim(0.5, 0.02, 1.0)}
    return tune_levels(edited_alike([*right, *wrong]), count, aims=aims)["balanced"]


@pytest.mark.parametrize("listed", [True, False])
def test_the_list_of_words_has_a_threshold_of_its_own(listed):
    """The corrections of the list are right at a confidence at which the network's are wrong."""
    right = EditedText("a", (Edit(0, 1, "b", 0.6, "spelling", is_listed=listed),))
    wrong = EditedText("c", (Edit(0, 1, "b", 0.6, "spelling"),))
    found = tuned_on([right] * 100, [wrong] * 100)
    assert found.counts.correct == 100
    assert found.counts.proposed == (100 if listed else 200)
    assert ("listed" in dict(found.level.type_thresholds)) == listed


def test_a_rare_list_of_words_never_has_the_threshold_of_another_type():
    """Ten edits are too few for a threshold of one's own, except for the list of words."""
    right = EditedText("a", (Edit(0, 1, "b", 0.6, "spelling"),))
    wrong = EditedText("c", (Edit(0, 1, "b", 0.6, "spelling", is_listed=True),))
    found = tuned_on([right] * 40, [wrong] * 10)
    assert "listed" in dict(found.level.type_thresholds)
    assert found.counts.proposed == found.counts.correct == 40


def test_support_keeps_alarms_low_where_mistakes_come_together():
    """Wrong sentences have two edits, correct ones one; all edits are equally sure."""
    wrong = EditedText("a c", (Edit(0, 1, "b", 0.7), Edit(2, 3, "d", 0.7)))
    correct = EditedText("a", (Edit(0, 1, "b", 0.7),))
    registers = [range(40, 640)]

    def count(outputs):
        changed = [sum(word in "bd" for word in text.split()) for text in outputs]
        return [Counts(each, each, 2) for each in changed[:40]] + [
            Counts(0, each, 0) for each in changed[40:]
        ]

    sentences = [wrong] * 40 + [correct] * 60 + [EditedText("e")] * 540
    for support, recall in ((0.0, 0), (0.5, 1)):
        aims = {"balanced": Aim(0.5, 0.02, 1.0, support)}
        (found,) = tune_levels(edited_alike(sentences), count, registers, aims).values()
        assert (found.counts.recall, found.false_alarms) == (recall, 0)
        assert found.level.support == support


def test_levels_of_different_support_keep_their_names():
    aims = {
        name: Aim(0.5, 0.02, 1.0, support) for name, support in (("a", 0.5), ("b", 0), ("c", 0.5))
    }
    tuned = tune_levels(edited_alike([EditedText("a")]), lambda _: [Counts(0, 0, 1)], aims=aims)
    assert {name: found.level.support for name, found in tuned.items()} == {
        name: aim.support for name, aim in aims.items()
    }
    assert list(tuned) == list("abc")


def test_proposals_by_type_see_the_support_of_other_types():
    """Articles and commas are equally sure; only supported articles are right."""
    article, comma = Edit(0, 1, "b", 0.7, "article"), Edit(2, 3, "d", 0.7, "punctuation")
    both, alone = EditedText("a c", (article, comma)), EditedText("a c", (article,))
    registers = [range(40, 640)]

    def count(outputs):
        wanted = [Counts(text.count("b"), text.count("b"), 1) for text in outputs[:40]]
        return wanted + [Counts(0, int(text != "a c"), 0) for text in outputs[40:]]

    sentences = [both] * 40 + [alone] * 60 + [EditedText("a c")] * 540
    aims = {"balanced": Aim(0.5, 0.02, 1.0, 0.5)}
    edits = {}

    def remember(level, found, aim):
        edits.update(found.types)
        return propose_levels(level, found, aim)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("emendo.evaluation.tuning.propose_levels", remember)
        (tuned,) = tune_levels(edited_alike(sentences), count, registers, aims).values()
    values = {round(each.confidence, 3) for each in edits["article"]}
    # 0.7 beside 0.7: its odds times (1 + 0.7 / 0.2) ** 0.5.
    assert values == {0.7, 0.832}
    assert (tuned.counts.correct, tuned.false_alarms) == (40, 0)


def test_the_levels_of_the_package_have_support():
    assert {aim.support for aim in AIMS.values()} == {0.3}
