"""Models, bundles and texts for the benchmarks of editing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from archives import WEIGHTS, unpacked
from emendo import TextTokenizer
from emendo.bundle import seal_bundle
from emendo.bundle.format import INT8_LEXICON, INT8_NETWORK, TOKENIZER
from emendo.evaluation.gold import GoldSet, read_gold
from emendo.evaluation.raw_text import RawSentence, detokenise
from emendo.export import export_bundle
from emendo.modeling import CopyCTCForEditing

if TYPE_CHECKING:
    from pathlib import Path

    from emendo.bundle import Bundle

GRANITE = WEIGHTS / "granite-embedding-30m-english"
ADD = 2
# The share of slots at which a stand-in adds a word: small, because they are spread evenly.
_ADDING = 0.001


def bea_dev(count: int) -> tuple[GoldSet, list[RawSentence]]:
    """Return an even sample of BEA-dev: its annotations, and its sentences as natural text."""
    gold = read_gold(
        None,
        [unpacked("evaluation-only") / "pillars-of-gec/data/evaluation_sets/bea-dev.m2"],
    )
    part = gold.spread(count)
    return part, [detokenise(sentence.tokens) for sentence in part.sentences]


def calibration_texts(count: int) -> list[str]:
    """Return texts with mistakes that no benchmark uses to measure."""
    path = unpacked("permissive-pairs") / "doc-typo-fixes/en.ccby.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    return [lines[k * len(lines) // count].split("\t")[0] for k in range(count)]


def new_network(folder: Path) -> Path:
    """Save an untrained network, which keeps every word."""
    torch.manual_seed(0)
    tokenizer = TextTokenizer.from_file(GRANITE / "tokenizer.json")
    CopyCTCForEditing.from_encoder(GRANITE, tokenizer).save_pretrained(folder)
    tokenizer.save(folder / "tokenizer.json")
    return folder


def stand_in(folder: Path, texts: list[str]) -> Path:
    """Save an untrained network that changes some sentences, at random places."""
    torch.manual_seed(0)
    tokenizer = TextTokenizer.from_file(GRANITE / "tokenizer.json")
    model = CopyCTCForEditing.from_encoder(GRANITE, tokenizer).eval()
    head = model.model.three_way
    with torch.no_grad():
        torch.nn.init.normal_(head.weight[ADD], std=0.02)
        margins = []
        for source in tokenizer.encode_many(texts[:: max(1, len(texts) // 30)]):
            ids = torch.from_numpy(source.ids)[None]
            output = model.model(ids, torch.ones_like(ids))
            words = model.look_up(output.slot_states[0], torch.zeros(ids.numel() * 4, 1).long())
            # A word is added where ADD and the likeliest word together beat KEEP and BLANK.
            added = output.three_way[0, :, ADD] + words.scores[:, 0]
            margins.append(added - output.three_way[0, :, :ADD].amax(-1))
        head.bias[ADD] -= torch.quantile(torch.cat(margins), 1 - _ADDING)
    model.save_pretrained(folder)
    tokenizer.save(folder / "tokenizer.json")
    return folder


def exported(model: Path, folder: Path, texts: int = 300) -> Path:
    """Write a model's bundle, int8 graphs included, calibrated and checked on some texts."""
    report = export_bundle(model, folder, calibration=calibration_texts(texts), int8=True)
    return report.bundle.folder


def only_int8(bundle: Bundle, folder: Path) -> Path:
    """Copy a bundle without its graphs in single precision, as in a model's package."""
    folder.mkdir()
    for name in (TOKENIZER, INT8_NETWORK, INT8_LEXICON):
        (folder / name).hardlink_to(bundle.folder / name)
    seal_bundle(folder, replace(bundle.config, files={}))
    return folder
