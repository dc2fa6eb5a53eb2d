"""Glancing, and what else of the paper's training is easily lost without a word.

Seven bugs, each planted by hand, and the tests that they fail:

| planted | fails |
|---|---|
| τ ignored | test_the_chance_is_the_share_of_wrong_slots, test_the_run_file_says_how_much_is_shown |
| nothing ever shown | test_shown_slots_hold_the_answer |
| the guess shown instead of the gold | test_shown_slots_hold_the_answer |
| positions lost | test_every_slot_has_a_place_of_its_own, test_slots_that_show_one_word_differ, |
| | test_slots_find_their_tokens |
| source dropout off | test_the_run_file_says_how_much_of_the_source_is_hidden |
| warm-up ignored | test_the_run_file_says_how_the_rate_rises |
| betas ignored | test_the_run_file_says_the_betas |

The last of them look at a whole run, so that it does not matter where between the run file and the
update something is lost.
"""

import json

import pytest
import torch
from transformers import RobertaModel

from emendo.ctc import BLANK
from emendo.ctc.alphabet import ADD_COLUMN, BLANK_COLUMN, KEEP_COLUMN
from emendo.data.collator import PairCollator
from emendo.labels import NO_LABEL
from emendo.modeling import CopyCTCForEditing, editing
from emendo.modeling.ctc_loss import Targets
from emendo.modeling.glancing import (
    GoldSlots,
    UsualSlots,
    glance,
    gold_ids,
    gold_operations,
    path_labels,
)
from emendo.text import EditPair
from emendo.training.config import TrainConfig
from emendo.training.loop import train
from emendo.training.toml_config import load_config
from tests.conftest import encode_all, scramble

PAIRS = [
    EditPair("I like an dog.", "I like dogs."),
    EditPair("He go store", "He goes to the store."),
    EditPair("They don't know.", "They don't know."),
]
T = 4


@pytest.fixture
def batch(small_tokenizer):
    return PairCollator(small_tokenizer.pad_id, T)(encode_all(PAIRS, small_tokenizer, T))


@pytest.fixture
def build(tiny_model):
    """Build a network with opinions, in training, whose only chance is glancing's."""

    def build(**options):
        quiet = {"source_dropout": 0.0, "keep_dropout": 0.0, "upsampling": T}
        model = scramble(tiny_model(**{**quiet, **options})).train()
        for module in model.modules():
            if hasattr(module, "p"):
                module.p = 0.0
        return model

    return build


def test_the_chance_is_the_share_of_wrong_slots():
    torch.manual_seed(0)
    gold = torch.zeros(3, 10_000, dtype=torch.int64)
    guess = gold.clone()
    guess[1, :2500] = 1
    guess[2, :] = 1
    is_slot = torch.ones_like(gold, dtype=torch.bool)
    is_slot[1, 5000:] = False
    shown = glance(gold, guess, is_slot, ratio=1.0)
    assert not shown[0].any()
    assert not shown[1, 5000:].any()
    assert abs(shown[1, :5000].float().mean() - 0.5) < 0.03
    assert shown[2].all()
    assert abs(glance(gold, guess, is_slot, ratio=0.3)[2].float().mean() - 0.3) < 0.03


def test_the_only_slot_of_a_sentence_is_shown_if_it_is_wrong():
    gold = torch.zeros(100, 1, dtype=torch.int64)
    assert glance(gold, gold + 1, torch.ones_like(gold, dtype=torch.bool), ratio=1.0).all()


def test_nothing_is_shown_where_all_is_right(monkeypatch):
    """Also if the number drawn is 0."""
    monkeypatch.setattr(torch, "rand", lambda shape, **_: torch.zeros(shape))
    gold = torch.zeros(2, 3, dtype=torch.int64)
    assert not glance(gold, gold, torch.ones_like(gold, dtype=torch.bool), ratio=1.0).any()


def test_what_is_shown():
    targets = Targets.of(torch.tensor([[7, 99]]))
    gold = path_labels(torch.tensor([[0, 1, 2, 1]]), targets)
    assert gold.tolist() == [[BLANK, 7, 99, 7]]
    # 99 is a spelling beyond the vocabulary that only KEEP gives: the encoder read it as 3.
    keep = torch.tensor([[NO_LABEL, 6, 99, 7]])
    assert gold_ids(gold, torch.tensor([[5, 6, 3, 7]]), keep, mask_id=4).tolist() == [[4, 7, 3, 7]]
    operations = [[BLANK_COLUMN, ADD_COLUMN, KEEP_COLUMN, KEEP_COLUMN]]
    assert gold_operations(gold, keep).tolist() == operations


