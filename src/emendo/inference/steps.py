"""Work in steps: generators that yield before each pass of the network, and return a result.

Other work can be done between two steps. The server does this, so that a sentence that takes many
passes does not delay those of other callers.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Steps: TypeAlias = Generator[None, None, T]


def run_steps(steps: Steps[T]) -> T:
    """Run all steps, and return the result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
