"""The network that a run starts from: its shape comes from the model, unless the run file has one."""

import pytest

from emendo.errors import ConfigError
from emendo.training.config import ModelOptions
from emendo.training.network import load_network, with_shape

USUAL = {
    "upsampling": 4,
    "decoder_layers": 2,
    "slot_positions": True,
    "head": "factored",
    "use_keep": True,
}
OWN = {**USUAL, "upsampling": 2, "decoder_layers": 1, "slot_positions": False}


@pytest.fixture(scope="module")
def trained(tiny_model, small_tokenizer, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    tiny_model(upsampling=2, decoder_layers=1, slot_positions=False).save_pretrained(folder)
    small_tokenizer.save(folder / "tokenizer.json")
    return folder


def shape_of(options):
    return {name: getattr(options, name) for name in USUAL}


@pytest.mark.parametrize(
    ("given", "expected"),
    [({}, USUAL), ({"upsampling": 3, "head": "flat"}, {**USUAL, "upsampling": 3, "head": "flat"})],
)
def test_a_new_network_has_the_usual_shape(encoder, given, expected):
    assert shape_of(with_shape(ModelOptions(str(encoder), **given), encoder)) == expected


@pytest.mark.parametrize(
    "given",
    [{}, {"upsampling": 2}, {"upsampling": 6}, {"upsampling": 4, "slot_positions": True}],
)
def test_a_trained_model_keeps_its_shape_or_gets_more_slots(trained, small_tokenizer, given):
    options = with_shape(ModelOptions(str(trained), **given), trained)
    assert shape_of(options) == OWN | given
    model = load_network(options, small_tokenizer, trained)
    assert {name: getattr(model.config, name) for name in USUAL} == OWN | given


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"upsampling": 3}, r"model.upsampling is 3, but .* 2: use a multiple of 2"),
        ({"upsampling": 1}, r"model.upsampling is 1, but"),
        ({"upsampling": 0}, r"model.upsampling is 0, but"),
        ({"decoder_layers": 2}, r"model.decoder_layers is 2, but .* 1: leave the key out"),
        ({"head": "flat"}, r'model.head is "flat", but .* "factored"'),
        ({"use_keep": False}, r"model.use_keep is false, but .* true"),
    ],
)
def test_a_shape_that_cannot_be_is_refused(trained, given, message):
    with pytest.raises(ConfigError, match=message):
        with_shape(ModelOptions(str(trained), **given), trained)


def test_positions_cannot_be_taken_away(tiny_model, tmp_path):
    tiny_model(slot_positions=True).save_pretrained(tmp_path)
    with pytest.raises(ConfigError, match=r"model.slot_positions is false, but .* true"):
        with_shape(ModelOptions(str(tmp_path), slot_positions=False), tmp_path)
