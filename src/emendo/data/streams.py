"""An endless stream of pairs, encoded on the fly and resumable, for data larger than a disk.

For data that fits on a disk, a `PairStore` is better: it is encoded once and shuffled as a whole.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from emendo.data.batching import TokenBudgetSampler
from emendo.data.filters import PairFilter
from emendo.data.readers import PairFiles
from emendo.errors import ConfigError, FormatError, require
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

    Files are the shards: their order is shuffled once, and each rank and each worker of a
    `DataLoader` reads its own. Pairs keep the order of the file, so files must be shuffled when
    they are written. There is no shuffle buffer, because its content is lost on resume. The
    stream itself repeats the files, because one that is restarted at each epoch resumes wrongly
    across an epoch's end. Resuming reads a file again up to the last position, so files should
    have a few million pairs at most.

    Raises:
        ConfigError: There are fewer files than ranks.
    """
    if len(files.files) < world:
        raise ConfigError(
            f"{world} ranks cannot share {len(files.files)} files: split the data into more"
        )
    order = np.random.default_rng(seed).permutation(len(files.files))
    shards = [files.files[i] for i in order[rank::world]]
    stream = IterableDataset.from_generator(
        _texts,
        features=Features({"source": Value("string"), "target": Value("string")}),
        # `datasets` distributes a list to workers, and counts the position in it.
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

    It takes a window of pairs, filters and encodes them, and yields batches like
    `TokenBudgetSampler`. Use `batch_size=None` in a `DataLoader`. `state_dict` has the exact
    position, to the batch. Read it, and `refused`, in the process that iterates: without workers,
    or through torchdata's `StatefulDataLoader`.
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
            encoder: Encodes the pairs.
            budget: Source tokens of a batch, padding included.
            pair_filter: Leaves out pairs within each window; None is `PairFilter()`.
            window: Pairs read at once. More of them means less padding, and more memory.
            seed: For the order of batches.
        """
        self._stream, self._encoder, self._budget = stream, encoder, budget
        self._filter, self._window, self._seed = pair_filter or PairFilter(), window, seed
        self.refused: Counter[str] = Counter()
        """Pairs that were read and left out so far, by reason."""
        self._state: dict[str, Any] = {"window": 0, "batches": 0, "refused": {}, "stream": None}

    def state_dict(self) -> dict[str, Any]:
        """Return the position: the start of the window, and the number of its batches so far."""
        return dict(self._state)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a position in the next iteration."""
        self._state = dict(state)

    def __iter__(self) -> Iterator[list[EncodedPair]]:
        # None is the beginning, and discards an earlier position.
        self._stream.load_state_dict(self._state["stream"])
        self.refused = Counter(self._state["refused"])
        texts = iter(self._stream)
        while window := [EditPair(**text) for text in itertools.islice(texts, self._window)]:
            kept = self._filter.apply(window, self.refused)
            encoded = list(self._encoder.encode(kept, self.refused))
            if not encoded:
                raise FormatError(
                    f"none of {len(window)} pairs in a row can be trained on; refused "
                    f"so far: {dict(self.refused)}"
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