def slots_refined(model, batch, monkeypatch):
    """Return the slots that the decoder reads in the first pass and, after glancing, in the second."""
    seen = []
    refine = model.model.refine

    def spy(slots, *rest):
        seen.append(slots.detach().clone())
        return refine(slots, *rest)

    monkeypatch.setattr(model.model, "refine", spy)
    model(**batch)
    return seen


def show_everything(monkeypatch):
    """Take all slots for wrong, and return where the gold and the guessed labels are noted."""
    golds, guesses = [], []

    def all_wrong(gold, guess, is_slot, ratio):
        golds.append(gold)
        guesses.append(guess)
        return glance(gold, torch.full_like(gold, NO_LABEL), is_slot, ratio)

    monkeypatch.setattr(editing, "glance", all_wrong)
    return golds, guesses


def plain_gold_slot(model, slots, is_slot, s, word, operation):
    """Equation 7a for slot s of one sentence, word by word."""
    own = [slots[k] for k in range(len(slots)) if is_slot[k]]
    mean = [torch.stack(own[t::T]).mean(0) for t in range(T)]
    spread = torch.stack([slot - mean[k % T] for k, slot in enumerate(own)]).square().mean().sqrt()
    gold = model.gold_slots.norm(word) + model.gold_slots.operations[operation]
    return mean[s % T] + spread * gold / gold.square().mean().sqrt()


@pytest.mark.parametrize("slot_positions", [True, False])
@pytest.mark.parametrize("use_keep", [True, False])
def test_shown_slots_hold_the_answer(build, batch, monkeypatch, slot_positions, use_keep):
    """Everything is shown if all is wrong and τ is 1: the best path to the target."""
    model = build(glancing=1.0, slot_positions=slot_positions, use_keep=use_keep)
    golds, guesses = show_everything(monkeypatch)
    before, after = slots_refined(model, batch, monkeypatch)
    gold, guess = golds[0], guesses[0]
    assert not torch.equal(gold, guess), "a network that guesses right shows nothing of the test"
    is_slot = model.per_slot(batch["attention_mask"] != 0)
    keep = model.slot_keep_ids(batch["keep_ids"])
    ids = gold_ids(gold, model.per_slot(batch["input_ids"]), keep, model.config.mask_id)
    expected = model.get_input_embeddings()(ids)
    if slot_positions:
        operations = gold_operations(gold, keep)
        assert len(operations[is_slot].unique()) == 2 + use_keep
        for b, s in is_slot.nonzero().tolist():
            found = plain_gold_slot(
                model, before[b], is_slot[b], s, expected[b, s], operations[b, s]
            )
            assert torch.allclose(after[b, s], found, atol=1e-5)
    else:
        assert torch.allclose(after[is_slot], expected[is_slot], atol=1e-6)
    assert torch.equal(after[~is_slot], before[~is_slot])


def test_slots_that_are_not_chosen_stay_as_they_are(build, batch, monkeypatch):
    model = build(glancing=1.0)
    chosen = []

    def some(gold, guess, is_slot, ratio):
        torch.manual_seed(0)
        chosen.append(glance(gold, torch.full_like(gold, NO_LABEL), is_slot, 0.3))
        return chosen[0]

    monkeypatch.setattr(editing, "glance", some)
    before, after = slots_refined(model, batch, monkeypatch)
    is_same = (before == after).all(dim=-1)
    assert torch.equal(is_same, ~chosen[0])
    assert 0 < chosen[0].sum() < chosen[0].numel()


def test_what_is_shown_is_at_the_scale_of_slots(build, batch, monkeypatch):
    """However small word embeddings are, and however much the slots of a network have in common."""
    model = build(glancing=1.0)
    show_everything(monkeypatch)
    with torch.no_grad():
        model.model.encoder.encoder.layer[-1].output.LayerNorm.bias.add_(5.0)
        model.get_input_embeddings().weight.mul_(0.01)
    before, after = slots_refined(model, batch, monkeypatch)
    is_token = batch["attention_mask"] != 0
    usual, shown = UsualSlots.of(before, is_token), UsualSlots.of(after, is_token)
    spread = (
        (after.unflatten(1, (-1, T)) - usual.mean.unsqueeze(1)).square().mean(dim=(2, 3)).sqrt()
    )
    assert torch.allclose(spread[is_token], usual.spread.expand_as(spread)[is_token], rtol=1e-4)
    assert (shown.mean - usual.mean).norm() < usual.mean.norm() / 2


