"""Encoded pairs on disk, written once and then memory-mapped."""

from __future__ import annotations

import itertools
import json
import logging
import multiprocessing
import os
import shutil
from collections import Counter, deque
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from emendo.data.encoding import EncodedPair
from emendo.data.filters import PairFilter
from emendo.errors import FormatError, require
from emendo.labels import NO_LABEL

require("emendo.data.store", "train", "datasets", "filelock", "pyarrow")

import pyarrow as pa
from datasets import Dataset
from filelock import FileLock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from emendo.data.encoding import PairEncoder
    from emendo.data.readers import PairFiles
    from emendo.text import EditPair

# Increase it when the same input would be written differently; old stores are then not used.
_FORMAT = 1
_ROWS = "pairs.arrow"
_ABOUT = "store.json"
_TOKENS = pa.list_(pa.int32())
_SCHEMA = pa.schema(
    # Empty keep_ids mean the ids themselves, except at the edges, as is nearly always the case.
    [("ids", _TOKENS), ("keep_ids", _TOKENS), ("labels", _TOKENS), ("length", pa.int32())]
)
# Pairs of one Arrow batch, and of one task of a worker.
_CHUNK = 8192

_log = logging.getLogger(__name__)


class PairStore:
    """Encoded pairs in a folder: a dataset for torch's `DataLoader`, on any number of ranks.

    Memory does not grow with the pairs, either in writing or in reading.
    """

    def __init__(self, folder: Path | str) -> None:
        """Open a complete store."""
        self.folder = Path(folder)
        self.dataset = Dataset.from_file(str(self.folder / _ROWS)).with_format("arrow")
        """Columns `ids`, `keep_ids` (empty if equal to the ids), `labels`, `length`."""
        about = json.loads((self.folder / _ABOUT).read_text(encoding="utf-8"))
        self.refused: Counter[str] = Counter(about["refused"])
        """Pairs that were read but not stored, by reason."""

    @classmethod
    def build(
        cls,
        files: PairFiles,
        encoder: PairEncoder,
        cache: Path | str,
        *,
        pair_filter: PairFilter | None = None,
        workers: int = 1,
    ) -> PairStore:
        """Encode files into a folder of the cache, or open the store of an earlier run.

        The folder's name is a hash of the files' paths, sizes and times, of the tokenizer, and
        of all settings that matter. The folder appears when it is complete. All ranks can call
        this at once: one writes, the others wait.

        Args:
            files: The files of pairs.
            encoder: Encodes the pairs.
            cache: The folder for stores.
            pair_filter: Leaves out pairs; None is `PairFilter()`.
            workers: Processes that encode. With more than one, the script that calls this needs
                the usual `if __name__ == "__main__":`.

        Raises:
            FormatError: A file is malformed, or no pair is left.
        """
        pair_filter = pair_filter or PairFilter()
        made_of = {
            "format": _FORMAT,
            "files": files.identity(),
            "annotator": files.annotator,
            "filter": asdict(pair_filter),
            "tokenizer": encoder.tokenizer.fingerprint,
            "upsampling": encoder.upsampling,
            "max_tokens": encoder.max_tokens,
        }
        name = sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:20]
        folder = Path(cache) / name
        if not folder.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(folder.with_name(f".{name}.lock")):
                # Another process may have finished it while this one waited.
                if not folder.exists():
                    _write(folder, files, encoder, pair_filter, workers, made_of)
        return cls(folder)

    @property
    def lengths(self) -> NDArray[np.int32]:
        """[pairs] source tokens of each, for `TokenBudgetSampler`."""
        lengths: NDArray[np.int32] = self.dataset.data.column("length").to_numpy()
        return lengths

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: int) -> EncodedPair:
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: Sequence[int]) -> list[EncodedPair]:
        """Return a whole batch; torch calls this method by name."""
        rows = self.dataset[list(indices)]
        columns = (_split(rows.column(name)) for name in ("ids", "keep_ids", "labels"))
        return [
            EncodedPair(ids, keep_ids if len(keep_ids) else _usual_keep_ids(ids), labels)
            for ids, keep_ids, labels in zip(*columns, strict=True)
        ]


def _usual_keep_ids(ids: NDArray[np.int64]) -> NDArray[np.int64]:
    keep_ids: NDArray[np.int64] = ids.copy()
    keep_ids[0] = keep_ids[-1] = NO_LABEL
    return keep_ids


