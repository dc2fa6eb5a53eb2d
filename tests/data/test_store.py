"""What is stored is what was encoded; it is there completely or not at all."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from emendo.data import store as module
from emendo.data.batching import TokenBudgetSampler
from emendo.data.collator import PairCollator
from emendo.data.encoding import LONG_SOURCE, PairEncoder
from emendo.data.filters import EMPTY_SIDE, PairFilter
from emendo.data.readers import PairFiles
from emendo.data.store import PairStore
from emendo.errors import FormatError
from emendo.labels import NO_LABEL
from emendo.text import TextTokenizer
from tests.conftest import FAMILIES, ROOT

LINES = [
    "I like an dog.\tI like dogs.",
    "dog " * 40 + "\tdog",
    "It is fine.\tIt is fine.",
    "had had\thad had had",
    "½ a ﬁ\t½ a cat ﬁ",
    "\tempty",
]


@pytest.fixture
def files(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")
    return PairFiles(path)


@pytest.fixture(params=["byte-level", "unigram"])
def encoder(request):
    return PairEncoder(TextTokenizer(FAMILIES[request.param]()), 4, 32)


def assert_equal(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        for name in ("ids", "keep_ids", "labels"):
            assert getattr(one, name).dtype == np.int64
            assert getattr(one, name).tolist() == getattr(other, name).tolist()


@pytest.mark.parametrize("chunk", [1, 2, 8192])
def test_round_trip(files, encoder, tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(module, "_CHUNK", chunk)
    refused = Counter()
    expected = list(encoder.encode(PairFilter().apply(files.read(), refused), refused))
    store = PairStore.build(files, encoder, tmp_path / "cache")
    assert_equal(store.__getitems__(range(len(store))), expected)
    assert_equal([store[i] for i in (2, 0)], [expected[2], expected[0]])
    assert store.lengths.tolist() == [len(pair.ids) for pair in expected]
    assert store.refused == refused == {EMPTY_SIDE: 1, LONG_SOURCE: 1}
    assert len(store) + store.refused.total() == len(LINES)


def test_keep_ids_are_stored_only_where_they_differ(files, tmp_path):
    encoder = PairEncoder(TextTokenizer(FAMILIES["unigram"]()), 4, 32)
    store = PairStore.build(files, encoder, tmp_path / "cache")
    stored = store.dataset.data.column("keep_ids").to_pylist()
    assert [bool(row) for row in stored] == [False, False, False, True]
    assert all(pair.keep_ids[0] == pair.keep_ids[-1] == NO_LABEL for pair in store)


def test_a_store_is_written_once(files, encoder, tmp_path, monkeypatch):
    first = PairStore.build(files, encoder, tmp_path / "cache")
    monkeypatch.setattr(module, "_write", None)
    again = PairStore.build(files, encoder, tmp_path / "cache", workers=2)
    assert again.folder == first.folder
    assert again.refused == first.refused
    assert_equal(list(again), list(first))
    # Nothing that was not asked for: the store, its lock.
    assert len(list((tmp_path / "cache").iterdir())) == 2
    about = json.loads((first.folder / "store.json").read_text())
    assert about["pairs"] == len(first)
    assert about["made of"]["upsampling"] == 4


def test_whatever_matters_makes_another_store(files, small_tokenizer, tmp_path):
    cache = tmp_path / "cache"
    encoder = PairEncoder(small_tokenizer, 4, 32)

    def folder(files=files, encoder=encoder, **options):
        return PairStore.build(files, encoder, cache, **options).folder

    folders = [
        folder(),
        folder(PairFiles(*files.files, annotator=1)),
        folder(PairFiles(*files.files, *files.files)),
        folder(encoder=PairEncoder(small_tokenizer, 2, 32)),
        folder(encoder=PairEncoder(small_tokenizer, 4, 33)),
        folder(encoder=PairEncoder(TextTokenizer(FAMILIES["unigram"]()), 4, 32)),
        folder(encoder=PairEncoder(TextTokenizer(FAMILIES["byte-level"](), rep_id=7), 4, 32)),
        folder(pair_filter=PairFilter(unique=True)),
    ]
    assert folder(pair_filter=PairFilter()) == folders[0]
    assert folder(encoder=PairEncoder(TextTokenizer(FAMILIES["byte-level"]()), 4, 32)) == folders[0]
    files.files[0].write_text("a\tb\n")
    folders.append(folder())
    assert len(set(folders)) == len(folders)


def test_workers_write_the_same(files, small_tokenizer, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_CHUNK", 1)
    encoder = PairEncoder(small_tokenizer, 4, 32)
    one = PairStore.build(files, encoder, tmp_path / "one")
    two = PairStore.build(files, encoder, tmp_path / "two", workers=2)
    assert (one.folder / "pairs.arrow").read_bytes() == (two.folder / "pairs.arrow").read_bytes()
    assert one.refused == two.refused


@pytest.mark.parametrize("workers", [1, 2])
def test_a_build_that_fails_leaves_nothing(files, small_tokenizer, tmp_path, monkeypatch, workers):
    monkeypatch.setattr(module, "_CHUNK", 1)
    with files.files[0].open("a") as file:
        file.write("malformed\n")
    encoder = PairEncoder(small_tokenizer, 4, 32)
    with pytest.raises(FormatError, match=r"pairs.tsv: line 7"):
        PairStore.build(files, encoder, tmp_path / "cache", workers=workers)
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".lock"]


KILLED = """
import os, signal, sys
from pathlib import Path
from emendo.data import store
from emendo.data.encoding import PairEncoder
from emendo.data.readers import PairFiles
from emendo.text import TextTokenizer
from tests.conftest import FAMILIES