def test_padding_is_not_usual():
    torch.manual_seed(0)
    slots, is_token = torch.randn(2, 3 * T, 6), torch.ones(2, 3, dtype=torch.bool)
    is_token[1, 2] = False
    padded, alone = (
        UsualSlots.of(slots, is_token),
        UsualSlots.of(slots[1:, : 2 * T], is_token[1:, :2]),
    )
    assert torch.allclose(padded.mean[1], alone.mean[0])
    assert torch.allclose(padded.spread[1], alone.spread[0])


def test_a_sentence_of_one_token_is_as_usual():
    torch.manual_seed(0)
    slots = torch.randn(2, T, 6)
    usual = UsualSlots.of(slots, torch.tensor([[True], [False]]))
    assert torch.equal(usual.mean[0], slots[0])
    assert usual.spread[0] == 0
    # The other one is nothing but padding.
    assert usual.mean[1].isfinite().all()
    assert usual.spread[1].isfinite()


def test_operations_start_smaller_than_words():
    torch.manual_seed(0)
    assert GoldSlots(1000).operations.square().mean() < 1


def test_however_small_a_word_is_it_shows():
    """At the usual spread; only nothing at all shows as the mean."""
    torch.manual_seed(0)
    gold = GoldSlots(8)
    with torch.no_grad():
        gold.operations.zero_()
        gold.norm.weight.fill_(1e-3)
    usual = UsualSlots(torch.zeros(2, 8), torch.full((2, 1), 3.0))
    words = torch.stack([torch.randn(8), torch.zeros(8)])
    small, nothing = gold(words, torch.tensor([ADD_COLUMN, ADD_COLUMN]), usual)
    assert torch.allclose(small.square().mean().sqrt(), torch.tensor(3.0))
    assert not nothing.any()


def test_a_kept_word_does_not_look_added():
    torch.manual_seed(0)
    gold = GoldSlots(8)
    usual = UsualSlots(torch.zeros(3, 8), torch.ones(3, 1))
    shown = gold(torch.randn(1, 8).expand(3, 8), torch.arange(3), usual)
    assert torch.pdist(shown).min() > 0.5
    assert torch.allclose(shown.square().mean(dim=-1), torch.ones(3))


def states_of_one_word(model, batch, monkeypatch):
    """Return what the decoder makes of [B, N, T] slots that all show the same added word."""
    monkeypatch.setattr(editing, "path_labels", lambda columns, _: torch.full_like(columns, 7))
    show_everything(monkeypatch)
    states = model(**batch).slot_states.unflatten(1, (-1, T))
    return states.detach()[batch["attention_mask"].all(dim=1)]


def test_slots_that_show_one_word_differ(build, batch, monkeypatch):
    """By which of a token's slots they are, and by which token that is."""
    states = states_of_one_word(build(), batch, monkeypatch)
    assert len(states)
    for sentence in states:
        for slots in (*sentence, *sentence.transpose(0, 1)):
            assert torch.pdist(slots).min() > 0.01


def test_without_positions_they_are_the_same(build, batch, monkeypatch):
    """So that the test before this one has something to find."""
    states = states_of_one_word(build(slot_positions=False), batch, monkeypatch)
    assert (states - states[:, :1, :1]).abs().max() < 1e-5


def test_slots_find_their_tokens(build, batch):
    """What the decoder sees of the source goes by where it stands."""
    for has_positions in (True, False):
        model = build(slot_positions=has_positions).eval()
        ids, mask = batch["input_ids"][:1], batch["attention_mask"][:1]
        ids, mask = ids[:, mask[0] != 0], mask[:, mask[0] != 0]
        states = model.model.encode(ids, mask)
        slots = model.model.upsampler(states)
        one, other = (
            model.model.refine(slots, memory, mask).slot_states
            for memory in (states, states.flip(1))
        )
        assert torch.allclose(one, other, atol=1e-5) != has_positions


def test_every_slot_has_a_place_of_its_own(build):
    """Slots of one token differ as those of different tokens do."""
    positions = build().model.decoder.positions
    placed, tokens = positions(torch.zeros(1, 50 * T, 16), torch.zeros(1, 50, 16))
    assert torch.pdist(placed[0]).min() > 0.01
    assert torch.pdist(tokens[0]).min() > 0.01


def test_places_go_on_beyond_what_was_trained(build):
    """And are the same in half precision, however long the sentence."""
    positions = build().model.decoder.positions
    slots, states = torch.zeros(1, 3000 * T, 16), torch.zeros(1, 3000, 16)
    placed, tokens = positions(slots, states)
    assert torch.pdist(tokens[0]).min() > 0
    half, _ = positions(slots.bfloat16(), states.bfloat16())
    assert (half.float() - placed).abs().max() < 0.02


