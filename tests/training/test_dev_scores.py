import pytest

from emendo.errors import ConfigError
from emendo.text import Edit, EditedText
from emendo.training.callbacks import RunLog
from emendo.training.config import DevOptions
from emendo.training.dev_scores import DevScores
from emendo.training.run_folder import RunFolder


class Shy:
    """An editor that corrects its one mistake only if KEEP is lowered, and too much if by much."""

    def __init__(self):
        self.calls = 0

    def edit_at_levels(self, sentences, levels):
        self.calls += 1
        edits = {0.0: (), -2.0: (Edit(2, 6, "likes"),), -4.0: (Edit(0, 6, "She likes"),)}
        return [
            [EditedText(sentence, edits[level.keep_bias]) for sentence in sentences]
            for level in levels
        ]


def test_a_metric_that_needs_annotations_is_refused_before_the_training(tmp_path):
    file = tmp_path / "dev.tsv"
    file.write_text("I like it .\tI likes it .\n")
    with pytest.raises(ConfigError, match=r"m2 needs an M2 file, but .*dev\.tsv has pairs"):
        DevScores(DevOptions(str(file), metric="m2"))


def test_a_log_that_never_began_can_be_closed(tmp_path):
    """Otherwise its own error would replace the one that ended the training."""
    RunLog(RunFolder(tmp_path), "a").close()


def test_the_best_bias_counts(tmp_path):
    file = tmp_path / "dev.tsv"
    file.write_text("I like it .\tI likes it .\n" * 3)

    editor = Shy()

    def score(**options):
        return DevScores(DevOptions(str(file), metric="em", **options)).score(editor)

    assert score()["score"] == 0
    best = score(keep_biases=(0.0, -2.0, -4.0))
    assert best["score"] == 100
    assert best["keep_bias"] == -2.0
    assert editor.calls == 2, "the network reads a sentence once for all biases"
    assert score(keep_biases=(0.0, -4.0))["score"] == 0
