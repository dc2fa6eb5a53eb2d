"""DeBERTa with transformers' own attention, for comparison with emendo's."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from emendo.modeling.disentangled_attention import DisentangledAttention, SlowAttention

if TYPE_CHECKING:
    from emendo.modeling import CopyCTCForEditing


def with_stock_attention(model: CopyCTCForEditing) -> CopyCTCForEditing | None:
    """Return a copy with transformers' attention; None if the encoder is not a DeBERTa."""
    if not any(isinstance(module, DisentangledAttention) for module in model.modules()):
        return None
    stock = copy.deepcopy(model)
    for module in stock.modules():
        if isinstance(module, DisentangledAttention):
            # The same parameters, under the same names.
            module.__class__ = SlowAttention
    return stock
