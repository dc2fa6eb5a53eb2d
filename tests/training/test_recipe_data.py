"""experiments/recipe_data.py: the data of the recipe experiment."""

import pytest
import torch

import recipe_data
from recipe_data import LanguageModel, at_equal_distances, first_of_each, without_likely


class Costs:
    """A language model by hand."""

    def __init__(self, costs):
        self._costs = costs

    def nats(self, texts):
        return [self._costs[text] for text in texts]


COSTS = {"He go.": 9.0, "He goes.": 7.9, "He gos.": 8.8, "Hi gos.": 9.5, "Yes.": 4.0, "Yess.": 6.0}


def test_wrong_sentences_that_are_likely_are_replaced():
    fine, likely, clean = ("He go.", "He goes."), ("He gos.", "He goes."), ("Yes.", "Yes.")
    same, other = ("Hi gos.", "He goes."), ("Yess.", "Yes.")
    # 1.1 nats more, no error, 0.9 nats more.
    pairs = [fine, clean, likely]
    assert without_likely(pairs, [fine, other, same], Costs(COSTS)) == [fine, clean, same]
    assert without_likely(pairs, [fine, likely, other], Costs(COSTS)) == [fine, clean, other]
    # A replacement is used once.
    with pytest.raises(SystemExit, match="1 likely sentences cannot be replaced"):
        without_likely([likely, likely], [same], Costs(COSTS))


def test_pairs_at_equal_distances():
    pairs = [(str(k), str(k)) for k in range(10)]
    assert at_equal_distances(pairs, 4) == [0, 2, 5, 7]
    with pytest.raises(SystemExit, match="10 pairs, but 11 are needed"):
        at_equal_distances(pairs, 11)


def test_every_line_is_used_before_any_is_used_again(monkeypatch):
    pairs = [("a1", "A"), ("b1", "B"), ("a2", "A"), ("c2", "C"), ("a3", "A"), ("b3", "B")]
    monkeypatch.setattr(recipe_data, "PAIRS", 4)
    chosen, others = first_of_each(pairs)
    assert chosen == [("a1", "A"), ("b1", "B"), ("c2", "C"), ("a2", "A")]
    assert others == [("a3", "A"), ("b3", "B")]
    monkeypatch.setattr(recipe_data, "PAIRS", 7)
    with pytest.raises(SystemExit, match="6 lines"):
        first_of_each(pairs)


def test_a_text_costs_the_same_in_every_batch(monkeypatch):
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=128,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
    )
    network = LlamaForCausalLM(config).eval()
    model = LanguageModel(network, lambda text: list(text.encode()), 1)
    texts = ["He goes home.", "I", "They are at work, and so is she.", "", "Yes."]
    monkeypatch.setattr(recipe_data, "BATCH", 2)
    together = model.nats(texts)
    assert together == pytest.approx([model.nats([text])[0] for text in texts], abs=1e-3)
    # By the definition: the sum over the tokens and the end, each given those before it.
    ids = torch.tensor([[1, *texts[0].encode(), 1]])
    with torch.inference_mode():
        scores = network(ids).logits[0].log_softmax(dim=-1)
    expected = -sum(float(scores[k, ids[0, k + 1]]) for k in range(len(ids[0]) - 1))
    assert together[0] == pytest.approx(expected, abs=1e-3)
