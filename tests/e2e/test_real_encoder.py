"""The real encoder, end to end: load, train a little, save, load, edit."""

import torch

from emendo import EditPair, TextTokenizer
from emendo.data.collator import PairCollator
from emendo.inference import SentenceEditor
from emendo.modeling import CopyCTCForEditing, TorchBackend
from emendo.modeling.precision import has_quick_bf16
from tests.conftest import encode_all

PAIRS = [
    EditPair("I like an dog.", "I like dogs."),
    EditPair("She have a apple.", "She has an apple."),
    EditPair("They is here.", "They are here."),
    EditPair("It is good.", "It is good."),
]


def test_train_save_load_edit(granite, tmp_path):
    torch.manual_seed(0)
    tokenizer = TextTokenizer.from_file(granite / "tokenizer.json")
    model = CopyCTCForEditing.from_encoder(granite, tokenizer, upsampling=2, source_dropout=0.0)
    sources = [pair.source for pair in PAIRS]
    untouched = SentenceEditor(TorchBackend(model), tokenizer).edit_sentences(sources)
    assert all(not edited.edits for edited in untouched), "a new network keeps everything"

    encoded = encode_all(PAIRS, tokenizer, model)
    batch = PairCollator(tokenizer.pad_id, 2, reach=2)(encoded)
    encoder = set(model.model.encoder.parameters())
    model.get_input_embeddings().weight.requires_grad_(False)
    optimizer = torch.optim.AdamW(
        [
            {"params": [p for p in encoder if p.requires_grad], "lr": 1e-4},
            {"params": [p for p in model.parameters() if p not in encoder], "lr": 1e-3},
        ]
    )
    model.train()
    right = 0
    for step in range(200):
        with torch.autocast("cpu", torch.bfloat16, enabled=has_quick_bf16()):
            loss = model(**batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        optimizer.zero_grad()
        if step % 25 == 24:
            edited = SentenceEditor(TorchBackend(model), tokenizer, rounds=1).edit_sentences(
                sources
            )
            right += [e.text for e in edited] == [pair.target for pair in PAIRS]
            # Once more than needed, so that no word is a near tie that half precision decides.
            if right == 2:
                break

    model.save_pretrained(tmp_path)
    again = CopyCTCForEditing.from_pretrained(tmp_path)
    edited = SentenceEditor(TorchBackend(again), tokenizer, rounds=1).edit_sentences(sources)
    assert [e.text for e in edited] == [pair.target for pair in PAIRS]
    assert [(e.start, e.end, e.replacement) for e in edited[0].edits] == [(7, 13, "dogs")]
    half = SentenceEditor(TorchBackend(again, dtype=torch.bfloat16), tokenizer, rounds=1)
    assert [e.text for e in half.edit_sentences(sources)] == [pair.target for pair in PAIRS]
