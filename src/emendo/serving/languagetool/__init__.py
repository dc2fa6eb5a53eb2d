"""LanguageTool's HTTP API: its requests, rules, matches and dictionaries."""

from emendo.serving.languagetool.api import LanguageTool

__all__ = ["LanguageTool"]
