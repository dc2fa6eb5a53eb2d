"""Pairs without end, for data larger than a disk: encoded as they pass, resumed where they stopped.

Whatever fits a disk is better off in a `PairStore`: it is encoded once and shuffled as a whole.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from emendo.data.batching import TokenBudgetSampler
from emendo.data.filters import PairFilter
from emendo.data.readers import PairFiles
from emendo.errors import FormatError, require
from emendo.text import EditPair

require("emendo.data.streams", "train", "datasets", "torch")

from datasets import Features, IterableDataset, Value
from torch.utils.data import IterableDataset as TorchIterableDataset

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from emendo.data.encoding import EncodedPair, PairEncoder
    from emendo.data.readers import ParallelFiles


def stream_pairs(
    files: PairFiles, *, seed: int = 0, rank: int = 0, world: int = 1
) -> IterableDataset:
    """Return the texts of files as a stream that starts again whenever it ends.

    Files are the shards: their order is shuffled once, each rank and each worker of a `DataLoader`
    reads its own. Pairs within a file come in the file's order, so files must be shuffled
    when they are written. There is no shuffle buffer, because its content is lost on resume; and
    the repetition is inside the stream, because one that is started anew at each epoch resumes
    wrongly across an epoch's end. To resume is to read a file up to the place again, so files of
    a few million pairs at most are best.

    Raises:
        ValueError: There are fewer files than ranks.
    """
    if len(files.files) < world:
        raise ValueError(
            f"{world} ranks cannot share {len(files.files)} files: split the data into more"
        )
    order = np.random.default_rng(seed).permutation(len(files.files))
    shards = [files.files[i] for i in order[rank::world]]
    stream = IterableDataset.from_generator(
        _texts,
        features=Features({"source": Value("string"), "target": Value("string")}),
        # A list is what `datasets` deals out to workers, and counts a place in.
        gen_kwargs={"shards": shards, "annotator": files.annotator},
    )
    return stream.repeat(None)


def _texts(
    shards: Iterable[Path | ParallelFiles], annotator: int | None
) -> Iterator[dict[str, str]]:
    for pair in PairFiles(*shards, annotator=annotator).read():
        yield pair._asdict()


class StreamBatches(TorchIterableDataset["list[EncodedPair]"]):
    """Batches under a token budget from a stream of texts.

    It takes a window of pairs, encodes those worth training on, and deals them out in batches as
    `TokenBudgetSampler` would. Within a `DataLoader` give it `batch_size=None`. `state_dict`
    holds the place exactly, to the batch. Ask for it, and for `refused`, in the process that
    iterates: without workers, or through torchdata's `StatefulDataLoader`.
    """

    def __init__(
        self,
        stream: IterableDataset,
        encoder: PairEncoder,
        budget: int,
        *,
        pair_filter: PairFilter | None = None,
        window: int = 65_536,
        seed: int = 0,
    ) -> None:
        """Set it up.

        Args:
            stream: From `stream_pairs`.
            encoder: What to encode for.
            budget: Source tokens of a batch, padding included.
            pair_filter: What to leave out, within each window; None is `PairFilter()`.
            window: Pairs read at once. More of them means less padding, and more memory.
            seed: For the order of batches.
        """
        self._stream, self._encoder, self._budget = stream, encoder, budget
        self._filter, self._window, self._seed = pair_filter or PairFilter(), window, seed
        self.refused: Counter[str] = Counter()
        """Pairs that were read and left out until now, by reason."""
        self._state: dict[str, Any] = {"window": 0, "batches": 0, "refused": {}, "stream": None}

    def state_dict(self) -> dict[str, Any]:
        """Return the place: where the window starts, and the batches that it has given."""
        return dict(self._state)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on, with the next iteration, from a place."""
        self._state = dict(state)

    def __iter__(self) -> Iterator[list[EncodedPair]]:
        # None is the beginning, and forgets what was loaded before.
        self._stream.load_state_dict(self._state["stream"])
        self.refused = Counter(self._state["refused"])
        texts = iter(self._stream)
        while window := [EditPair(**text) for text in itertools.islice(texts, self._window)]:
            kept = self._filter.apply(window, self.refused)
            encoded = list(self._encoder.encode(kept, self.refused))
            if not encoded:
                raise FormatError(
                    f"none of {len(window)} pairs in a row can be trained on; see what was "
                    f"refused until here: {dict(self.refused)}"
                )
            plan = TokenBudgetSampler(
                [len(pair.ids) for pair in encoded], self._budget, seed=self._seed
            )
            # Each window has an order of its own.
            plan.set_epoch(self._state["window"])
            for indices in itertools.islice(plan, self._state["batches"], None):
                self._state["batches"] += 1
                yield [encoded[i] for i in indices]
            self._state = {
                "window": self._state["window"] + 1,
                "batches": 0,
                "refused": dict(self.refused),
                "stream": self._stream.state_dict(),
            }
