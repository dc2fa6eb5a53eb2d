"""A trained model that edits raw text greedily in rounds, or by beam search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emendo import TextTokenizer
from emendo.bundle import Level
from emendo.ctc import collapse, greedy_paths
from emendo.ctc.alphabet import count_slots
from emendo.inference import SentenceEditor
from emendo.inference.alternatives import beam_outputs
from emendo.inference.backend import Batch
from emendo.inference.confidence import Decoded, change_window
from emendo.inference.slot_scoring import score_slots, three_way_log_probs
from emendo.modeling import CopyCTCForEditing, TorchBackend
from emendo.text import EditedText, render

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# Sentences of a batch for beam search.
_BATCH = 16


class TextEditor:
    """Corrects sentences with a model of a run."""

    def __init__(self, model: Path, *, rounds: int = 1, beam: int | None = None) -> None:
        self._network = CopyCTCForEditing.from_pretrained(model).eval()
        # Greedy decoding needs the likeliest word of a slot, a beam also others.
        self._backend = TorchBackend(self._network, candidates=beam or 1)
        self._tokenizer = TextTokenizer.from_file(model / "tokenizer.json")
        self._editor = SentenceEditor(
            self._backend, self._tokenizer, rounds=rounds, confidences=False
        )
        self._beam = beam

    def biases(self, wanted: Sequence[float]) -> tuple[float, ...]:
        """Return those of the biases that apply: vanilla CTC has no KEEP."""
        return tuple(wanted) if self._network.config.use_keep else (0.0,)

    def correct(self, sentences: Sequence[str], keep_bias: float = 0.0) -> list[str]:
        """Return the corrected sentences."""
        if self._beam:
            return [
                text
                for k in range(0, len(sentences), _BATCH)
                for text in self._by_beam(sentences[k : k + _BATCH], self._beam, keep_bias)
            ]
        edited = self._editor.edit_sentences(sentences, Level(keep_bias=keep_bias))
        return [each.text for each in edited]

    def _by_beam(self, sentences: Sequence[str], width: int, keep_bias: float) -> list[str]:
        sources = [self._tokenizer.encode(sentence) for sentence in sentences]
        batch = Batch.of(sources, self._tokenizer.pad_id)
        output = self._backend.run(batch)
        alphabet = self._backend.alphabet
        three_way = three_way_log_probs(
            output.three_way, alphabet.slot_keep_ids(batch.keep_ids), keep_bias=keep_bias
        )
        scores = score_slots(self._backend, batch, output, keep_bias=keep_bias)
        decoded = []
        for row, (source, path) in enumerate(zip(sources, greedy_paths(scores), strict=True)):
            slots = path[: count_slots(len(source), alphabet.upsampling)]
            found = collapse(slots.tolist(), source.keep_ids.tolist(), alphabet.upsampling)
            assert found is not None
            decoded.append(Decoded(source, slots, found.labels, EditedText(source.text), row))
        # Words at every slot: the best output may change what the greedy path keeps.
        windows = [
            change_window(each.path, len(each.source), alphabet.upsampling, None)
            for each in decoded
        ]
        outputs = beam_outputs(self._backend, decoded, windows, output, three_way, width=width)
        return [
            render(self._tokenizer, each.source, best.output.labels, best.output.origins).text
            for each, (best, *_) in zip(decoded, outputs, strict=True)
        ]
