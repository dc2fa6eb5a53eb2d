"""What replaces parts of an encoder in training on CPU computes what they did."""

import copy

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from transformers import AutoModel, BertConfig, DebertaV2Config, ModernBertConfig, RobertaConfig

from emendo.modeling.attention import plain_attention
from emendo.modeling.disentangled_attention import fix_deberta_positions
from emendo.modeling.dropout import Dropout
from emendo.modeling.encoder import build_encoder
from emendo.modeling.layer_norm import LayerNorm

SIZES = {
    "vocab_size": 50,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "pad_token_id": 0,
}
DISENTANGLED = {
    "relative_attention": True,
    "pos_att_type": ["p2c", "c2p"],
    # Fewer than a long sentence has distances, so that some share an embedding.
    "position_buckets": 12,
    "max_position_embeddings": 80,
    "norm_rel_ebd": "layer_norm",
    "position_biased_input": False,
    "type_vocab_size": 0,
}
ENCODERS = {
    "roberta": RobertaConfig(**SIZES, max_position_embeddings=80),
    "bert": BertConfig(**SIZES, max_position_embeddings=80),
    "deberta": DebertaV2Config(**SIZES, **DISENTANGLED, share_att_key=True),
    "deberta, keys of its own": DebertaV2Config(**SIZES, **DISENTANGLED, share_att_key=False),
    "deberta, one term": DebertaV2Config(**SIZES, **{**DISENTANGLED, "pos_att_type": ["c2p"]}),
    "modernbert": ModernBertConfig(**SIZES, local_attention=8, bos_token_id=1, eos_token_id=2),
}


def without_dropout(model):
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    return model


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("tokens", [1, 2, 7, 40])
def test_a_quick_encoder_equals_the_one_it_was(name, tokens):
    torch.manual_seed(0)
    quick = without_dropout(build_encoder(copy.deepcopy(ENCODERS[name]))).double()
    stock = without_dropout(AutoModel.from_config(copy.deepcopy(ENCODERS[name]))).double()
    assert not stock.load_state_dict(quick.state_dict(), strict=False).unexpected_keys
    ids = torch.randint(3, 50, (3, tokens))
    mask = torch.ones_like(ids)
    mask[1, tokens // 2 :] = 0
    states = []
    for encoder in (quick.train(), stock.train()):
        state = encoder(input_ids=ids, attention_mask=mask)[0][mask.bool()]
        state.square().sum().backward()
        states.append(state)
    assert torch.allclose(*states, atol=1e-9)
    theirs = dict(stock.named_parameters())
    for parameter, ours in quick.named_parameters():
        assert torch.allclose(ours.grad, theirs[parameter].grad, atol=1e-8), parameter


@pytest.mark.parametrize(("S", "N"), [(5, 3), (12, 31), (9, 40)])
def test_plain_attention(S, N):
    torch.manual_seed(0)
    B, A, D = 3, 2, 4
    shapes = [(B, A, S, D), (B, A, N, D), (B, A, N, D)]
    inputs = [torch.randn(s, dtype=torch.float64, requires_grad=True) for s in shapes]
    for mask in (None, torch.rand(B, 1, 1, N) < 0.7, torch.rand(B, 1, S, N) < 0.7):
        if mask is not None:
            mask[..., 0] = True
        ours = plain_attention(*inputs, mask)
        theirs = F.scaled_dot_product_attention(*inputs, attn_mask=mask)
        assert torch.allclose(ours, theirs, atol=1e-12)
        direction = torch.randn_like(ours)
        for a, b in zip(
            torch.autograd.grad(ours, inputs, direction),
            torch.autograd.grad(theirs, inputs, direction),
            strict=True,
        ):
            assert torch.allclose(a, b, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_dropout_drops_its_share_and_scales_the_rest(dtype):
    torch.manual_seed(0)
    values = torch.ones(333, 301, dtype=dtype, requires_grad=True)
    layer = Dropout(0.1)
    dropped = layer(values)
    assert (dropped == 0).float().mean().item() == pytest.approx(0.1, abs=0.005)
    assert dropped.float().mean().item() == pytest.approx(1.0, abs=0.01)
    # Neither rows nor columns go together.
    for dim in (0, 1):
        assert ((dropped == 0).float().mean(dim=dim) - 0.1).abs().max() < 0.1
    (gradient,) = torch.autograd.grad(dropped.sum(), values)
    assert torch.equal(gradient, dropped)
    torch.manual_seed(0)
    assert torch.equal(layer(values), dropped)
    assert layer.eval()(values) is values


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_dropout_of_nothing_and_of_all(share):
    values = torch.randn(7, 3)
    assert torch.equal(Dropout(share)(values), values * (1 - share))


def test_weights_of_a_norm_get_their_whole_gradient():
    torch.manual_seed(0)
    states = torch.randn(8192, 16) + 1
    ours, theirs = LayerNorm(16), nn.LayerNorm(16)
    ours(states.bfloat16()).float().square().sum().backward()
    theirs(states).square().sum().backward()
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert (a.grad - b.grad).norm() < 0.01 * theirs.weight.grad.norm()


def test_source_dropout_hides_tokens_in_training_alone(tiny_model):
    """Their embeddings are zero, and about as many as the share says."""
    model = tiny_model(source_dropout=0.3).model
    ids = torch.arange(5, 65).repeat(20, 1)
    seen = []

    def look(_, __, options):
        embeddings = options.get("inputs_embeds")
        seen.append(0.0 if embeddings is None else (embeddings == 0).all(-1).double().mean().item())

    model.encoder.register_forward_pre_hook(look, with_kwargs=True)
    for is_training in (True, False):
        model.train(is_training).encode(ids, torch.ones_like(ids))
    assert seen == [pytest.approx(0.3, abs=0.05), 0.0]


@pytest.mark.parametrize("name", [name for name in ENCODERS if name.startswith("deberta")])
@pytest.mark.parametrize("tokens", [1, 2, 7, 40])
def test_fixed_positions_change_nothing(name, tokens):
    torch.manual_seed(0)
    encoder = build_encoder(copy.deepcopy(ENCODERS[name])).double().eval()
    ids = torch.randint(3, 50, (3, tokens))
    mask = torch.ones_like(ids)
    mask[1, tokens // 2 :] = 0
    with torch.no_grad():
        before = encoder(input_ids=ids, attention_mask=mask)[0]
        names = encoder.state_dict().keys()
        fix_deberta_positions(encoder)
        attention = encoder.encoder.layer[0].attention.self
        # The tables are used: without the embeddings they were made of nothing changes.
        encoder.encoder.rel_embeddings.weight.zero_()
        after = encoder(input_ids=ids, attention_mask=mask)[0]
    assert attention.key_table is not None
    assert torch.allclose(before[mask.bool()], after[mask.bool()], atol=1e-9)
    assert encoder.state_dict().keys() == names, "nothing of it is saved"
