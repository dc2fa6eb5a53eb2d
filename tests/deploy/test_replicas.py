"""What `benchmarks/replicas.py` starts is ended, and its figures go into the page."""

import sys

import pytest

psutil = pytest.importorskip("psutil")

import balanced
from replica_tables import BEGIN, END, tables, write_tables
from tests.conftest import ROOT

LOAD = {
    "per_s": 40.0,
    "p50_ms": 700.0,
    "p99_ms": 900.0,
    "answered": 400,
    "not_answered": 0,
    "client_cpu_s": 0.5,
    "memory_mb": 300.0,
}
SERVED = LOAD | {"replica_cpu_s": 10.0, "balancer_cpu_s": 0.1, "per_cpu_s": 40.0}
FIGURES = {
    "cores": 2,
    "seconds": 10.0,
    "throughput_ratio": 1.5,
    "efficiency": 0.95,
    "one": SERVED | {"replica_mb": 280.0},
    "two": SERVED | {"per_s": 60.0, "answered": 600, "replica_mb": 560.0, "replica_cpu_s": 16.0},
    "balancer_p50_ms": 0.4,
    "idle_mb": 220.0,
    "idle_cores": 0.01,
    "rolling_requests": 500,
    "rolling_lost": 0,
    "rolling_doubled": 0,
    "kill_in_flight": 4,
    "kill_lost": 1,
    "kill_later_lost": 0,
    "kill_elsewhere_lost": 0,
    "kill_retried": 3,
    "stalled_out_s": 3.2,
    "stalled_lost": 0,
    "ray_serve": LOAD | {"per_s": 55.0, "all_cpu_s": 20.0},
}


def test_a_replica_that_never_answers_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(balanced, "READY", 0.5)
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    with pytest.raises(TimeoutError):
        balanced.Replica(lambda _: command, tmp_path / "log")
    left = [each for each in psutil.Process().children() if each.cmdline() == command]
    assert left == []


def test_failures_in_haproxys_log():
    log = """\
127.0.0.1 emendo emendo_reads/one 0/0/0/24/24 200 260 -- 0
127.0.0.1 emendo emendo_reads/one 0/0/0/24/24 200 100 SD 0
127.0.0.1 emendo emendo_reads/two-unchecked 0/1276/0/25816/27092 503 260 -- +1
127.0.0.1 emendo emendo_changes/one 0/0/0/-1/24 502 260 SH 0
Server emendo_reads/one is DOWN, reason: Layer4 connection problem
"""
    assert balanced.failures(log) == ["one", "two", "one"]


def test_the_page_has_room_for_the_figures(tmp_path):
    """And a second run replaces those of the first."""
    page = tmp_path / "scale.md"
    page.write_text((ROOT / "docs/how-to/scale.md").read_text(encoding="utf-8"), encoding="utf-8")
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    for figures in (FIGURES | {"rolling_requests": 123_456}, FIGURES):
        write_tables(page, figures)
    text = page.read_text(encoding="utf-8")
    assert text == f"{before}{BEGIN}\n\n{tables(FIGURES)}\n\n{END}{after}"
    assert "123456" not in text


def test_a_page_without_room_is_left_alone(tmp_path):
    page = tmp_path / "page.md"
    for text in ("no marks", f"{END} {BEGIN}", f"{BEGIN} {BEGIN} {END}"):
        page.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=r"page\.md: needs one"):
            write_tables(page, FIGURES)
        assert page.read_text(encoding="utf-8") == text


def test_replicas_on_paper():
    """A replica of 38 sentences a second, busy for 70 % of the time, is 26.6 of them."""
    text = tables(FIGURES)
    assert "| 27 (a laptop) | 1 | 0.3 GB | 0.0 |" in text
    assert "| 10,000 | 376 | 102.8 GB | 1.7 |" in text


def test_what_was_not_measured_is_said():
    text = tables(FIGURES | {"ray_serve": "not installed: emendo[ray-serve]"})
    assert "Ray Serve was not measured (not installed: emendo[ray-serve])." in text
    assert "two under Ray Serve" not in text
