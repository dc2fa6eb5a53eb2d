import random

import numpy as np
import pytest

from emendo.evaluation.gleu import score_gleu
from emendo.evaluation.gold import read_gold
from emendo.evaluation.resampling import bootstrap, compare


def _package_gleu(source, reference, hypothesis):
    """GLEU of a corpus with one reference a sentence, by the `gleu` package."""
    from gleu.aggreg import make_drn_accum
    from gleu.count import make_dx_xlen, set_tokenization
    from gleu.score import drn_accum_to_n_accum, n_accum_to_gleu

    set_tokenization("word")
    accumulated = make_drn_accum(4, source, [[text] for text in reference], hypothesis)
    n_accum = drn_accum_to_n_accum(accumulated, [0] * len(source))
    lengths = [make_dx_xlen([[text] for text in texts]).sum() for texts in (reference, hypothesis)]
    return 100 * n_accum_to_gleu(n_accum, *lengths)


def test_equals_the_package_on_random_corpora():
    rng = random.Random(0)
    for _ in range(200):
        size = rng.randrange(1, 5)
        texts = [
            [" ".join(rng.choices("abc", k=rng.randrange(9))) for _ in range(size)]
            for _ in range(3)
        ]
        source, reference, hypothesis = texts
        with np.errstate(all="ignore"):
            expected = _package_gleu(source, reference, hypothesis)
        found = score_gleu(source, [[r] for r in reference], hypothesis).values()["gleu"]
        assert found == pytest.approx(expected), texts


@pytest.mark.parametrize(("part", "published"), [("dev", 38.2), ("test", 40.5)])
def test_jfleg_source(evaluation_data, part, published):
    folder = evaluation_data / "jfleg" / part
    gold = read_gold(folder / f"{part}.src", [folder / f"{part}.ref{i}" for i in range(4)])
    scored = score_gleu(gold.sources, gold.references, gold.sources)
    value = scored.values()["gleu"]
    assert value == pytest.approx(published, abs=0.2)
    low, high = bootstrap(scored, runs=200)
    assert low < value < high
    # Four references, drawn alike for both: a system does not differ from itself.
    assert compare(scored, scored, runs=100) == (0, 0, 0, 1)
