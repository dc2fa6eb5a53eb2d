"""`emendo batch --local` as a person runs it: killed, out of room, and started again."""

import json
import os
import random
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from emendo.batch.fragment_editor import MAX_ATTEMPTS
from tests.batch.conftest import PARTS, ROWS, command, outputs, read_all, write_parts

RUNS = 10 if os.environ.get("EMENDO_LONG") else 2


def children(pid):
    """Return the workers of a process, not what Python itself has it start."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            is_worker = b"spawn_main" in (entry / "cmdline").read_bytes()
        except (OSError, IndexError):
            continue
        if parent == pid and is_worker:
            found.append(int(entry.name))
    return found


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


@pytest.mark.parametrize("seed", range(RUNS))
def test_nothing_is_lost_or_doubled(parts, undisturbed, tiny_bundle, tmp_path, seed):
    """A worker is killed, then whoever gives out the work, at random times; then it goes on."""
    rng = random.Random(seed)
    output = tmp_path / "out"
    start = command(parts, output, tiny_bundle, "--local", "--workers", "2")
    with subprocess.Popen(start, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as driver:
        deadline = time.monotonic() + 120
        done = output / "_emendo/manifest"
        # Not before it is at work, not after it is done; in between, whenever it comes.
        at_worker, at_driver = rng.randrange(0, 4), rng.randrange(4, 8)
        while len(list(done.glob("*"))) < at_worker or not children(driver.pid):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(rng.random() / 10)
        kill(rng.choice(children(driver.pid)))
        while len(list(done.glob("*"))) < at_driver and driver.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(rng.random() / 10)
        orphans = children(driver.pid)
        kill(driver.pid)
    assert driver.returncode == -signal.SIGKILL
    # Nobody works on for nobody.
    deadline = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in orphans):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    resumed = subprocess.run([*start, "--json"], check=True, capture_output=True, text=True)
    whole, summary = undisturbed
    assert outputs(output) == whole
    table = read_all(output)
    assert sorted(table["id"].to_pylist()) == list(range(ROWS))
    again = json.loads(resumed.stdout)
    for name in ("rows", "written", "changed", "edits", "bad", "output_bytes", "complete"):
        assert again[name] == summary[name]
    assert not list((output / "_emendo").glob("drafts/*"))


def test_a_worker_that_always_dies_does_not_keep_the_job(parts, tiny_bundle, tmp_path):
    """The first fragment gets its worker killed each time it is begun."""
    output = tmp_path / "out"
    start = command(parts / "part=1", output, tiny_bundle, "--local", "--workers", "1")
    attempts = output / "_emendo/attempts/00000000"
    with subprocess.Popen(start, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as driver:
        deadline = time.monotonic() + 240
        killed = 0
        while driver.poll() is None and killed < MAX_ATTEMPTS:
            assert time.monotonic() < deadline
            if (attempts / str(killed)).exists():
                for pid in children(driver.pid):
                    kill(pid)
                killed += 1
            time.sleep(0.005)
        _, errors = driver.communicate(timeout=240)
    assert driver.returncode == 1, errors
    assert b"000" in errors or b"001" in errors
    assert f"{MAX_ATTEMPTS} workers crashed".encode() in errors
    # All others are done.
    assert len(list(output.glob("*.parquet"))) == 6


def test_a_full_disk_stops_cleanly(corpus, tiny_bundle, tmp_path):
    source = write_parts(tmp_path / "in", corpus[:10], 1, partition=".")
    write_parts(tmp_path / "in/z", corpus[:300], 1, partition=".")
    start = command(source, tmp_path / "out", tiny_bundle, "--local", "--workers", "1")
    full = subprocess.run(
        start,
        check=False,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000)),
    )
    assert full.returncode == 2, full.stderr
    (message,) = full.stderr.strip().splitlines()
    assert "no space is left" in message
    assert "1 of 2 fragments done" in message
    assert "run the same command again" in message
    done = subprocess.run([*start, "--json"], check=True, capture_output=True, text=True)
    assert json.loads(done.stdout)["written"] == 310
    assert read_all(tmp_path / "out").num_rows == 310


def test_what_it_would_take_and_how_far_it_is(parts, tiny_bundle, tmp_path):
    from emendo.cli.main import app

    runner = CliRunner()
    output = tmp_path / "out"
    arguments = command(parts, output, tiny_bundle, "--local")[3:]
    dry = runner.invoke(app, [*arguments, "--dry-run", "--json"])
    figures = json.loads(dry.stdout)
    assert figures["files"] == figures["fragments"] == PARTS
    assert 350 <= figures["rows"] <= 450
    assert figures["output_bytes"] > 0 < figures["core_hours"]
    assert not output.exists()
    assert runner.invoke(app, [*arguments, "--dry-run"]).exit_code == 0
    # A job that was only begun.
    from emendo.batch.job import JobSettings, draft_job, start_job

    settings = JobSettings(backend="onnx", precision="fp32")
    start_job(*draft_job(str(parts), str(output), [str(tiny_bundle)], settings))
    status = runner.invoke(app, ["batch", "status", str(output)])
    assert status.exit_code == 0
    assert f"0 of {PARTS}" in status.stdout
    assert "time left" in status.stdout
    figures = json.loads(runner.invoke(app, ["batch", "status", str(output), "--json"]).stdout)
    assert figures["seconds_left"] is None
    assert not figures["complete"]


def test_help_names_both_commands():
    from emendo.cli.main import app

    shown = CliRunner().invoke(app, ["batch", "--help"]).stdout
    assert "run" in shown
    assert "status" in shown


def test_what_others_print_is_not_on_stdout(tiny_bundle, tmp_path, monkeypatch):
    """Ray does, when a node dies; test_ray.py has that, but not on every machine."""
    from emendo.batch import running
    from emendo.cli.batch import app

    def noisily(*arguments, **options):
        print("\t(2) raylet has lagging heartbeats")
        return run_job(*arguments, **options)

    run_job = running.run_job
    monkeypatch.setattr(running, "run_job", noisily)
    (tmp_path / "rows.txt").write_text("One sentence.\n", encoding="utf-8")
    start = command(tmp_path / "rows.txt", tmp_path / "out", tiny_bundle, "--local", "--json")
    result = CliRunner().invoke(app, start[4:])
    assert json.loads(result.stdout)["complete"]
    assert "heartbeats" in result.stderr
