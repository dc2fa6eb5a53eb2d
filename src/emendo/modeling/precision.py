"""Which number type a computation runs in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor

# x86, then ARM, as torch names them.
_BF16_UNITS = ("amx_bf16", "avx512_bf16", "bf16", "sve_bf16")


def compute_dtype(values: Tensor) -> torch.dtype:
    """Return the type matrix products of these values run in: autocast's where it is on."""
    device = values.device.type
    if torch.is_autocast_enabled(device):
        return torch.get_autocast_dtype(device)
    return values.dtype


def wide_dtype(dtype: torch.dtype) -> torch.dtype:
    """Return the type sums run in: at least single precision."""
    return torch.float64 if dtype == torch.float64 else torch.float32


def has_quick_bf16() -> bool:
    """Whether bf16 is quicker than single precision here.

    A CPU without units for it is several times slower in bf16, so it is asked for them by name.
    """
    if torch.accelerator.is_available():
        return not torch.cuda.is_available() or torch.cuda.is_bf16_supported(
            including_emulation=False
        )
    capabilities = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}
    return any(capabilities.get(unit, False) for unit in _BF16_UNITS)