store._CHUNK = 2
class Files(PairFiles):
    def read(self):
        for number, pair in enumerate(super().read()):
            if number == 5:
                os.kill(os.getpid(), signal.SIGKILL)
            yield pair
encoder = PairEncoder(TextTokenizer(FAMILIES["byte-level"]()), 4, 32)
store.PairStore.build(Files(sys.argv[1]), encoder, sys.argv[2])
"""


def test_a_build_that_is_killed_is_done_again(files, small_tokenizer, tmp_path):
    cache = tmp_path / "cache"
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, files.files[0], cache], cwd=ROOT, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    # It had begun, and all of it is hidden.
    assert list(cache.glob(".*.partial/pairs.arrow"))
    assert all(path.name.startswith(".") for path in cache.iterdir())
    encoder = PairEncoder(small_tokenizer, 4, 32)
    store = PairStore.build(files, encoder, cache)
    assert len(store) == 4
    assert not list(cache.glob("*.partial"))
    assert not list(cache.glob(".*.partial"))


def test_processes_that_come_at_once_wait_for_one_another(files, small_tokenizer, tmp_path):
    encoder = PairEncoder(small_tokenizer, 4, 32)
    written = []

    def write(folder, *rest):
        written.append(folder)
        time.sleep(0.3)
        original(folder, *rest)

    original = module._write
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(3) as pool:
        patch.setattr(module, "_write", write)
        build = [pool.submit(PairStore.build, files, encoder, tmp_path / "c") for _ in range(3)]
        assert [len(future.result()) for future in build] == [4, 4, 4]
    assert len(written) == 1


def test_nothing_to_train_on(small_tokenizer, tmp_path):
    (tmp_path / "a.tsv").write_text("\tb\n")
    encoder = PairEncoder(small_tokenizer, 4, 32)
    with pytest.raises(FormatError, match=r"no pair.*1 \(source or target has no words\)"):
        PairStore.build(PairFiles(tmp_path / "a.tsv"), encoder, tmp_path / "cache")


@pytest.mark.parametrize("workers", [0, 1])
def test_torch_loads_whole_batches(files, small_tokenizer, tmp_path, workers):
    from torch.utils.data import DataLoader

    store = PairStore.build(files, PairEncoder(small_tokenizer, 4, 32), tmp_path / "cache")
    sampler = TokenBudgetSampler(store.lengths, 32)
    collator = PairCollator(small_tokenizer.pad_id, 4)
    loader = DataLoader(store, batch_sampler=sampler, collate_fn=collator, num_workers=workers)
    seen = 0
    for batch in loader:
        assert batch["input_ids"].numel() <= 32
        seen += len(batch["input_ids"])
    assert seen == len(store)


MEMORY = """
import re, sys
import numpy as np
from emendo.data.encoding import EncodedPair, PairEncoder
from emendo.data.readers import PairFiles
from emendo.data.store import PairStore
from emendo.text import TextTokenizer
from tests.conftest import FAMILIES

marks = []
class Files(PairFiles):
    def read(self):
        for number, pair in enumerate(super().read(), 1):
            if number in (30_000, 300_000):
                # The peak by getrusage would be that of the process that started this one.
                status = open("/proc/self/status").read()
                marks.append(int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1]) // 1024)
            yield pair

class Encoder(PairEncoder):
    # A tokenizer would take a minute, and memory by the chunk alone.
    def encode(self, pairs, refused):
        for pair in pairs:
            yield EncodedPair(np.arange(20), np.arange(20), np.arange(20))

encoder = Encoder(TextTokenizer(FAMILIES["byte-level"]()), 4, 32)
assert len(PairStore.build(Files(sys.argv[1]), encoder, sys.argv[2])) == 300_000
print(marks[1] - marks[0])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel of Linux for the peak")
def test_memory_does_not_grow_with_the_pairs(tmp_path):
    path = tmp_path / "many.tsv"
    path.write_text("".join(f"a {number}\tb {number}\n" for number in range(300_000)))
    grown = subprocess.run(
        [sys.executable, "-c", MEMORY, path, tmp_path / "cache"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    # 270,000 encoded pairs are 200 MiB as arrays of numpy, 60 MiB in the file.
    assert int(grown) < 20
