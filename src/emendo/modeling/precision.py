"""Which number type a computation runs in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor


def compute_dtype(values: Tensor) -> torch.dtype:
    """Return the type matrix products of these values run in: autocast's where it is on."""
    device = values.device.type
    if torch.is_autocast_enabled(device):
        return torch.get_autocast_dtype(device)
    return values.dtype


def wide_dtype(dtype: torch.dtype) -> torch.dtype:
    """Return the type sums run in: at least single precision."""
    return torch.float64 if dtype == torch.float64 else torch.float32