def test_positions_and_gold_slots_learn(build, batch):
    model = build()
    model(**batch).loss.backward()
    for part in (model.gold_slots, model.model.decoder.positions):
        assert all(parameter.grad.any() for parameter in part.parameters())


def test_a_network_saved_without_the_field_has_no_positions(build, tmp_path):
    build(slot_positions=False).save_pretrained(tmp_path)
    saved = json.loads((tmp_path / "config.json").read_text())
    saved.pop("slot_positions", None)
    (tmp_path / "config.json").write_text(json.dumps(saved))
    again = CopyCTCForEditing.from_pretrained(tmp_path)
    assert again.model.decoder.positions is None
    assert again.gold_slots is None


def test_a_network_saved_with_positions_has_them(build, tmp_path):
    model = build()
    model.save_pretrained(tmp_path)
    again = CopyCTCForEditing.from_pretrained(tmp_path)
    for name, value in model.state_dict().items():
        assert torch.equal(again.state_dict()[name], value), name


RUN = """
precision = "fp32"
trackers = []
log_every = 1

[model]
encoder = "{folder}"
upsampling = 4
source_dropout = 0.3
glancing = 0.8

[optimizer]
betas = [0.7, 0.8]
head_factor = 2.0

[dev]
file = "{folder}/pairs.tsv"
metric = "em"

[[stages]]
name = "only"
train = ["{folder}/pairs.tsv"]
learning_rate = 1e-3
tokens_per_step = 128
tokens_per_batch = 128
steps = 12
warmup_steps = 4
evaluate_every = 12
glancing_end = 0.2
glancing_steps = 7
"""


@pytest.fixture(scope="module")
def run(tiny_model, small_tokenizer, tmp_path_factory):
    """A whole run from its file, and what was seen of it."""
    folder = tmp_path_factory.mktemp("encoder")
    tiny_model().model.encoder.save_pretrained(folder)
    small_tokenizer.save(folder / "tokenizer.json")
    pairs = "".join(f"{pair.source}\t{pair.target}\n" for pair in PAIRS * 12)
    (folder / "pairs.tsv").write_text(pairs)
    (folder / "run.toml").write_text(RUN.format(folder=folder))
    ratios, hidden = [], []
    read = RobertaModel.forward

    def spy_on_glancing(gold, guess, is_slot, ratio):
        ratios.append(ratio)
        return glance(gold, guess, is_slot, ratio)

    def spy_on_reading(self, *arguments, **options):
        if self.training:
            embeddings, mask = options["inputs_embeds"], options["attention_mask"] != 0
            hidden.append((embeddings[mask] == 0).all(dim=-1))
        return read(self, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(editing, "glance", spy_on_glancing)
        patch.setattr(RobertaModel, "forward", spy_on_reading)
        model = train(load_config(TrainConfig, folder / "run.toml"), folder / "run")
    entries = map(json.loads, (folder / "run/metrics.jsonl").read_text().splitlines())
    return {
        "model": CopyCTCForEditing.from_pretrained(model),
        "ratios": ratios,
        "hidden": torch.cat(hidden).double().mean().item(),
        "rates": [entry["learning_rate"] for entry in entries if "learning_rate" in entry],
        "optimizer": torch.load(folder / "run/only/checkpoint-12/optimizer.pt"),
    }


def test_the_run_file_says_how_much_is_shown(run):
    """From 0.8 in seven updates to 0.2, where it stays."""
    assert run["ratios"] == pytest.approx([0.8, 0.7, 0.6, 0.5, 0.4, 0.3, *[0.2] * 6])


def test_the_run_file_says_how_much_of_the_source_is_hidden(run):
    assert run["hidden"] == pytest.approx(0.3, abs=0.07)


def test_the_run_file_says_how_the_rate_rises(run):
    rising = [1e-3 * k / 4 for k in range(4)]
    falling = [1e-3 * k / 8 for k in range(8, 0, -1)]
    assert run["rates"] == pytest.approx([*rising, *falling])


def test_the_run_file_says_the_betas(run):
    groups = run["optimizer"]["param_groups"]
    assert {tuple(group["betas"]) for group in groups} == {(0.7, 0.8)}


def test_a_new_run_has_positions(run):
    assert run["model"].config.slot_positions
    assert run["model"].model.decoder.positions is not None
