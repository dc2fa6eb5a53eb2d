"""Shares of the network's time."""

from emendo.serving.shares import Shares


def test_who_used_least_is_next():
    shares = Shares()
    assert shares.next(["a", "b"]) == "a"
    shares.spend(1.0, {"a": 1}, {})
    for _ in range(2):
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


def test_time_is_not_saved_up():
    """A caller that comes back after a hundred seconds gets its share and hardly more."""
    shares = Shares()
    shares.next(["a", "b"])
    shares.spend(1.0, {"b": 1}, {})
    for _ in range(100):
        assert shares.next(["a"]) == "a"
        shares.spend(1.0, {"a": 1}, {})
    assert served(shares, 10).count("b") in (5, 6)


def test_new_callers_do_not_keep_others_waiting():
    """However many come one after the other."""
    shares = Shares()
    turns = 0
    for k in range(1000):
        chosen = shares.next(["known", f"{k}", f"{k + 1}", f"{k + 2}"])
        turns += chosen == "known"
        shares.spend(0.05, {chosen: 1}, {})
    assert 200 <= turns <= 300


def test_a_new_caller_does_not_wait_for_all_others():
    shares = Shares()
    known = [f"{k}" for k in range(60)]
    for _ in range(600):
        shares.spend(0.05, {shares.next(known): 1}, {})
    waited = 0
    while shares.next([*known, "new"]) != "new":
        shares.spend(0.05, {shares.next(known): 1}, {})
        waited += 1
    assert waited <= 60


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
