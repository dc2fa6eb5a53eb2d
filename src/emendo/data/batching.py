"""Batches of similar length under a token budget, planned by seed and epoch for every rank."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from emendo.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray


def share_of_update(per_update: int, per_batch: int, world: int) -> tuple[int, int]:
    """Return the tokens of a batch, and the batches of an update, on each rank.

    Args:
        per_update: Tokens of one update on all ranks together.
        per_batch: Tokens that a rank may have in memory at once.
        world: How many ranks there are.
    """
    budget = min(per_batch, max(1, per_update // world))
    return budget, max(1, round(per_update / (budget * world)))


class TokenBudgetSampler:
    """Indices of pairs, batch by batch: the longest times the number of pairs fits a budget.

    Pairs are sorted by length and split into batches, and the batches are shuffled. Only the seed
    and the epoch determine which pairs of one length share a batch, and the order of batches; the
    number of batches and their shapes are the same in every epoch. A pair longer than the
    budget has its own batch.

    The ranks of one training take turns at the shuffled batches, so that step n trains on the
    n-th batches of all ranks. Each rank gets the same number: the largest batches are halved until
    their number is a multiple of the ranks. Batches are repeated only if none can be halved;
    nothing is ever left out.

    It is already sharded, so give it to a plain `DataLoader(store, batch_sampler=sampler,
    collate_fn=collator)`, and do not pass that to `accelerator.prepare`, which would take
    every n-th of a rank's own batches and lose the rest. `Trainer.get_train_dataloader` may
    return the plain loader: the Trainer moves batches to the device itself, and on resume it
    skips finished batches. But it does not always pass the epoch on to a batch sampler
    (not to one in a plain loader; on resume, not through two wrappers), so call `set_epoch`
    yourself, from a callback: `on_epoch_begin` with `int(state.epoch)`.
    """

    def __init__(
        self, lengths: ArrayLike, budget: int, *, seed: int = 0, rank: int = 0, world: int = 1
    ) -> None:
        """Plan the batches.

        Args:
            lengths: [pairs] source tokens of each.
            budget: Source tokens of a batch, padding included, on one rank.
            seed: The same on all ranks.
            rank: The number of this rank.
            world: How many ranks there are.
        """
        sizes = np.asarray(lengths)
        if not sizes.size:
            raise ConfigError("there are no pairs")
        if budget < 1 or not 0 <= rank < world:
            raise ConfigError(
                f"budget is {budget} and rank {rank} of {world}: the budget must be at least 1, "
                "and ranks count from 0"
            )
        self._seed, self._rank, self._world, self._epoch = seed, rank, world, 0
        # Longest first, so that the first pair of a batch determines how many fit.
        key = int(sizes.max()) - sizes
        # numpy sorts numbers of 16 bits in linear time.
        key = key.astype(np.uint16 if key.max() < 1 << 16 else np.int64)
        # 32 bits halve the memory for 200 million pairs.
        self._pairs = np.argsort(key, kind="stable").astype(np.uint32)
        longest_first = sizes[self._pairs]
        self._bounds = _cut(longest_first, budget, world)
        self._runs = [0, *(np.flatnonzero(np.diff(longest_first)) + 1).tolist(), len(sizes)]
        counts = np.diff(self._bounds)
        padded = int(counts @ longest_first[self._bounds[:-1]].astype(np.int64))
        self.padding = 1 - int(sizes.sum(dtype=np.int64)) / padded
        """The share of the planned tokens that is padding."""

    def set_epoch(self, epoch: int) -> None:
        """Plan the next iteration for this epoch."""
        self._epoch = epoch

    def __len__(self) -> int:
        batches = len(self._bounds) - 1
        return (batches + self._world - 1) // self._world

    def __iter__(self) -> Iterator[list[int]]:
        rng = np.random.default_rng((self._seed, self._epoch))
        pairs = self._pairs.copy()
        for start, end in itertools.pairwise(self._runs):
            # Shuffles pairs of one length in place; a slice is a view.
            rng.shuffle(pairs[start:end])
        order = rng.permutation(len(self._bounds) - 1)
        # Longer than the order only if no batch could be halved; then it starts again.
        order = np.resize(order, len(self) * self._world)
        for batch in order[self._rank :: self._world]:
            yield pairs[self._bounds[batch] : self._bounds[batch + 1]].tolist()


def _cut(longest_first: NDArray[np.integer], budget: int, world: int) -> NDArray[np.int64]:
    """Return where batches start, and where the last one ends."""
    bounds = [0]
    while bounds[-1] < len(longest_first):
        room = budget // max(1, int(longest_first[bounds[-1]]))
        bounds.append(min(bounds[-1] + max(1, room), len(longest_first)))
    while (len(bounds) - 1) % world:
        counts = np.diff(bounds)
        largest = int(np.argmax(counts))
        if counts[largest] == 1:
            break
        bounds.insert(largest + 1, bounds[largest] + int(counts[largest]) // 2)
    return np.array(bounds, dtype=np.int64)
