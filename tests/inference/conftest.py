"""What tests of the engines share: a bundle with nothing in its files."""

import pytest

from emendo.bundle import BundleConfig, open_bundle, seal_bundle
from emendo.bundle.format import INT8_LEXICON, INT8_NETWORK, LEXICON, NETWORK

# The small tokenizer has 421 tokens; the last one is `<rep>`.
CONFIG = BundleConfig(
    upsampling=2,
    pad_id=1,
    rep_id=420,
    mask_id=4,
    vocab_size=421,
    max_tokens=64,
    languages=("en",),
    candidates=3,
)


@pytest.fixture
def bundle(tmp_path):
    """Return a bundle whose files begin as graphs do."""
    for name in (NETWORK, LEXICON, INT8_NETWORK, INT8_LEXICON):
        (tmp_path / name).write_bytes(b"\x08")
    seal_bundle(tmp_path, CONFIG)
    return open_bundle(tmp_path)
