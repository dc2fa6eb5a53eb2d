"""Shares of the network's time."""

import pytest

from emendo.serving.shares import Shares


class Clock:
    """A clock that tests set."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def shares(clock):
    return Shares(clock)


def serve(shares, clock, callers, seconds, waiting=()):
    """Let the next caller use the network, and return it."""
    chosen = shares.next(callers)
    clock.now += seconds
    shares.spend(seconds, {chosen: 1}, dict(waiting))
    return chosen


def test_who_used_least_is_next(shares):
    assert shares.next(["a", "b"]) == "a"
    shares.spend(1.0, {"a": 1}, {})
    for _ in range(2):
        assert shares.next(["a", "b"]) == "b"
        shares.spend(0.4, {"b": 5}, {})
    assert shares.next(["a", "b"]) == "b", "it used less"
    shares.spend(0.4, {"b": 5}, {})
    assert shares.next(["a", "b"]) == "a"


def test_a_batch_is_paid_for_by_its_lines(shares):
    shares.next(["a", "b"])
    shares.spend(1.0, {"a": 30, "b": 10}, {})
    assert shares.next(["a", "b"]) == "b"
    shares.spend(0.4, {"b": 1}, {})
    assert shares.next(["a", "b"]) == "b"
    shares.spend(0.2, {"b": 1}, {})
    assert shares.next(["a", "b"]) == "a"


def test_who_always_waits_gets_an_equal_share(shares, clock):
    served = [serve(shares, clock, "abc", 0.1) for _ in range(300)]
    assert {served.count(each) for each in "abc"} == {100}


def test_who_uses_less_does_not_wait_for_who_uses_more(shares, clock):
    """A burst of the former is served before the latter, at once and as a whole."""
    for _ in range(100):
        for _ in range(4):
            assert serve(shares, clock, ["busy"], 0.15) == "busy"
        for _ in range(4):
            clock.now += 0.1
            assert serve(shares, clock, ["some"], 0.1) == "some"
    served = [serve(shares, clock, ["busy", "some"], 0.1) for _ in range(10)]
    assert served == ["some"] * 10


def test_what_was_used_is_forgotten(shares, clock):
    """Ten seconds halve it."""
    shares.next(["a", "b"])
    shares.spend(4.0, {"a": 1}, {})
    clock.now += 10.0
    shares.spend(2.1, {"b": 1}, {})
    assert shares.next(["b", "a"]) == "a"
    shares.spend(0.2, {"a": 1}, {})
    assert shares.next(["a", "b"]) == "b"


def test_time_is_not_saved_up(shares, clock):
    """A caller that comes back after a hundred seconds gets its share and hardly more."""
    serve(shares, clock, ["b"], 1.0)
    for _ in range(100):
        assert serve(shares, clock, ["a"], 1.0) == "a"
    served = [serve(shares, clock, "ab", 1.0) for _ in range(10)]
    assert served.count("b") in (5, 6)


def test_new_callers_do_not_keep_others_waiting(shares, clock):
    """However many come one after the other."""
    turns = 0
    for k in range(1000):
        callers = ["known", f"{k}", f"{k + 1}", f"{k + 2}"]
        turns += serve(shares, clock, callers, 0.05) == "known"
    assert 200 <= turns <= 300


def test_a_new_caller_does_not_wait_for_all_others(shares, clock):
    known = [f"{k}" for k in range(60)]
    for _ in range(600):
        serve(shares, clock, known, 0.05)
    waited = 0
    while serve(shares, clock, [*known, "new"], 0.05) != "new":
        waited += 1
    assert waited <= 60


def test_a_new_caller_does_not_wait_for_who_uses_most(shares, clock):
    """Also if many others, who rarely wait together, used most of the time before."""
    for k in range(200):
        serve(shares, clock, [f"{k % 50}"], 0.05)
    for _ in range(100):
        serve(shares, clock, ["busy"], 0.05)
    serve(shares, clock, ["busy", "new"], 0.05)
    assert serve(shares, clock, ["busy", "new"], 0.05) == "new"


@pytest.mark.parametrize("pause", [16.0, 30.0, 59.0])
def test_a_pause_is_not_used_at_once(shares, clock, pause):
    """A caller that uses a third of the time does not wait for all of a long text of another."""
    for _ in range(40):
        clock.now += 0.1
        serve(shares, clock, ["some"], 0.05)
    serve(shares, clock, ["long"], 4.0)
    for _ in range(int(pause / 0.15)):
        clock.now += 0.1
        serve(shares, clock, ["some"], 0.05)
    served = [serve(shares, clock, ["long", "some"], 0.1) for _ in range(8)]
    assert served.count("some") >= 2


def test_who_used_more_does_not_join(shares):
    shares.next(["a", "b"])
    shares.spend(1.0, {"a": 1}, {})
    assert shares.next(["a", "b"]) == "b"
    assert not shares.may_join("a")
    assert shares.may_join("b")


def test_callers_are_forgotten(shares, clock):
    for k in range(5000):
        serve(shares, clock, [f"{k}", "who waits"], 1.0)
    assert len(shares._used) < 1100


def test_who_has_much_to_do_leaves_most_of_the_time_to_others(shares, clock):
    waiting = {"a": 50_000, "b": 100}
    served = [serve(shares, clock, "ab", 0.01, waiting) for _ in range(100)]
    assert 18 <= served.count("a") <= 22


def test_a_new_caller_does_not_delay_who_uses_less_than_its_share(shares, clock):
    """However much the new caller sends, a burst of the other is served first."""
    for _ in range(800):
        serve(shares, clock, ["some"], 0.04)
        clock.now += 0.06
    much = {"new": 50_000}
    served = [serve(shares, clock, ["some", "new"], 0.1, much) for _ in range(5)]
    assert served == ["some"] * 5
