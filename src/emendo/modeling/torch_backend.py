"""A live torch network behind the editor: what training and evaluation edit with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from emendo.ctc import Alphabet, SlotScores, undecided

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    from emendo.inference import Batch
    from emendo.modeling.editing import CopyCTCForEditing


class TorchBackend:
    """Runs a `CopyCTCForEditing` wherever its weights are."""

    def __init__(self, model: CopyCTCForEditing, *, dtype: torch.dtype | None = None) -> None:
        """Wrap a network.

        Args:
            model: The network; it is switched to evaluation for each batch, and back.
            dtype: Run matrix products in this type (torch.bfloat16) by autocast.
        """
        self._model = model
        self._dtype = dtype

    @property
    def alphabet(self) -> Alphabet:
        """The symbols its slots choose from."""
        return Alphabet(self._model.config.vocab_size, self._model.config.upsampling)

    @property
    def max_tokens(self) -> int:
        """Source tokens, edges included, that the encoder has positions for."""
        return self._model.config.max_tokens

    def run(self, batch: Batch) -> SlotScores:
        """Score the slots of a batch."""
        # Each part by itself: a frozen encoder may be in evaluation while the rest trains.
        training = [module for module in self._model.modules() if module.training]
        self._model.eval()
        try:
            with torch.inference_mode(), self._autocast():
                return self._run(batch)
        finally:
            for module in training:
                module.training = True

    def _autocast(self) -> torch.autocast:
        device = self._model.device.type
        return torch.autocast(device, dtype=self._dtype, enabled=self._dtype is not None)

    def _run(self, batch: Batch) -> SlotScores:
        model = self._model
        input_ids, attention_mask, keep_ids = (
            torch.from_numpy(values).to(model.device)
            for values in (batch.input_ids, batch.attention_mask, batch.keep_ids)
        )
        output = model(input_ids, attention_mask, keep_ids)
        slot_keep_ids = model.slot_keep_ids(keep_ids)
        is_slot = model.per_slot(attention_mask != 0)
        rows = (undecided(output.three_way.exp()) & is_slot).flatten().nonzero().squeeze(1)
        words = model.look_up(output.slot_states.flatten(0, 1)[rows], slot_keep_ids.flatten()[rows])
        return SlotScores(
            three_way=_numpy(output.three_way),
            rows=_numpy(rows),
            top_ids=_numpy(words.ids),
            top_scores=_numpy(words.scores),
            keep_scores=_numpy(words.own),
        )


def _numpy(values: Tensor) -> NDArray[Any]:
    if values.is_floating_point():
        values = values.float()
    return values.cpu().numpy()
