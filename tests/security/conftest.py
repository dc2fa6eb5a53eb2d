"""The fixtures of the server's own tests."""

from tests.serving.conftest import client, editor, scribe

__all__ = ["client", "editor", "scribe"]
