"""AdamW over parameter groups: the encoder, and everything else with a higher rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from emendo.modeling import CopyCTCForEditing
    from emendo.training.config import OptimizerOptions

_ENCODER = "model.encoder."


def build_optimizer(
    model: CopyCTCForEditing, options: OptimizerOptions, learning_rate: float
) -> torch.optim.AdamW:
    """Return the optimizer; biases and norms, which have one dimension, do not decay."""
    groups = []
    for is_encoder in (True, False):
        for decays in (True, False):
            parameters = [
                parameter
                for name, parameter in model.named_parameters()
                if parameter.requires_grad
                and name.startswith(_ENCODER) == is_encoder
                and (parameter.ndim > 1) == decays
            ]
            if parameters:
                groups.append(
                    {
                        "params": parameters,
                        "lr": learning_rate * (1 if is_encoder else options.head_factor),
                        "weight_decay": options.weight_decay if decays else 0.0,
                    }
                )
    return torch.optim.AdamW(groups, betas=options.betas, eps=options.epsilon, fused=True)
