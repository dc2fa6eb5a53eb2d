"""Figures of a run, counted from one line of the log to the next."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from emendo.training import callbacks
from emendo.training.callbacks import OperationShares

SHARES = torch.tensor([0.5, 0.25, 0.25])


def count_batch(shares, *, tokens=6, unfit=1):
    """Count one sentence with two slots for each token."""
    module = SimpleNamespace(training=True, per_slot=lambda mask: mask.repeat_interleave(2, 1))
    output = SimpleNamespace(
        three_way=SHARES.log().expand(1, 2 * tokens, 3), unfit=torch.tensor(unfit)
    )
    shares(module, (), {"attention_mask": torch.ones(1, tokens, dtype=torch.long)}, output)


class Named(OperationShares):
    """One that is made with an argument, and holds something of its own."""

    def __init__(self, stage):
        super().__init__()
        self.stage = stage
        self.lines = 0

    def take(self, world):
        self.lines += 1
        return {**super().take(world), "stage": self.stage}


def test_each_line_counts_from_the_one_before():
    shares = OperationShares()
    count_batch(shares)
    count_batch(shares)
    first = shares.take(1)
    assert [first[name] for name in ("keep", "blank", "add")] == pytest.approx(SHARES.tolist())
    assert first["unfit"] == 2
    assert first["tokens_per_s"] > 0
    assert set(shares.take(1).values()) == {0}
    count_batch(shares)
    assert shares.take(1)["unfit"] == 1


def test_the_time_of_a_score_is_left_out(monkeypatch):
    now = 0.0
    monkeypatch.setattr(callbacks, "time", SimpleNamespace(perf_counter=lambda: now))
    shares = OperationShares()
    now = 8.0
    shares.skip()
    count_batch(shares, tokens=6)
    now = 10.0
    shares.skip()
    assert shares.take(1)["tokens_per_s"] == pytest.approx(3.0)


def test_a_new_line_resets_only_what_is_counted():
    shares = Named("pretrain")
    for unfit in (3, 5):
        count_batch(shares, unfit=unfit)
        line = shares.take(1)
        assert (line["stage"], line["unfit"]) == ("pretrain", unfit)
    assert shares.lines == 2
