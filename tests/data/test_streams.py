"""A stream goes on where it stopped: in a file, across its end, and a second time."""

import itertools
import json
from collections import Counter

import pytest

from emendo.data.encoding import PairEncoder
from emendo.data.filters import EMPTY_SIDE, PairFilter
from emendo.data.readers import PairFiles
from emendo.data.streams import StreamBatches, stream_pairs
from emendo.errors import FormatError

SIZES = (7, 4, 6)


@pytest.fixture
def files(tmp_path):
    paths = []
    for name, size in zip("abc", SIZES, strict=True):
        paths.append(tmp_path / f"{name}.tsv")
        lines = [f"{name} dog {i}\t{name} {'cat ' * (i % 4)}{i}\n" for i in range(size)]
        # One pair of each file is refused.
        paths[-1].write_text("".join(lines) + "x\t\n")
    return PairFiles(*paths)


EPOCH = sum(SIZES) + len(SIZES)


def take(stream, count):
    return [tuple(text.values()) for text in itertools.islice(stream, count)]


def test_every_pair_once_an_epoch_and_on(files):
    texts = take(stream_pairs(files), 2 * EPOCH)
    assert Counter(texts[:EPOCH]) == Counter(map(tuple, files.read()))
    assert texts[:EPOCH] == texts[EPOCH:]


def test_shards_are_shuffled_by_seed(files):
    orders = {tuple(take(stream_pairs(files, seed=seed), EPOCH)) for seed in range(8)}
    assert 1 < len(orders) <= 6
    assert take(stream_pairs(files, seed=1), EPOCH) == take(stream_pairs(files, seed=1), EPOCH)


def test_ranks_share_the_files(files):
    parts = [take(stream_pairs(files, rank=rank, world=3), 4) for rank in range(3)]
    assert {part[0][0][0] for part in parts} == set("abc")
    with pytest.raises(ValueError, match="4 ranks cannot share 3 files"):
        stream_pairs(files, world=4)


@pytest.mark.parametrize("first", [3, 7, EPOCH - 1, EPOCH, EPOCH + 5])
@pytest.mark.parametrize("second", [1, 5, EPOCH, EPOCH + 3])
def test_the_second_resume_is_right_too(files, first, second):
    # datasets 5.0 froze the place after one resume (PR #8295), so that the next began anew.
    whole = take(stream_pairs(files), first + second + 30)
    stream = stream_pairs(files)
    assert take(stream, first) == whole[:first]
    state = json.loads(json.dumps(stream.state_dict()))
    stream = stream_pairs(files)
    stream.load_state_dict(state)
    assert take(stream, second) == whole[first : first + second]
    state = json.loads(json.dumps(stream.state_dict()))
    stream = stream_pairs(files)
    stream.load_state_dict(state)
    assert take(stream, 30) == whole[first + second :]


@pytest.fixture
def batches(files, small_tokenizer):
    def build(**options):
        encoder = PairEncoder(small_tokenizer, 4, 64)
        return StreamBatches(stream_pairs(files), encoder, 40, **{"window": 8, **options})

    return build


def show(batch):
    return [(pair.ids.tolist(), pair.keep_ids.tolist(), pair.labels.tolist()) for pair in batch]


def test_batches(batches):
    # Five windows of eight pairs are two epochs.
    stream = batches()
    seen, tokens = 0, []
    for batch in stream:
        seen += len(batch)
        tokens.append(max(len(pair.ids) for pair in batch) * len(batch))
        if seen == 2 * sum(SIZES):
            break
    assert max(tokens) <= 40
    assert stream.refused == {EMPTY_SIDE: 2 * len(SIZES)}


@pytest.mark.parametrize(("first", "second"), [(1, 1), (2, 9), (5, 30), (40, 3)])
def test_batches_resume_to_the_batch(batches, first, second):
    whole = [show(batch) for batch in itertools.islice(batches(), first + second + 20)]
    one = batches()
    assert [show(b) for b in itertools.islice(one, first)] == whole[:first]
    state = json.loads(json.dumps(one.state_dict()))
    two = batches()
    two.load_state_dict(state)
    assert [show(b) for b in itertools.islice(two, second)] == whole[first : first + second]
    state = json.loads(json.dumps(two.state_dict()))
    # An object that has gone elsewhere can be sent back, too.
    for three in (batches(), one, two):
        three.load_state_dict(state)
        assert [show(b) for b in itertools.islice(three, 20)] == whole[first + second :]


def test_refusals_are_counted_once_over_a_resume(batches):
    whole, one, two = batches(), batches(), batches()
    list(itertools.islice(whole, 30))
    list(itertools.islice(one, 17))
    two.load_state_dict(one.state_dict())
    list(itertools.islice(two, 13))
    assert two.refused == whole.refused


def test_the_beginning_can_be_loaded(batches):
    stream = batches()
    beginning = stream.state_dict()
    whole = [show(batch) for batch in itertools.islice(stream, 20)]
    again = batches()
    again.load_state_dict(stream.state_dict())
    next(iter(again))
    again.load_state_dict(beginning)
    assert [show(batch) for batch in itertools.islice(again, 20)] == whole


@pytest.mark.parametrize("workers", [0, 2])
def test_torch_loads_it(batches, workers):
    from torch.utils.data import DataLoader

    loader = DataLoader(batches(), batch_size=None, num_workers=workers, collate_fn=show)
    found = list(itertools.islice(loader, 12))
    if workers == 0:
        assert found == [show(batch) for batch in itertools.islice(batches(), 12)]
    assert len(found) == 12


def test_a_stream_of_nothing_but_refusals_ends(batches):
    stream = batches(pair_filter=PairFilter(max_characters=1))
    with pytest.raises(FormatError, match="none of 8 pairs"):
        next(iter(stream))
