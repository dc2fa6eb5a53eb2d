"""`emendo batch` on a Ray cluster of two nodes, of which workers, a node and the driver are killed."""

import json
import os
import random
import signal
import subprocess
import time

import pytest

pytest.importorskip("ray", reason="ray is not installed: pip install 'emendo[ray]'")
psutil = pytest.importorskip("psutil")

from tests.batch.conftest import PARTS, ROWS, command, outputs, read_all
from tests.conftest import IS_LONG

RUNS = 10 if IS_LONG else 1
NODE = {"num_cpus": 1, "object_store_memory": 80 << 20}


@pytest.fixture(scope="module")
def cluster():
    """A head without processors, and a node that stays; others come and go."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True,
        head_node_args={**NODE, "num_cpus": 0, "include_dashboard": False},
    )
    cluster.add_node(**NODE)
    yield cluster
    cluster.shutdown()


def actors(node):
    """Return the processes of a node that edit."""
    raylet = psutil.Process(node.all_processes["raylet"][0].process.pid)
    return [
        process
        for process in raylet.children(recursive=True)
        if any("MapWorker" in part for part in process.cmdline())
    ]


def wait_for(condition, driver, seconds=180):
    """Wait until something is so, or there is nobody left who could make it so."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        if driver.poll() is not None:
            return
        time.sleep(0.02)


@pytest.mark.parametrize("seed", range(RUNS))
def test_nothing_is_lost_or_doubled(cluster, parts, undisturbed, tiny_bundle, tmp_path, seed):
    """A worker is killed, then a node, then the driver, at random times; then it goes on."""
    rng = random.Random(seed)
    output = tmp_path / "out"
    staying = cluster.worker_nodes - {cluster.head_node}
    leaving = cluster.add_node(**NODE)
    nodes = [*staying, leaving]
    start = [
        *command(parts, output, tiny_bundle),
        *("--ray-address", cluster.address, "--workers", "2", "--json"),
    ]
    manifest = output / "_emendo/manifest"

    def done():
        return len(list(manifest.glob("*")))

    log = tmp_path / "log"
    with log.open("wb") as file, subprocess.Popen(start, stdout=file, stderr=file) as driver:
        # All in the first half, so that there is work left for whoever is next.
        worker_at, node_at, driver_at = sorted(rng.sample(range(1, PARTS // 2 + 1), 3))
        wait_for(lambda: done() >= worker_at and any(map(actors, nodes)), driver)
        rng.choice([actor for node in nodes for actor in actors(node)]).kill()
        wait_for(lambda: done() >= node_at, driver)
        cluster.remove_node(leaving, allow_graceful=False)
        wait_for(lambda: done() >= driver_at, driver)
        time.sleep(rng.random() / 5)
        driver.send_signal(signal.SIGKILL)
    assert driver.returncode == -signal.SIGKILL, log.read_text()
    assert done() < PARTS
    resumed = subprocess.run(start, check=False, capture_output=True, text=True)
    assert resumed.returncode == 0, resumed.stderr
    # Nothing else on it, whatever Ray has to say about the node.
    summary = json.loads(resumed.stdout)
    assert summary["complete"]
    assert summary["rows"] == summary["written"] == ROWS
    # Byte for byte what one process makes of it, without Ray.
    assert outputs(output) == undisturbed[0]
    assert sorted(read_all(output)["id"].to_pylist()) == list(range(ROWS))
