"""The best path slot by slot over folded emissions; words are looked up only where they matter.

`undecided` and `decide` use only comparisons, products and sums, so that they work with numpy
arrays here and torch tensors in training, and the rule is written once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from emendo.ctc.alphabet import ADD_COLUMN, BLANK, BLANK_COLUMN, KEEP, KEEP_COLUMN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from emendo.ctc.slots import SlotScores


def undecided(chances: Any) -> Any:
    """Mark the slots where P(KEEP), P(BLANK), P(ADD) alone do not determine the choice.

    Exact: no token has more than P(ADD), so KEEP wins where it has at least P(BLANK) and
    P(ADD), and BLANK where it has at least P(KEEP) + P(ADD) (equation 6). Rounding is monotone,
    so the rule also holds for floating-point numbers.

    Args:
        chances: [..., 3] probabilities of KEEP, BLANK and ADD.
    """
    keep, blank, add = _parts(chances)
    return ~(_keep_wins(keep, blank, add) | (blank >= keep + add))


def decide(chances: Any, own: Any, best: Any) -> tuple[Any, Any]:
    """Return where KEEP and where BLANK is the best symbol; elsewhere it is the best token.

    A tie goes to KEEP if its own mass suffices, then to BLANK, then to KEEP, so that looking
    up words at more slots than `undecided` marks never changes the path.

    Args:
        chances: [..., 3] probabilities of KEEP, BLANK and ADD.
        own: P(the slot's own source token | ADD), which folds into KEEP; 0 where unknown.
        best: P(the likeliest token | ADD); 0 where unknown.
    """
    keep, blank, add = _parts(chances)
    keep_wins = _keep_wins(keep, blank, add)
    folded, word = keep + add * own, add * best
    is_blank = ~keep_wins & (blank >= folded) & (blank >= word)
    return keep_wins | (~is_blank & (keep > 0) & (folded >= word)), is_blank


def _parts(chances: Any) -> tuple[Any, Any, Any]:
    return chances[..., KEEP_COLUMN], chances[..., BLANK_COLUMN], chances[..., ADD_COLUMN]


def _keep_wins(keep: Any, blank: Any, add: Any) -> Any:
    return (keep > 0) & (keep >= blank) & (keep >= add)


def greedy_paths(scores: SlotScores) -> NDArray[np.int64]:
    """Return the best symbol of every slot, [B, S]."""
    shape = scores.three_way.shape[:-1]
    own, best = np.zeros((2, *shape), dtype=scores.three_way.dtype)
    token = np.zeros(shape, dtype=np.int64)
    if scores.rows.size:
        own.flat[scores.rows] = np.exp(scores.keep_scores)
        best.flat[scores.rows] = np.exp(scores.top_scores[:, 0])
        token.flat[scores.rows] = scores.top_ids[:, 0]
    is_keep, is_blank = decide(np.exp(scores.three_way), own, best)
    return np.where(is_keep, KEEP, np.where(is_blank, BLANK, token))
