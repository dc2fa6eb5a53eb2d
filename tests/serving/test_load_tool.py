"""benchmarks/serve_load.py: which requests count as disturbed by the machine's host."""

import pytest

from serve_load import Tally, percentile, processor_times


def tally_of(processor, requests):
    tally = Tally()
    tally.processor = processor
    tally.sent = [sent for sent, _ in requests]
    tally.seconds[200] = [took for _, took in requests]
    return tally


# Half of the time between the moments 20 and 21 is stolen.
PROCESSOR = [(at, 200 * at, 100 * (at > 20)) for at in range(60)]


@pytest.mark.parametrize(
    ("sent", "is_disturbed"),
    [(17.5, False), (18.5, True), (20.5, True), (30.5, True), (31.5, False)],
)
def test_stolen_time_disturbs_the_requests_around_it(sent, is_disturbed):
    ((_, stolen),) = tally_of(PROCESSOR, [(sent, 0.1)]).latencies()
    assert (stolen > 0.02) == is_disturbed


def test_a_slow_request_is_not_disturbed_by_what_is_stolen_later():
    (short, long) = tally_of(PROCESSOR, [(5.0, 0.1), (5.0, 40.0)]).latencies()
    assert short == (100.0, 0.0)
    assert long == (40_000.0, 0.0)


def test_requests_at_both_ends_of_the_time_have_a_share():
    first, last = tally_of(PROCESSOR, [(0.0, 0.1), (59.0, 0.1)]).latencies()
    assert first[1] == last[1] == 0.0


def test_the_times_of_the_processors_only_grow():
    before, after = processor_times(), processor_times()
    assert all(late >= early for late, early in zip(after, before, strict=True))
    assert after[2] <= after[1]


def test_a_percentile_of_nothing_is_none():
    assert percentile([], 99) is None
