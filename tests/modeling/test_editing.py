"""The network as a whole: start, save and load, restriction, precision, DDP."""

import math

import pytest
import torch
from transformers import (
    AutoConfig,
    AutoModel,
    DistilBertConfig,
    RobertaConfig,
    Trainer,
    TrainingArguments,
)

from emendo.ctc import BLANK
from emendo.data.collator import PairCollator
from emendo.modeling import CopyCTCConfig, CopyCTCForEditing, CopyCTCModel, lexicon
from emendo.modeling.lexicon import _heavy_rows
from emendo.text import EditPair
from tests.conftest import encode_all, scramble

PAIRS = [
    EditPair("I like an dog.", "I like dogs."),
    EditPair("He go store", "He goes to the store."),
    EditPair("They don't know.", "They don't know."),
    EditPair("had had !!!", "had !!!"),
]


@pytest.fixture
def batch(small_tokenizer):
    encoded = encode_all(PAIRS, small_tokenizer, 2)
    return PairCollator(small_tokenizer.pad_id, 2)(encoded)


@pytest.mark.parametrize("head", ["factored", "flat"])
def test_a_new_network_keeps_everything(tiny_model, batch, head):
    model = tiny_model(head=head).eval()
    output = model(**{name: values for name, values in batch.items() if name != "labels"})
    keepable = model.slot_keep_ids(batch["keep_ids"]) >= 0
    assert output.three_way.exp()[keepable][:, 0].min() > 0.9
    assert output.three_way.exp()[~keepable][:, 0].max() == 0


@pytest.mark.parametrize("head", ["factored", "flat"])
def test_save_and_load(tiny_model, batch, tmp_path, head):
    model = scramble(tiny_model(head=head, upsampling=2)).eval()
    model.save_pretrained(tmp_path)
    assert [path.suffix for path in tmp_path.iterdir() if "model" in path.name] == [".safetensors"]
    again = CopyCTCForEditing.from_pretrained(tmp_path).eval()
    assert again.config.to_diff_dict() == model.config.to_diff_dict()
    assert torch.equal(again(**batch).loss, model(**batch).loss)
    auto = AutoModel.from_pretrained(tmp_path).eval()
    assert isinstance(auto, CopyCTCModel)
    states = auto(batch["input_ids"], batch["attention_mask"]).slot_states
    assert torch.equal(states, model(**batch).slot_states)
    assert isinstance(AutoConfig.from_pretrained(tmp_path), CopyCTCConfig)


def test_parts_that_a_checkpoint_lacks_start_as_they_should(tiny_model, tmp_path):
    model = scramble(tiny_model())
    model.model.save_pretrained(tmp_path)
    grown = CopyCTCForEditing.from_pretrained(tmp_path)
    assert torch.equal(
        grown.model.encoder.embeddings.word_embeddings.weight, model.get_input_embeddings().weight
    )
    assert not grown.lexicon.bias.any()
    assert not grown.lexicon.dense.weight.any()
    assert (grown.lexicon.norm.weight == 1).all()


def test_over_an_encoder_words_start_as_far_apart_as_trained_ones(
    tiny_model, small_tokenizer, tmp_path
):
    tiny_model().model.encoder.save_pretrained(tmp_path)
    model = CopyCTCForEditing.from_encoder(tmp_path, small_tokenizer, upsampling=2)
    assert model.config.slot_positions
    states = torch.randn(100, model.config.hidden_size)
    scores = model.lexicon(states) @ model.get_input_embeddings().weight.t()
    assert 1 < scores.std() < 2


def test_queries_are_normalised_over_an_encoder_that_names_no_epsilon():
    encoder = DistilBertConfig(vocab_size=50, dim=16, hidden_dim=16, n_heads=2, n_layers=1)
    assert not hasattr(encoder, "layer_norm_eps")
    queries = CopyCTCForEditing(CopyCTCConfig(encoder)).lexicon(torch.randn(3, 16))
    assert torch.allclose(queries.square().mean(dim=1), torch.ones(3), atol=1e-3)


