"""The deadline of a request, counted from its first byte."""

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
        """Return the deadline a number of seconds after the start, or after now."""
        return cls(seconds, seconds + (time.monotonic() if begun is None else begun))

    @classmethod
    def start(cls, scope: Scope, seconds: float) -> Deadline:
        """Store the deadline of a request."""
        state = scope.setdefault("state", {})
        deadline = cls.after(seconds, state.get(BEGUN))
        state[_STATE] = deadline
        return deadline

    @classmethod
    def of(cls, scope: Scope) -> Deadline:
        """Return the deadline of a request."""
        found = scope["state"][_STATE]
        assert isinstance(found, cls)
        return found

    @property
    def left(self) -> float:
        """Seconds that are left, 0 if there are none."""
        return max(0.0, self.end - time.monotonic())
