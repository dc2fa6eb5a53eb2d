"""Run from the installed wheel, with nothing but its own dependencies around it."""

import importlib.util
import os
import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

import emendo
from emendo import TextTokenizer
from emendo.ctc import Alphabet
from emendo.inference import NetworkOutput, SentenceEditor, WordScores
from emendo.labels import NO_LABEL

TEXTS = ["had had a 😀 !!!", " naïve\r\n text ", "<s> \ud800 <mask>", ""]

is_slim = importlib.util.find_spec("torch") is None


class KeepEverything:
    """A network of one opinion."""

    max_tokens = 10_000
    alphabet = Alphabet(300, 2)

    def run(self, batch):
        keep, blank, _ = np.log(np.maximum(np.eye(3), 1e-9))
        slots = np.where((batch.keep_ids == NO_LABEL)[..., None], blank, keep)
        return NetworkOutput(
            np.repeat(slots, 2, axis=1), np.zeros((*slots.shape[:1], 2 * slots.shape[1], 1))
        )

    def look_up(self, states, labels):
        return WordScores(np.zeros((len(states), 1), dtype=np.int64), states, labels * 0.0)


def tokenizers():
    small = Tokenizer(models.BPE())
    small.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    small.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    small.train_from_iterator(
        [],
        trainers.BpeTrainer(special_tokens=special, initial_alphabet=alphabet, show_progress=False),
    )
    small.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    yield TextTokenizer(small)
    real = (
        Path(os.environ.get("EMENDO_WEIGHTS", "missing"))
        / "granite-embedding-30m-english/tokenizer.json"
    )
    if real.exists():
        yield TextTokenizer.from_file(real)


def test_the_core_edits_without_torch():
    for tokenizer in tokenizers():
        edited = SentenceEditor(KeepEverything(), tokenizer).edit_sentences(TEXTS)
        assert [e.text for e in edited] == TEXTS
        assert all(not e.edits for e in edited)


@pytest.mark.skipif(not is_slim, reason="torch is installed here; .ci/run has a venv without it")
@pytest.mark.parametrize(
    ("part", "extra"),
    [
        ("modeling", "train"),
        ("data.collator", "train"),
        ("data.store", "train"),
        ("data.streams", "train"),
        ("inference.onnx_backend", "edit"),
        ("inference.openvino_backend", "openvino"),
        ("export", "export"),
        ("serving", "serve"),
        ("lsp", "lsp"),
    ],
)
def test_what_needs_more_says_what_to_install(part, extra):
    with pytest.raises(ImportError, match=rf'pip install "emendo\[{extra}\]"'):
        importlib.import_module(f"emendo.{part}")


def test_text_formats_need_nothing_more(tmp_path):
    from emendo.data.filters import PairFilter
    from emendo.data.readers import PairFiles
    from emendo.data.statistics import measure_pairs

    (tmp_path / "a.tsv").write_text("a b\ta c\n")
    found = measure_pairs(
        PairFiles(tmp_path / "a.tsv").read(),
        pair_filter=PairFilter(),
        tokenizer=next(tokenizers()),
    )
    assert found.edits == {"replace": 1}


def test_the_package_is_typed():
    assert (Path(emendo.__file__).parent / "py.typed").exists()


def test_the_page_is_in_the_package():
    folder = files("emendo") / "serving/page"
    html = (folder / "index.html").read_text(encoding="utf-8")
    parts = re.findall(r'"page/([a-z_.]+)"', html)
    assert {"app.js", "page.css", "icon.svg"} <= set(parts)
    assert all((folder / part).is_file() for part in parts)
