"""A live torch network behind the editor: what training and evaluation edit with."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from emendo.ctc import Alphabet
from emendo.inference import NetworkOutput, WordScores

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

    from emendo.inference import Batch
    from emendo.modeling.editing import CopyCTCForEditing


class TorchBackend:
    """Runs a `CopyCTCForEditing` wherever its weights are, for one thread at a time."""

    def __init__(
        self,
        model: CopyCTCForEditing,
        *,
        dtype: torch.dtype | None = None,
        candidates: int = 1,
    ) -> None:
        """Wrap a network.

        Args:
            model: The network; it is switched to evaluation for each batch, and back.
            dtype: Run matrix products in this type (torch.bfloat16) by autocast.
            candidates: Likeliest words looked up for each slot; greedy decoding needs one.
        """
        self._model = model
        self._dtype = dtype
        self._candidates = candidates

    @property
    def alphabet(self) -> Alphabet:
        """The symbols its slots choose from."""
        return Alphabet(self._model.config.vocab_size, self._model.config.upsampling)

    @property
    def max_tokens(self) -> int:
        """Source tokens, edges included, that the encoder has positions for."""
        return self._model.config.max_tokens

    def run(self, batch: Batch) -> NetworkOutput:
        """Run everything but the lexical head over a batch."""
        with self._evaluation():
            input_ids, attention_mask, keep_ids = (
                torch.from_numpy(values).to(self._model.device)
                for values in (batch.input_ids, batch.attention_mask, batch.keep_ids)
            )
            output = self._model(input_ids, attention_mask, keep_ids)
            return NetworkOutput(_numpy(output.three_way), _numpy(output.slot_states))

    def look_up(self, states: NDArray[np.floating], labels: NDArray[np.int64]) -> WordScores:
        """Score words at [R, H] slots: the likeliest, and for each slot its [R, L] labels."""
        with self._evaluation():
            device = self._model.device
            words = self._model.look_up(
                torch.from_numpy(states).to(device, self._model.dtype),
                torch.from_numpy(labels).to(device),
                k=self._candidates,
            )
            return WordScores(_numpy(words.ids), _numpy(words.scores), _numpy(words.labels))

    @contextmanager
    def _evaluation(self) -> Iterator[None]:
        # Each part by itself: a frozen encoder may be in evaluation while the rest trains.
        training = [module for module in self._model.modules() if module.training]
        self._model.eval()
        device = self._model.device.type
        autocast = torch.autocast(device, dtype=self._dtype, enabled=self._dtype is not None)
        try:
            with torch.inference_mode(), autocast:
                yield
        finally:
            for module in training:
                module.training = True


def _numpy(values: Tensor) -> NDArray[Any]:
    if values.is_floating_point():
        values = values.float()
    return values.cpu().numpy()