def test_unknown_head_is_refused():
    with pytest.raises(ValueError, match="factored"):
        CopyCTCConfig({"model_type": "bert"}, head="other")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"head": "flat"},
        {"use_keep": False},
        {"glancing": 0.0},
        {"slot_positions": False},
        {"glancing": 0.0, "slot_positions": False},
    ],
)
def test_every_parameter_gets_a_gradient(tiny_model, batch, options):
    """Parameters without one would stop DDP."""
    model = scramble(tiny_model(**options)).train()
    model(**batch).loss.backward()
    assert [name for name, p in model.named_parameters() if p.grad is None] == []


def test_every_parameter_gets_a_gradient_in_half_precision(tiny_model, batch):
    model = scramble(tiny_model(glancing=1.0)).train()
    with torch.autocast("cpu", torch.bfloat16):
        loss = model(**batch).loss
    loss.backward()
    assert [name for name, p in model.named_parameters() if p.grad is None] == []


def test_every_parameter_gets_a_gradient_even_if_no_slot_asks_for_words(tiny_model, batch):
    model = tiny_model().train()
    model(**batch, lexical_mask=torch.zeros_like(batch["input_ids"])).loss.backward()
    assert [name for name, p in model.named_parameters() if p.grad is None] == []


def test_padding_changes_nothing(tiny_model, batch, small_tokenizer):
    model = scramble(tiny_model()).eval()
    encoded = encode_all(PAIRS, small_tokenizer, 2)
    collate = PairCollator(small_tokenizer.pad_id, 2)
    labels = sum(len(pair.labels) for pair in encoded)
    alone = sum(model(**collate([pair])).loss * len(pair.labels) for pair in encoded) / labels
    assert torch.allclose(model(**batch).loss, alone, rtol=1e-5)


def test_the_loss_is_divided_by_what_it_is_told(tiny_model, batch):
    model = scramble(tiny_model()).eval()
    loss = model(**batch).loss
    count = (batch["labels"] != -100).sum()
    assert torch.allclose(model(**batch, num_items_in_batch=1).loss, loss * count)


def test_a_single_label_weighs_the_same_alone_as_twice(tiny_model, batch):
    model = scramble(tiny_model()).eval()
    once = {name: values[:1] for name, values in batch.items()} | {"labels": torch.tensor([[7]])}
    twice = {name: values.repeat(2, 1) for name, values in once.items()}
    assert torch.allclose(model(**once).loss, model(**twice).loss)


def test_a_batch_without_any_label_can_be_trained_on(tiny_model, batch):
    model = scramble(tiny_model()).train()
    output = model(**{**batch, "labels": torch.full_like(batch["labels"], -100)})
    output.loss.backward()
    assert output.unfit == 0
    assert output.loss.isfinite()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters())


@pytest.mark.parametrize("training", [True, False])
def test_without_labels_there_are_scores_and_no_loss(tiny_model, batch, training):
    del batch["labels"]
    output = tiny_model().train(training)(**batch)
    assert output.loss is None
    assert output.three_way.isfinite().any()


def test_an_empty_target_counts_as_much_alone_as_beside_others(tiny_model, batch):
    model = scramble(tiny_model()).eval()
    labels = batch["labels"].clone()
    labels[0] = -100
    count = int((labels != -100).sum())

    def loss(rows):
        parts = {name: values[rows] for name, values in {**batch, "labels": labels}.items()}
        return model(**parts, num_items_in_batch=count).loss

    assert loss(slice(0, 1)) > 0
    assert torch.allclose(loss(slice(0, 1)) + loss(slice(1, None)), loss(slice(None)))


def test_a_target_that_does_not_fit_is_counted_and_adds_nothing(tiny_model, batch):
    model = scramble(tiny_model()).train()
    long = torch.arange(100, 100 + 99).repeat(len(batch["labels"]), 1)
    output = model(**{**batch, "labels": long})
    output.loss.backward()
    assert output.unfit == len(PAIRS)
    assert output.loss == 0
    assert all(torch.isfinite(p.grad).all() for p in model.parameters())


