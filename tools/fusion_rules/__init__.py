"""Rules that undo how two statements were joined: fluent text becomes two plain sentences.

They follow the phenomena of DiscoFuse (Geva et al., NAACL 2019). A rule reads one parse, or two
adjacent ones, and returns a `Fusion`: two sentences that are complete on their own, and the
original text. In unclear cases it returns None, because a wrong pair teaches wrong English. A
file with rules names their classes in its first line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fusion_rules.appositions import undo_apposition
from fusion_rules.cataphora import undo_cataphora
from fusion_rules.connectives import undo_inner_connective, undo_start_connective
from fusion_rules.coordination import undo_coordination
from fusion_rules.fusion import is_sound
from fusion_rules.relative_clauses import undo_relative_clause
from fusion_rules.sentence_pairs import (
    find_unjoined_pair,
    undo_pair_anaphora,
    undo_pair_connective,
)
from fusion_rules.sentences import is_plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsed_sentences import Parse

    from fusion_rules.fusion import Fusion

KINDS = (
    "pair_anaphora",
    "pair_conn",
    "pair_conn_anaphora",
    "pair_none",
    "single_apposition",
    "single_cataphora",
    "single_conn_inner",
    "single_conn_inner_anaphora",
    "single_conn_start",
    "single_relative",
    "single_s_coord",
    "single_s_coord_anaphora",
    "single_vp_coord",
)
"""The classes, by DiscoFuse's names: two sentences that stay two, and those that become one."""
_ONE_SENTENCE = (
    undo_cataphora,
    undo_apposition,
    undo_relative_clause,
    undo_start_connective,
    undo_inner_connective,
    undo_coordination,
)
# The first that fits is taken, so pairs that nothing joins come last.
_TWO_SENTENCES = (undo_pair_connective, undo_pair_anaphora, find_unjoined_pair)


def fusions_of(parse: Parse) -> Iterator[Fusion]:
    """Yield what one sentence was made of, one fusion of each kind at most."""
    if not is_plain(parse) or re.search(r"[?!—]| – ", parse.text):
        return
    for rule in _ONE_SENTENCE:
        fusion = rule(parse)
        if fusion is not None and is_sound(fusion):
            yield fusion


def fusions_between(before: Parse, parse: Parse) -> Iterator[Fusion]:
    """Yield what joins two sentences that follow each other."""
    if is_plain(before) and is_plain(parse):
        for rule in _TWO_SENTENCES:
            fusion = rule(before, parse)
            if fusion is not None and is_sound(fusion):
                yield fusion
                return
