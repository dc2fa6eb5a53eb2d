"""The processes of a run, which wait for each other at every step."""

from __future__ import annotations

from datetime import timedelta

import torch
from accelerate import PartialState

# How long a process waits for the others: a run that was suspended for longer ends when it goes on.
# Torch's own limit of 30 minutes is too short for that. A process that dies does not keep the
# others waiting, because torchrun ends them.
_PATIENCE = timedelta(hours=24)


def join_processes() -> PartialState:
    """Return the processes of this run; the first call connects them."""
    # Set explicitly: without it, processes on CPUs would not find each other.
    return PartialState(cpu=not torch.accelerator.is_available(), timeout=_PATIENCE)