def test_a_target_that_does_not_fit_does_not_make_the_average_smaller(tiny_model, batch):
    model = scramble(tiny_model()).eval()
    labels = batch["labels"].clone()
    # A spelling that no token of the source has: only KEEP could give it.
    labels[0, 0] = model.config.vocab_size + 7
    output = model(**{**batch, "labels": labels})
    others = model(**{name: values[1:] for name, values in batch.items()})
    assert output.unfit == 1
    assert torch.allclose(output.loss, others.loss)
    total = (labels != -100).sum()
    told = model(**{**batch, "labels": labels}, num_items_in_batch=2 * total)
    assert torch.allclose(told.loss, others.loss / 2)
    # Of the next target, a single label is left.
    labels[1, 1:] = -100
    both = {name: values[:2] for name, values in {**batch, "labels": labels}.items()}
    fits = {name: values[1:] for name, values in both.items()}
    assert model(**both).unfit == 1
    assert torch.allclose(model(**both).loss, model(**fits).loss)


@pytest.mark.parametrize("tail", [0.1, 0.4])
def test_the_tail_is_what_was_asked_for(tail):
    """As many of the lightest rows are left out as together weigh at most that share."""
    weights = torch.tensor([0.4, 0.05, 0.2, 0.05, 0.3])
    kept = _heavy_rows(weights, tail)
    left = weights.sum() - weights[kept].sum()
    assert left <= tail + 1e-6
    lightest = weights[kept].min()
    assert left + lightest > tail, "one more would be too many"


@pytest.mark.parametrize("use_keep", [True, False])
def test_a_spelling_that_no_path_gives_does_not_stop_training(tiny_model, batch, use_keep):
    model = scramble(tiny_model(use_keep=use_keep, glancing=5.0)).train()
    labels = batch["labels"].clone()
    labels[:, 0] = model.config.vocab_size + 7
    for _ in range(5):
        output = model(**{**batch, "labels": labels})
        assert output.unfit == len(PAIRS)
        output.loss.backward()


def test_the_trainer_gives_the_number_of_labels_in_a_step(tiny_model, small_tokenizer, tmp_path):
    seen = []

    class Spy(CopyCTCForEditing):
        def forward(self, *arguments, num_items_in_batch=None, **rest):
            seen.append(num_items_in_batch)
            return super().forward(*arguments, num_items_in_batch=num_items_in_batch, **rest)

    model = Spy(tiny_model().config)
    encoded = encode_all(PAIRS, small_tokenizer, 2)
    trainer = Trainer(
        model,
        TrainingArguments(
            str(tmp_path),
            max_steps=1,
            per_device_train_batch_size=2,
            gradient_accumulation_steps=2,
            remove_unused_columns=False,
            report_to=[],
            use_cpu=True,
        ),
        train_dataset=encoded,
        data_collator=PairCollator(small_tokenizer.pad_id, 2),
    )
    trainer.train()
    assert [int(count) for count in seen] == [sum(len(pair.labels) for pair in encoded)] * 2


def test_an_encoder_with_narrow_embeddings_is_refused():
    encoder = {
        "model_type": "albert",
        "hidden_size": 16,
        "embedding_size": 8,
        "num_attention_heads": 2,
    }
    with pytest.raises(ValueError, match="embeddings have 8"):
        CopyCTCForEditing(CopyCTCConfig({**encoder, "vocab_size": 50, "intermediate_size": 16}))


def test_three_way_scores_are_not_rounded_to_half_precision(tiny_model, batch):
    model = scramble(tiny_model(head="flat")).eval()
    with torch.autocast("cpu", torch.bfloat16):
        scores = model.model(batch["input_ids"], batch["attention_mask"]).three_way
    assert scores.dtype == torch.float32


def test_restriction_is_a_lower_bound_and_exact_where_it_covers_all(
    tiny_model, batch, small_tokenizer
):
    model = scramble(tiny_model()).eval()
    exact = model(**batch).loss
    everywhere = model(**batch, lexical_mask=torch.ones_like(batch["input_ids"])).loss
    assert torch.equal(exact, everywhere)
    encoded = encode_all(PAIRS, small_tokenizer, 2)
    last = exact
    for reach in (3, 2, 1):
        restricted = model(**PairCollator(small_tokenizer.pad_id, 2, reach)(encoded)).loss
        assert restricted >= last - 1e-6
        last = restricted
    assert last > exact


