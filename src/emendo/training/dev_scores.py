"""Scores the network on dev sentences with the editor, as at inference."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from accelerate.utils import gather_object

from emendo.bundle.levels import Level
from emendo.data.readers import PairFiles
from emendo.errors import ConfigError
from emendo.evaluation.gold import GoldSet, read_gold
from emendo.evaluation.metrics import score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from emendo.inference import SentenceEditor
    from emendo.training.config import DevOptions


class DevScores:
    """Scores an editor on the dev sentences."""

    def __init__(self, options: DevOptions) -> None:
        path = Path(options.file)
        if path.suffix == ".m2":
            gold = read_gold(None, [path])
        else:
            pairs = list(PairFiles(options.file).read())
            gold = GoldSet(
                tuple(pair.source for pair in pairs), tuple((pair.target,) for pair in pairs)
            )
            if options.metric == "m2":
                raise ConfigError(
                    f"the dev metric m2 needs an M2 file, but {path} has pairs; use errant"
                )
        self._gold = _spread(gold, options.sentences)
        self._metric = options.metric
        self._keep_biases = options.keep_biases
        # The edits of references without annotations are found once, not at every score.
        if self._metric != "em":
            _ = self._gold.sentences

    def __len__(self) -> int:
        return len(self._gold.sources)

    def score(self, editor: SentenceEditor, *, rank: int = 0, world: int = 1) -> dict[str, float]:
        """Return the metric's values and `score`, the one to compare; each process does a share."""
        levels = [Level(keep_bias=bias) for bias in self._keep_biases]
        edited = editor.edit_at_levels(self._gold.sources[rank::world], levels)
        outputs = [[[each.text for each in own] for own in edited]]
        if world > 1:
            outputs = gather_object(outputs)
        found = [
            {**self._values([texts[number] for texts in outputs]), "keep_bias": bias}
            for number, bias in enumerate(self._keep_biases)
        ]
        return max(found, key=lambda values: values["score"])

    def _values(self, outputs: Sequence[Sequence[str]]) -> dict[str, float]:
        """Return the metric of the outputs of all processes."""
        hypotheses = [""] * len(self)
        for number, texts in enumerate(outputs):
            hypotheses[number :: len(outputs)] = texts
        scored = score(self._metric, self._gold, hypotheses)
        values = scored.values()
        return {**values, "score": values[scored.headline]}


def _spread(gold: GoldSet, sentences: int | None) -> GoldSet:
    if sentences is None or sentences >= len(gold.sources):
        return gold
    rows = [number * len(gold.sources) // sentences for number in range(sentences)]
    return GoldSet(
        tuple(gold.sources[row] for row in rows),
        tuple(gold.references[row] for row in rows),
        gold.annotated and tuple(gold.annotated[row] for row in rows),
    )