def _split(column: pa.ChunkedArray) -> list[NDArray[np.int64]]:
    """Return the rows of a column of lists."""
    lists = column.combine_chunks()
    values = lists.values.to_numpy().astype(np.int64)
    offsets = lists.offsets.to_numpy()
    return [values[i:j] for i, j in itertools.pairwise(offsets.tolist())]


def _write(
    folder: Path,
    files: PairFiles,
    encoder: PairEncoder,
    pair_filter: PairFilter,
    workers: int,
    made_of: dict[str, Any],
) -> None:
    """Write a store beside its target, and move it there when it is complete."""
    # With the lock held, any files here are from a run that was killed.
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    refused: Counter[str] = Counter()
    count = 0
    pairs = pair_filter.apply(files.read(), refused)
    try:
        with (
            (partial / _ROWS).open("wb") as file,
            pa.ipc.new_stream(file, _SCHEMA) as writer,
        ):
            for batch, also_refused in _encode(pairs, encoder, workers):
                if batch.num_rows:
                    writer.write_batch(batch)
                refused.update(also_refused)
                count += batch.num_rows
        if not count:
            raise FormatError(f"there are no pairs to train on; refused: {_listed(refused)}")
        about = {"pairs": count, "refused": refused, "made of": made_of}
        (partial / _ABOUT).write_text(json.dumps(about, indent=1), encoding="utf-8")
        for path in partial.iterdir():
            # Files must be on disk before the rename, or a crash could leave an empty one.
            with path.open("rb") as written:
                os.fsync(written.fileno())
        partial.rename(folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    _log.info("encoded %d pairs into %s; refused: %s", count, folder, _listed(refused))


def _listed(refused: Counter[str]) -> str:
    return ", ".join(f"{count} ({reason})" for reason, count in refused.most_common()) or "none"


def _encode(
    pairs: Iterable[EditPair], encoder: PairEncoder, workers: int
) -> Iterator[tuple[pa.RecordBatch, Counter[str]]]:
    """Yield the encoded pairs in their order, chunk by chunk."""
    pairs = iter(pairs)
    chunks = iter(lambda: list(itertools.islice(pairs, _CHUNK)), [])
    if workers <= 1:
        yield from (_encode_chunk(encoder, chunk) for chunk in chunks)
        return
    # Not forked: threads of the tokenizer may hold locks.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _start_worker, (encoder,)) as pool:
        # No more tasks than the workers will soon need, or all pairs would be in memory.
        errands = deque(
            pool.submit(_run_errand, chunk) for chunk in itertools.islice(chunks, 2 * workers)
        )
        try:
            while errands:
                yield errands.popleft().result()
                errands += (
                    pool.submit(_run_errand, chunk) for chunk in itertools.islice(chunks, 1)
                )
        finally:
            pool.shutdown(cancel_futures=True)


def _encode_chunk(
    encoder: PairEncoder, pairs: list[EditPair]
) -> tuple[pa.RecordBatch, Counter[str]]:
    refused: Counter[str] = Counter()
    encoded = list(encoder.encode(pairs, refused))
    nothing = np.empty(0, dtype=np.int64)
    columns = [
        _join([pair.ids for pair in encoded]),
        _join(
            [
                nothing
                if np.array_equal(pair.keep_ids, _usual_keep_ids(pair.ids))
                else pair.keep_ids
                for pair in encoded
            ]
        ),
        _join([pair.labels for pair in encoded]),
        pa.array([len(pair.ids) for pair in encoded], pa.int32()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=_SCHEMA), refused


def _join(rows: list[NDArray[np.int64]]) -> pa.ListArray:
    offsets = np.zeros(len(rows) + 1, dtype=np.int32)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    values = np.concatenate([*rows, np.empty(0, dtype=np.int64)]).astype(np.int32)
    return pa.ListArray.from_arrays(offsets, values, type=_TOKENS)


_worker_encoder: PairEncoder


def _start_worker(encoder: PairEncoder) -> None:
    global _worker_encoder  # noqa: PLW0603 - a worker is a process with one encoder for life
    _worker_encoder = encoder
    # The processes already run in parallel.
    os.environ["TOKENIZERS_PARALLELISM"] = "false"


def _run_errand(pairs: list[EditPair]) -> tuple[pa.RecordBatch, Counter[str]]:
    return _encode_chunk(_worker_encoder, pairs)