def test_restriction_needs_keep(tiny_model, batch):
    with pytest.raises(ValueError, match="needs KEEP"):
        tiny_model(use_keep=False)(**batch, lexical_mask=batch["attention_mask"])


def test_restriction_needs_the_factored_head(tiny_model, batch):
    with pytest.raises(ValueError, match="factored"):
        tiny_model(head="flat")(**batch, lexical_mask=batch["attention_mask"])


def test_without_any_keeping_it_is_vanilla_ctc(tiny_model, batch):
    """In training, where no dropout but that of KEEP is on; elsewhere nothing changes."""
    settings = {"source_dropout": 0.0, "glancing": 0.0}
    model = scramble(tiny_model(keep_dropout=1.0, **settings))
    vanilla = tiny_model(use_keep=False, **settings)
    vanilla.load_state_dict(model.state_dict())
    for module in (*model.modules(), *vanilla.modules()):
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    expected = vanilla.train()(**batch).loss
    assert torch.allclose(model.train()(**batch).loss, expected)
    # Where words could not be added, they now can.
    nowhere = torch.zeros_like(batch["attention_mask"])
    assert model(**batch, lexical_mask=nowhere).unfit == 0
    model.config.keep_dropout = 0.0
    assert model(**batch, lexical_mask=nowhere).unfit == 2, "two pairs need words that are new"
    model.config.keep_dropout = 1.0
    assert not torch.allclose(model.eval()(**batch).loss, expected)


def test_dropping_no_token_leaves_a_restriction_as_it_is(tiny_model, batch):
    model = scramble(tiny_model(keep_dropout=1e-9, source_dropout=0.0, glancing=0.0)).train()
    nowhere = torch.zeros_like(batch["attention_mask"])
    assert model(**batch, lexical_mask=nowhere).unfit == 2, "two pairs need words that are new"


def test_a_guess_adds_words_only_where_it_may(tiny_model, batch):
    """However likely it is that some word is added."""
    model = scramble(tiny_model()).eval()
    keep = model.slot_keep_ids(batch["keep_ids"])
    three_way = torch.tensor([0.001, 0.001, 0.998]).log().expand(*keep.shape, 3)
    with torch.no_grad():
        output = model.model(batch["input_ids"], batch["attention_mask"])
        everywhere, nowhere = (
            model.guess(output, three_way, keep, torch.full_like(keep, may_add, dtype=torch.bool))
            for may_add in (True, False)
        )
    assert ((everywhere != keep) & (everywhere != BLANK)).any()
    assert ((nowhere == keep) | (nowhere == BLANK)).all()


def test_one_word_is_looked_up_unless_more_are_asked_for(tiny_model):
    model = tiny_model()
    states, labels = torch.randn(3, 16), torch.zeros(3, 2, dtype=torch.int64)
    assert model.look_up(states, labels).ids.shape == (3, 1)
    assert model.look_up(states, labels, k=5).ids.shape == (3, 5)


@pytest.mark.parametrize("unused_rows", [0, 8])
def test_a_spelling_that_only_keep_gives_can_always_be_kept(small_tokenizer, unused_rows):
    """Also if the embeddings have more rows than the tokenizer has tokens, as most encoders do."""
    encoder = RobertaConfig(
        vocab_size=small_tokenizer.vocab_size + unused_rows,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=66,
        pad_token_id=small_tokenizer.pad_id,
    )
    more = range(small_tokenizer.vocab_size, encoder.vocab_size)
    config = CopyCTCConfig(
        encoder,
        upsampling=2,
        forbidden_ids=[*small_tokenizer.forbidden_ids, *more],
        rep_id=small_tokenizer.rep_id,
        mask_id=small_tokenizer.mask_id,
        keep_dropout=1.0,
        source_dropout=0.0,
        glancing=0.0,
    )
    pair = encode_all([EditPair("I like dogs.", "I like dogs.")], small_tokenizer, 2)
    batch = PairCollator(small_tokenizer.pad_id, 2)(pair)
    # As a tokenizer that is not lossless numbers the first such spelling.
    spelt = batch["keep_ids"][0, 2].item()
    for name in ("keep_ids", "labels"):
        batch[name][batch[name] == spelt] = small_tokenizer.vocab_size
    assert CopyCTCForEditing(config).train()(**batch).unfit == 0


