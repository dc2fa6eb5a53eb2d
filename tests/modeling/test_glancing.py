import torch

from emendo.ctc import BLANK
from emendo.labels import NO_LABEL
from emendo.modeling.ctc_loss import Targets
from emendo.modeling.glancing import glance, gold_ids, path_labels


def test_the_chance_is_the_share_of_wrong_slots():
    torch.manual_seed(0)
    gold = torch.zeros(3, 10_000, dtype=torch.int64)
    guess = gold.clone()
    guess[1, :2500] = 1
    guess[2, :] = 1
    is_slot = torch.ones_like(gold, dtype=torch.bool)
    is_slot[1, 5000:] = False
    shown = glance(gold, guess, is_slot, ratio=1.0)
    assert not shown[0].any()
    assert not shown[1, 5000:].any()
    assert abs(shown[1, :5000].float().mean() - 0.5) < 0.03
    assert shown[2].all()
    assert abs(glance(gold, guess, is_slot, ratio=0.3)[2].float().mean() - 0.3) < 0.03


def test_what_is_shown():
    targets = Targets.of(torch.tensor([[7, 99]]))
    gold = path_labels(torch.tensor([[0, 1, 2]]), targets)
    assert gold.tolist() == [[BLANK, 7, 99]]
    # 99 is a spelling beyond the vocabulary that only KEEP gives: the encoder read it as 3.
    shown = gold_ids(gold, torch.tensor([[5, 6, 3]]), torch.tensor([[NO_LABEL, 6, 99]]), mask_id=4)
    assert shown.tolist() == [[4, 7, 3]]
