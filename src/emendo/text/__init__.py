"""Edits, lossless tokenisation, and the parts of documents."""

from emendo.text.edit_types import EDIT_TYPES, EditType, edit_type
from emendo.text.edits import Edit, EditedText, apply_edits, merge_edits
from emendo.text.language import detect_language, is_in, judge_language
from emendo.text.m2 import M2Edit, M2Sentence, read_m2
from emendo.text.pairs import EditPair, format_pairs, read_pairs
from emendo.text.protection import drop_protected, protected_spans
from emendo.text.rendering import render
from emendo.text.segmentation import split_sentences
from emendo.text.tokenization import TextTokenizer
from emendo.text.tokens import SourceTokens, TargetTokens
from emendo.text.windows import split_long

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
    "detect_language",
    "drop_protected",
    "edit_type",
    "format_pairs",
    "is_in",
    "judge_language",
    "merge_edits",
    "protected_spans",
    "read_m2",
    "read_pairs",
    "render",
    "split_long",
    "split_sentences",
]