def test_leaving_out_the_tail_hardly_changes_the_gradient(tiny_model, batch):
    gradients = []
    for tail in (0.0, 1e-3):
        model = scramble(tiny_model(lexical_tail=tail)).eval()
        model(**batch).loss.backward()
        gradients.append(torch.cat([p.grad.flatten() for p in model.parameters()]))
    exact, cut = gradients
    assert 0 < (exact - cut).norm() / exact.norm() < 5e-3


@pytest.mark.parametrize("head", ["factored", "flat"])
def test_bf16_is_close_to_fp32(tiny_model, batch, head):
    model = scramble(tiny_model(head=head), scale=0.1).eval()
    single = model(**batch).loss
    with torch.autocast("cpu", torch.bfloat16):
        half = model(**batch).loss
    assert half.dtype == torch.float32
    assert torch.allclose(single, half, rtol=0.05)
    half.backward()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters())


def test_hidden_source_tokens_do_not_change_the_rest_of_the_encoder(tiny_model, batch):
    """Embeddings given to the encoder must mean the same as ids."""
    model = tiny_model(source_dropout=1e-9)
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    ids, mask = batch["input_ids"], batch["attention_mask"]
    model.model.encoder.eval()
    hidden = model.model.train().encode(ids, mask)
    plain = model.model.eval().encode(ids, mask)
    seen = mask.bool()
    assert torch.allclose(hidden[seen], plain[seen], atol=1e-6)


class Doubled(torch.nn.Embedding):
    """Embeddings that are scaled when they are read, as some encoders have them."""

    def forward(self, ids):
        return 2 * super().forward(ids)


def without_dropout(model):
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return model


def test_training_reads_embeddings_as_the_encoder_does(tiny_model, batch):
    model = without_dropout(scramble(tiny_model(source_dropout=0.0, glancing=0.0)))
    usual = model.eval()(**batch).loss
    table = Doubled.from_pretrained(model.get_input_embeddings().weight.detach(), freeze=False)
    model.model.encoder.set_input_embeddings(table)
    expected = model.eval()(**batch).loss
    assert not torch.allclose(expected, usual, rtol=1e-3)
    assert torch.allclose(model.train()(**batch).loss, expected, rtol=1e-4)


def test_only_training_draws_a_sample_of_the_words(tiny_model, batch):
    settings = {"source_dropout": 0.0, "glancing": 0.0}
    whole, sampled = (
        without_dropout(scramble(tiny_model(lexical_sample=count, **settings)))
        for count in (None, 8)
    )
    assert torch.equal(sampled.eval()(**batch).loss, whole.eval()(**batch).loss)
    exact, drawn = whole.train()(**batch).loss, sampled.train()(**batch).loss
    assert not torch.allclose(drawn, exact)
    assert torch.allclose(drawn, exact, rtol=0.2)


@pytest.mark.parametrize("sample", [None, 8])
def test_it_learns(tiny_model, batch, sample):
    model = tiny_model(source_dropout=0.0, lexical_sample=sample).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    first = None
    for _ in range(60):
        loss = model(**batch).loss
        first = first or loss.item()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.eval()
    assert model(**batch).loss.item() < first / 2
    assert math.isfinite(first)


@pytest.mark.parametrize("columns", [1, 255, 256, 257, 1000])
def test_the_highest_score_is_found_block_by_block(columns):
    torch.manual_seed(columns)
    # Few different values, so that ties are common: the first one counts.
    logits = torch.randint(0, 5, (64, columns)).float()
    values, places = lexicon._highest(logits)
    expected = logits.max(dim=-1, keepdim=True).values
    assert torch.equal(values, expected)
    assert torch.equal(places, (logits == expected).int().argmax(dim=-1, keepdim=True))
