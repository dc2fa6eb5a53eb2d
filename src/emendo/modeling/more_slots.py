"""A trained network with more slots for each token, or with positions, which edits as before.

Every slot becomes several equal ones. A slot that attends to all slots then sees the same average,
and equal symbols side by side collapse to one, so the best path gives the same text. Positions
start at zero. Training then tells the slots apart.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import torch

from emendo.modeling.config import CopyCTCConfig
from emendo.modeling.editing import CopyCTCForEditing

if TYPE_CHECKING:
    from torch import Tensor

# Their rows come slot by slot.
_BY_SLOT = (
    "model.upsampler.projection.weight",
    "model.upsampler.projection.bias",
    "model.decoder.positions.slots",
)

# A network without positions has none of these.
_OF_POSITIONS = ("model.decoder.positions.", "gold_slots.")


@torch.no_grad()
def with_more_slots(
    model: CopyCTCForEditing, upsampling: int, *, slot_positions: bool
) -> CopyCTCForEditing:
    """Return a network with the weights of another one.

    Args:
        model: The trained network.
        upsampling: Slots for each token, a multiple of what the model has.
        slot_positions: Whether the decoder reads positions; must be true if the model's own does.
    """
    own = model.config
    assert isinstance(own, CopyCTCConfig)
    times, rest = divmod(upsampling, own.upsampling)
    assert not rest
    assert slot_positions >= own.slot_positions
    config = copy.deepcopy(own)
    config.upsampling, config.slot_positions = upsampling, slot_positions
    grown = CopyCTCForEditing(config)
    weights: dict[str, Tensor] = model.state_dict()
    for name in _BY_SLOT:
        if name in weights:
            slots = weights[name].unflatten(0, (own.upsampling, -1))
            weights[name] = slots.repeat_interleave(times, dim=0).flatten(0, 1)
    positions = grown.model.decoder.positions
    if positions is not None and not own.slot_positions:
        positions.gain.zero_()
        positions.slots.zero_()
    new = {name for name in grown.state_dict() if name.startswith(_OF_POSITIONS)} - set(weights)
    missing = grown.load_state_dict(weights, strict=not new).missing_keys
    assert new.issuperset(missing)
    return grown
