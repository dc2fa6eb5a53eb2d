"""emendo under Ray Serve in HAProxy mode, with the shipped configuration, in separate processes.

Needs `emendo[ray-serve]`. As a script, this file is the process in which Ray Serve runs until the
input ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil
import yaml

from balanced import ROOT, free_port

CONFIG = ROOT / "deploy/ray/serve.yaml"
# Seconds within which Ray must end all processes that it has started.
_PATIENCE = 120


class RayServe:
    """The process, and those that it has started."""

    def __init__(self, bundle, work, *, replicas=2, environment=None, **options):
        config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
        port = free_port()
        config["http_options"]["port"] = port
        (application,) = config["applications"]
        application["args"] |= {"model": str(bundle), **options}
        (deployment,) = application["deployments"]
        del deployment["autoscaling_config"]
        deployment["num_replicas"] = replicas
        file = work / "serve.yaml"
        file.write_text(yaml.safe_dump(config), encoding="utf-8")
        self.url = f"http://127.0.0.1:{port}"
        log = work / "ray.log"
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, __file__, str(file)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                text=True,
                env={
                    **os.environ,
                    "RAY_SERVE_ENABLE_HA_PROXY": "1",
                    "RAY_SERVE_THROUGHPUT_OPTIMIZED": "1",
                    "RAY_USAGE_STATS_ENABLED": "0",
                    # Otherwise Ray writes a file with a token into the user's home.
                    "RAY_AUTH_MODE": "disabled",
                    # A busy machine takes longer than the 5 s after which Ray kills its proxy.
                    "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S": "60",
                    "OMP_NUM_THREADS": "1",
                    **(environment or {}),
                },
            )
        said = self.process.stdout.readline().strip()
        if said != "up":
            self.stop()
            raise RuntimeError(f"Ray Serve did not start: {log.read_text()[-4000:]}")

    def children(self):
        """Return the processes that it has started."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def _all(self):
        return [psutil.Process(self.process.pid), *self.children()]

    def memory_mb(self):
        """Return the memory of all its processes; shared memory counts once."""
        return sum(each.memory_full_info().pss for each in self._all()) / 2**20

    def cpu_seconds(self):
        """Return the processor time of all its processes so far."""
        return sum(sum(each.cpu_times()[:2]) for each in self._all())

    def stop(self):
        """End it, and return the processes that did not end by themselves."""
        children = self.children() if self.process.poll() is None else []
        self.process.stdin.close()
        try:
            self.process.wait(timeout=_PATIENCE)
        finally:
            self.process.kill()
            _, left = psutil.wait_procs(children, timeout=30)
            for each in left:
                each.kill()
        return left


def main(file):
    """Serve, print "up", and wait."""
    import ray
    from ray import serve
    from ray.serve.context import _get_global_client
    from ray.serve.schema import ServeDeploySchema

    config = ServeDeploySchema.model_validate(yaml.safe_load(Path(file).read_text("utf-8")))
    # No more than it needs, because the machine has other work.
    ray.init(num_cpus=4, object_store_memory=80 << 20, include_dashboard=False, log_to_driver=False)
    serve.start(http_options={"port": config.http_options.port})
    # `serve deploy` needs Ray's dashboard, which does not run.
    _get_global_client().deploy_apps(config, _blocking=True)
    print("up", flush=True)
    sys.stdin.read()
    serve.shutdown()
    ray.shutdown()


if __name__ == "__main__":
    main(sys.argv[1])
