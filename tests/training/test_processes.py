"""Processes of one run wait for each other, also after a long suspension."""

import socket
import subprocess
import sys

SCRIPT = """
import sys
import torch
from emendo.training.processes import join_processes
state = join_processes()
group = torch.distributed.group.WORLD._get_backend(torch.device("cpu"))
# One write: torchrun turns buffering off, and the parts of two prints could mix.
sys.stdout.write(f"{state.num_processes} {int(group.options._timeout.total_seconds())}\\n")
"""


def test_a_run_may_be_suspended_for_hours(tmp_path):
    """torch's limit is 30 minutes, after which the first exchange would end the run."""
    script = tmp_path / "join.py"
    script.write_text(SCRIPT)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2"]
    address = ["--master_addr", "127.0.0.1", "--master_port", str(port)]
    done = subprocess.run(
        [*torchrun, *address, str(script)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["2", "86400"] * 2
