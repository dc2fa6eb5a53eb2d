"""One command at a time writes into an output folder, and a dead one keeps nobody out."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from emendo.batch import lease as leases
from emendo.batch.lease import Lease
from emendo.batch.local_pool import _work
from emendo.batch.manifest import Manifest
from emendo.batch.running import read_status
from emendo.batch.storage import Folder
from emendo.errors import JobError, RequestError
from tests.batch.conftest import InlinePool, command, outputs, read_all, write_parts

HOLD = """
import sys, time
from emendo.batch.lease import Lease
from emendo.batch.storage import Folder
with Lease(Folder(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def other(tmp_path):
    """Another process that holds the lease on `out`."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path / "out"], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def test_the_second_driver_is_refused_and_told_who_is_there(
    other, run, corpus, tmp_path, tiny_bundle
):
    source = write_parts(tmp_path / "in", corpus[:20], 2)
    draft = tmp_path / "out/_emendo/drafts/somebody's"
    draft.parent.mkdir(exist_ok=True)
    draft.touch()
    with pytest.raises(JobError, match=f"process {other.pid} on .*, since 20"):
        run(source, tmp_path / "out")
    assert draft.exists()
    second = subprocess.run(
        command(source, tmp_path / "out", tiny_bundle, "--local"), check=False, capture_output=True, text=True
    )  # fmt: skip
    assert second.returncode == 2
    (message,) = second.stderr.strip().splitlines()
    assert f"process {other.pid} on " in message
    # One that was killed says nothing any more.
    other.send_signal(signal.SIGKILL)
    other.wait()
    begin = time.monotonic()
    assert run(source, tmp_path / "out").is_complete
    assert time.monotonic() - begin < leases._PATIENCE
    assert not (tmp_path / "out/_emendo/lease.json").exists()


def test_what_was_written_elsewhere_and_never_changes_is_dead(tmp_path, monkeypatch):
    monkeypatch.setattr(leases, "_PATIENCE", 1.0)
    folder = Folder(str(tmp_path / "out"))
    content = {"holder": "a", "host": "elsewhere", "process": 1, "since": "then", "renewals": 3}
    folder.put("_emendo/lease.json", json.dumps(content).encode())
    with Lease(folder):
        pass
    folder.put("_emendo/lease.json", json.dumps(content).encode())
    changed = json.dumps({**content, "renewals": 4}).encode()
    timer = threading.Timer(0.3, lambda: folder.put("_emendo/lease.json", changed))
    timer.start()
    with pytest.raises(JobError, match="process 1 on elsewhere, since then"), Lease(folder):
        pass


def test_a_slow_disk_gives_the_lease_to_one(tmp_path, monkeypatch):
    """One looks, and the other writes before it does."""
    folder = Folder(str(tmp_path / "out"))
    first, second = Lease(folder), Lease(folder)
    write = second._write
    monkeypatch.setattr(second, "_write", lambda: (time.sleep(0.4), write()))
    holders, refused = [], []

    def hold(lease):
        try:
            with lease:
                holders.append(lease)
                time.sleep(1.5)
        except JobError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=hold, args=(lease,)) for lease in (second, first)]
    for thread in threads:
        thread.start()
        time.sleep(0.05)
    for thread in threads:
        thread.join()
    assert len(holders) == 1
    assert len(refused) == 1
    assert not (tmp_path / "out").exists()


def test_another_container_of_this_machine_is_not_dead(tmp_path, monkeypatch):
    """It has the machine's name, but the numbers of its processes are its own."""
    monkeypatch.setattr(leases, "_PATIENCE", 1.0)
    folder = Folder(str(tmp_path / "out"))
    with Lease(folder):
        content = json.loads(folder.read("_emendo/lease.json"))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for processes, least in ((content["processes"], 0.0), ("another", 1.0)):
        left = {**content, "process": gone.pid, "holder": "a", "processes": processes}
        folder.put("_emendo/lease.json", json.dumps(left).encode())
        begin = time.monotonic()
        with Lease(folder):
            assert least <= time.monotonic() - begin < least + 0.9


def test_two_in_one_process_and_one_that_is_robbed(run, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(leases, "_RENEW", 0.05)
    source = write_parts(tmp_path / "in", corpus[:20], 2)
    output = tmp_path / "out"

    class Again(InlinePool):
        def outcomes(self, fragments, on_rows):
            with pytest.raises(JobError, match=f"process {os.getpid()} on"):
                run(source, output)
            for outcome in super().outcomes(fragments, on_rows):
                thief = {"holder": "b", "host": "there", "process": 7, "since": "now"}
                Folder(str(output)).put("_emendo/lease.json", json.dumps(thief).encode())
                time.sleep(0.3)
                yield outcome

    with pytest.raises(JobError, match="process 7 on there"):
        run(source, output, open_pool=Again)
    (output / "_emendo/lease.json").unlink()
    assert run(source, output).is_complete
    assert read_all(output).num_rows == 20


def test_a_command_that_is_refused_leaves_nothing_behind(run, corpus, tmp_path):
    source = write_parts(tmp_path / "in", corpus[:20], 2)
    with pytest.raises(RequestError, match="no column"):
        run(source, tmp_path / "out", column="body")
    assert not (tmp_path / "out").exists()


def test_an_orphan_reports_no_failure(run, corpus, tmp_path):
    """A worker whose driver was killed cannot tell its rows; its fragment has done nothing wrong."""
    source = write_parts(tmp_path / "in", corpus[:20], 2)
    output = tmp_path / "out"
    jobs = []

    class Orphaning(InlinePool):
        def __init__(self, job):
            jobs.append(job)
            super().__init__(job)

        def outcomes(self, fragments, on_rows):
            self.first = next(fragments)
            mine, theirs = multiprocessing.Pipe()

            def die():
                mine.recv()
                mine.send(self.first)
                mine.close()

            thread = threading.Thread(target=die)
            thread.start()
            before = signal.getsignal(signal.SIGINT)
            try:
                with pytest.raises(SystemExit):
                    _work(theirs, jobs[0])
            finally:
                signal.signal(signal.SIGINT, before)
            thread.join()
            status = read_status(str(output))[1]
            assert status.failures == []
            yield from super().outcomes(iter([self.first, *fragments]), on_rows)

    assert run(source, output, open_pool=Orphaning).is_complete
    assert not list((output / "_emendo").glob("failed/*"))


def test_a_failure_of_what_is_done_is_none(run, corpus, tmp_path):
    source = write_parts(tmp_path / "in", corpus[:20], 2)
    run(source, tmp_path / "out")
    whole = outputs(tmp_path / "out")
    Manifest(Folder(str(tmp_path / "out"))).fail(1, "its draft was taken away")
    assert read_status(str(tmp_path / "out"))[1].failures == []
    assert outputs(tmp_path / "out") == whole
