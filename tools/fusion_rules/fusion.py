"""Two sentences and the text that says the same, and whether a rule made them well."""

from __future__ import annotations

import re
from typing import NamedTuple

from fusion_rules.sentences import is_balanced


class Fusion(NamedTuple):
    """Two sentences, and the text that says the same."""

    kind: str
    connective: str
    first: str
    second: str
    fused: str

    @property
    def source(self) -> str:
        """The two sentences, one after the other."""
        return f"{self.first} {self.second}"


def is_sound(fusion: Fusion) -> bool:
    """Whether both sides are long enough and closed."""
    is_long = len(fusion.first.split()) >= 3 and len(fusion.second.split()) >= 4
    return (
        is_long
        and is_balanced(fusion.first)
        and is_balanced(fusion.second)
        and not re.search(r" [,.;]|,[.,]|\.\.|\b(\w+) \1\b", fusion.source)
    )
