"""A typing mistake in a training file is told at once."""

import subprocess
import sys

import pytest

pytest.importorskip("torch")

RUN = """
seed = 1
[model]
encoder = "nowhere"
[dev]
file = "dev.m2"
[[stages]]
name = "one"
train = ["pairs.tsv"]
learning_rate = 1e-4
tokens_per_step = 128
tokens_per_batch = 128
"""
# Whoever imports torch is told apart by the exit code.
PROBE = """
import sys
from emendo.cli.main import run
try:
    run()
finally:
    print("torch" in sys.modules)
"""


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (RUN.replace("learning_rate", "learning_rat"), "did you mean 'learning_rate'?"),
        (RUN.replace("seed = 1", "seed = one"), "run.toml"),
        (RUN.replace("128", "'many'", 1), "must be a whole number"),
    ],
)
def test_a_typing_mistake_is_told_before_torch_is_loaded(tmp_path, wrong, said):
    path = tmp_path / "run.toml"
    path.write_text(wrong)
    done = subprocess.run(
        [sys.executable, "-c", PROBE, "train", str(path), "--output", str(tmp_path / "run")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert said in line
    assert done.stdout.strip() == "False"
    assert not (tmp_path / "run").exists()
