"""How long a request may still take, counted from its first byte."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from starlette.types import Scope

BEGUN = "emendo_begun"
"""In a request's state: when its first byte came, by the monotonic clock."""
_STATE = "emendo_deadline"


class Deadline(NamedTuple):
    """The time after which a request is abandoned."""

    seconds: float
    """From the beginning to the end."""
    end: float
    """By the monotonic clock."""

    @classmethod
    def after(cls, seconds: float, begun: float | None = None) -> Deadline:
        """Return the moment so many seconds after the beginning; without one, from now."""
        return cls(seconds, seconds + (time.monotonic() if begun is None else begun))

    @classmethod
    def start(cls, scope: Scope, seconds: float) -> Deadline:
        """Write down when a request must be done."""
        state = scope.setdefault("state", {})
        deadline = cls.after(seconds, state.get(BEGUN))
        state[_STATE] = deadline
        return deadline

    @classmethod
    def of(cls, scope: Scope) -> Deadline:
        """Return when a request must be done."""
        found = scope["state"][_STATE]
        assert isinstance(found, cls)
        return found

    @property
    def left(self) -> float:
        """Seconds that are left, 0 if there are none."""
        return max(0.0, self.end - time.monotonic())
