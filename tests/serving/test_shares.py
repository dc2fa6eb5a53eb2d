"""Shares of the network's time."""

from emendo.serving.shares import Shares


def test_who_used_least_is_next():
    shares = Shares()
    assert shares.next(["a", "b"]) == "a"
    shares.spend(1.0, {"a": 1}, {})
    for _ in range(3):
        assert shares.next(["a", "b"]) == "b"
        shares.spend(0.4, {"b": 5}, {})
    assert shares.next(["a", "b"]) == "a"


def test_a_batch_is_paid_for_by_its_lines():
    shares = Shares()
    shares.next(["a", "b"])
    shares.spend(1.0, {"a": 30, "b": 10}, {})
    assert shares.next(["a", "b"]) == "b"
    shares.spend(0.4, {"b": 1}, {})
    assert shares.next(["a", "b"]) == "b"
    shares.spend(0.2, {"b": 1}, {})
    assert shares.next(["a", "b"]) == "a"


def served(shares, turns):
    """Return who was served, a second each."""
    found = []
    for _ in range(turns):
        found.append(shares.next(["a", "b"]))
        shares.spend(1.0, {found[-1]: 1}, {})
    return found


def test_only_a_few_seconds_are_saved_up():
    """A caller who comes back after a hundred seconds gets two of them, and then his share."""
    shares = Shares()
    shares.next(["a", "b"])
    for _ in range(100):
        assert shares.next(["a"]) == "a"
        shares.spend(1.0, {"a": 1}, {})
    turns = served(shares, 12)
    assert turns[:3] == list("bbb")
    assert turns[3:].count("b") in (4, 5)


def test_a_new_caller_has_saved_up_nothing():
    shares = Shares()
    for _ in range(100):
        shares.next(["a"])
        shares.spend(1.0, {"a": 1}, {})
    assert served(shares, 10).count("b") in (5, 6)


def test_who_used_more_does_not_join():
    shares = Shares()
    shares.next(["a"])
    shares.spend(1.0, {"a": 1}, {})
    shares.next(["b", "a", "new"])
    assert not shares.may_join("a")
    assert shares.may_join("b")
    assert shares.may_join("new")


def test_callers_are_forgotten():
    shares = Shares()
    for k in range(5000):
        shares.next([f"{k}", "who waits"])
        shares.spend(1.0, {f"{k}": 1}, {})
    assert len(shares._clocks) < 1100


def test_who_has_much_to_do_leaves_most_of_the_time_to_others():
    shares = Shares()
    shares.next(["a", "b"])
    found = []
    for _ in range(100):
        found.append(shares.next(["a", "b"]))
        shares.spend(0.01, {found[-1]: 1}, {"a": 50_000, "b": 100})
    assert 18 <= found.count("a") <= 22
