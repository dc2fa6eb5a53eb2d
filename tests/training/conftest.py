"""A tiny encoder in a folder, and pairs in a file."""

import pytest

PAIRS = [
    ("I like an dog.", "I like dogs."),
    ("He go to the store.", "He goes to the store."),
    ("They is here.", "They are here."),
    ("She have a cat.", "She has a cat."),
    ("It is fine.", "It is fine."),
    ("The the fox jumps.", "The fox jumps."),
    ("Where have been you?", "Where have you been?"),
    ("I know what for it is.", "I know what it is for."),
]


@pytest.fixture(scope="session")
def encoder(tmp_path_factory, small_tokenizer):
    """A random encoder in a folder, as a hub would have it."""
    folder = tmp_path_factory.mktemp("encoder")
    import torch
    from transformers import RobertaConfig, RobertaModel

    torch.manual_seed(0)
    config = RobertaConfig(
        vocab_size=small_tokenizer.vocab_size,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=128,
        max_position_embeddings=200,
        pad_token_id=small_tokenizer.pad_id,
    )
    RobertaModel(config, add_pooling_layer=False).save_pretrained(folder)
    small_tokenizer.save(folder / "tokenizer.json")
    return folder


@pytest.fixture(scope="session")
def pairs(tmp_path_factory):
    path = tmp_path_factory.mktemp("pairs") / "pairs.tsv"
    path.write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS * 8))
    return path
