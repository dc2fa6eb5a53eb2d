"""What an edit is, and how text becomes tokens and comes back without losing a character."""

from emendo.text.edit_types import EDIT_TYPES, EditType, edit_type
from emendo.text.edits import Edit, EditedText, apply_edits, merge_edits
from emendo.text.m2 import M2Edit, M2Sentence, read_m2
from emendo.text.pairs import EditPair, format_pairs, read_pairs
from emendo.text.rendering import render
from emendo.text.tokenization import TextTokenizer
from emendo.text.tokens import SourceTokens, TargetTokens

__all__ = [
    "EDIT_TYPES",
    "Edit",
    "EditPair",
    "EditType",
    "EditedText",
    "M2Edit",
    "M2Sentence",
    "SourceTokens",
    "TargetTokens",
    "TextTokenizer",
    "apply_edits",
    "edit_type",
    "format_pairs",
    "merge_edits",
    "read_m2",
    "read_pairs",
    "render",
]
