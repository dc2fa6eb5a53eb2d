"""The caller of the current request, set by the door and read by the scheduler."""

from __future__ import annotations

from contextvars import ContextVar

CALLER: ContextVar[str] = ContextVar("emendo_caller", default="")
"""The key's owner or the address, in the task of a request; empty for the server's own work."""
