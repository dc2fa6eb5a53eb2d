import random

import pytest

from emendo.evaluation.gold import read_gold
from emendo.evaluation.sari import score_sari
from tests.evaluation.plain_sari import plain_sari_geva2019, plain_sari_xu2016

ORACLES = {"xu2016": plain_sari_xu2016, "geva2019": plain_sari_geva2019}
ABOUT = "About 95 species are currently accepted ."
ABOUT_REFERENCES = [
    "About 95 species are currently known .",
    "About 95 species are now accepted .",
    "95 species are now accepted .",
]


def _sari(variant, source, hypothesis, references):
    return score_sari([source], [references], [hypothesis], variant=variant).values()["sari"]


@pytest.mark.parametrize(
    ("hypothesis", "published"),
    [("About 95 you now get in .", 26.83), ("About 95 species are now agreed .", 58.90)],
)
def test_published_sentences(hypothesis, published):
    found = _sari("xu2016", ABOUT, hypothesis, ABOUT_REFERENCES)
    assert found == pytest.approx(published, abs=0.005)


@pytest.mark.parametrize("variant", ORACLES)
def test_equals_the_plain_one_on_random_sentences(variant):
    rng = random.Random(0)

    def sentence():
        return " ".join(rng.choices("abcd", k=rng.randrange(9)))

    for _ in range(1000):
        source, hypothesis = sentence(), sentence()
        references = [sentence() for _ in range(rng.randrange(1, 5))]
        expected = ORACLES[variant](source, hypothesis, references)
        assert _sari(variant, source, hypothesis, references) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("variant", ORACLES)
@pytest.mark.parametrize("corpus", ["asset", "turkcorpus"])
def test_equals_the_plain_one_on_corpora(evaluation_data, corpus, variant):
    if corpus == "asset":
        folder = evaluation_data / "asset/dataset"
        source, names = folder / "asset.test.orig", [f"asset.test.simp.{i}" for i in range(10)]
    else:
        folder = evaluation_data / "turkcorpus/data/turkcorpus"
        source, names = (
            folder / "test.8turkers.tok.norm",
            [f"test.8turkers.tok.turk.{i}" for i in range(8)],
        )
    gold = read_gold(source, [folder / name for name in names])
    # The first annotator as the system, the others as its references; and no change at all.
    first = [of[0] for of in gold.references]
    for hypotheses, references in (
        (first, [of[1:] for of in gold.references]),
        (gold.sources, gold.references),
    ):
        found = score_sari(gold.sources, references, hypotheses, variant=variant).values()["sari"]
        plain = [
            ORACLES[variant](s, h, list(of))
            for s, h, of in zip(gold.sources, hypotheses, references, strict=True)
        ]
        assert found == pytest.approx(sum(plain) / len(plain), abs=1e-9)
