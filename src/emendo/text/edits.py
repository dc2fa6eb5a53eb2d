"""Edits: spans of the source text and their replacements.

Positions are code points of the source string. The output of an editor is always its edits
applied to the source, so text outside the edits does not change.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from emendo.errors import EditError
from emendo.text.pieces import PieceTable
from emendo.text.word_edits import word_spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from emendo.text.edit_types import EditType
    from emendo.text.segmentation import Span

LISTED = "listed"
"""The group of edits that the list of words proposes."""
# Edits that a `repr` shows.
_SHOWN = 5
# Characters of each of their texts.
_SHORT = 20


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `source[start:end]` by `replacement`; an insertion has `start == end`.

    Edits with the same effect are equal, whatever their confidence.
    """

    start: int
    end: int
    replacement: str
    confidence: float = field(default=1.0, compare=False)
    """The probability that the text is right with this edit rather than without it; if the edits of
    a passage are made together, the probability of the whole output."""
    type: EditType = field(default="other", compare=False)
    alternatives: tuple[str, ...] = field(default=(), compare=False)
    """Other replacements, likeliest first, if they were requested."""
    is_listed: bool = field(default=False, compare=False)
    """Whether the list of words proposes it, not the network."""

    @property
    def group(self) -> str:
        """The edits with which it shares a calibration and a threshold: a type, or `LISTED`."""
        return LISTED if self.is_listed else self.type

    @property
    def growth(self) -> int:
        """The number of characters by which it lengthens the text."""
        return len(self.replacement) - (self.end - self.start)


@dataclass(frozen=True)
class EditedText:
    """A source text with the edits made to it, in order of position."""

    source: str
    edits: tuple[Edit, ...] = ()
    confidence: float = field(default=1.0, compare=False)
    """The probability that the text is right with its edits rather than without them.

    For a sentence with all edits of the best path, it comes from the network. For a document, or if
    only some edits are made, it is the lowest confidence of an edit. Without edits it is 1.
    """

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        count, length = len(self.edits), len(self.source)
        edits = f"{count:,} edit{'s' * (count != 1)}" if count else "no edits"
        shown = [
            f"{_shortened(self.source[each.start : each.end])} -> {_shortened(each.replacement)}"
            for each in self.edits[:_SHOWN]
        ]
        listed = ": " + ", ".join([*shown, "…"] if count > _SHOWN else shown) if shown else ""
        return f"EditedText({edits} in {length:,} characters{listed})"

    @cached_property
    def text(self) -> str:
        """The output: the edits applied to the source."""
        return apply_edits(self.source, self.edits)

    def only(self, edits: Iterable[Edit]) -> EditedText:
        """Return the text with only some of its edits."""
        kept = tuple(edits)
        if len(kept) == len(self.edits):
            return self
        return EditedText(self.source, kept, least_confidence(kept))

    def beside(self, spans: Iterable[Span]) -> EditedText:
        """Return the text without the edits that change something in these spans.

        Edits with only space between them belong together, and are dropped together.
        """
        taken = list(spans)
        groups: list[list[Edit]] = []
        for edit in self.edits:
            if groups and not self.source[groups[-1][-1].end : edit.start].strip():
                groups[-1].append(edit)
            else:
                groups.append([edit])
        return self.only(
            edit
            for group in groups
            if not any(e.start < end and start < e.end for e in group for start, end in taken)
            for edit in group
        )

    def moved(self, spans: Iterable[Span]) -> list[Span]:
        """Return the positions in the output of source spans that no edit touches."""
        return [
            (start + shift, end + shift)
            for start, end in spans
            for shift in [sum(e.growth for e in self.edits if e.end <= start)]
        ]

    def written(self) -> list[Span]:
        """Return the positions of the replacements in the output."""
        spans = []
        shift = 0
        for edit in self.edits:
            start = edit.start + shift
            spans.append((start, start + len(edit.replacement)))
            shift += edit.growth
        return spans

    def then(self, later: EditedText) -> EditedText:
        """Compose with a later round, whose source is this output, onto the first source.

        Args:
            later: The next round's edits of `self.text`.

        Returns:
            One list of edits that turns `self.source` into `later.text`.
        """
        if later.source != self.text:
            raise EditError(
                "the later round does not edit this round's output; compose rounds in their order"
            )
        if not later.edits:
            return self
        if not self.edits:
            return replace(later, confidence=min(self.confidence, later.confidence))
        pieces = PieceTable(self.source)
        for edits in (self.edits, later.edits):
            pieces.replace(check_edits(pieces.length, edits))
        merged = merge_edits(self.source, pieces.replacements())
        before = []
        for edit in later.edits:
            # In place of deleted text, they are the other way around.
            start, end = sorted(
                (
                    self._source_position(edit.start, is_end=False),
                    self._source_position(edit.end, is_end=True),
                )
            )
            before.append(replace(edit, start=start, end=end))
        sure = min(self.confidence, later.confidence)
        return replace(merged, confidence=sure)._made_of([*self.edits, *before])

    def in_place_of(self, edit: Edit) -> str | None:
        """Return the text of this output at the place of another edit of the source.

        None if one of its own edits extends beyond that span.
        """
        if edit.start == edit.end:
            inside = [
                e
                for e in self.edits
                if e.start < edit.start < e.end or e.start == e.end == edit.start
            ]
        else:
            # An insertion at the border is a separate edit.
            inside = [e for e in self.edits if e.start < edit.end and e.end > edit.start]
        if any(e.start < edit.start or e.end > edit.end for e in inside):
            return None
        shifted = [replace(e, start=e.start - edit.start, end=e.end - edit.start) for e in inside]
        return EditedText(self.source[edit.start : edit.end], tuple(shifted)).text

    def _source_position(self, position: int, *, is_end: bool) -> int:
        """Return the position in the source of a position in the output; for new text, its edge."""
        shift = 0
        for edit in self.edits:
            start = edit.start + shift
            end = start + len(edit.replacement)
            # At a border, the position is outside of the new text.
            if position < start or (is_end and position == start):
                break
            if position < end or (is_end and position == end):
                return edit.end if is_end else edit.start
            shift += edit.growth
        return position - shift

    def _made_of(self, parts: Sequence[Edit]) -> EditedText:
        """Describe each edit by its parts.

        It has the type and origin of the part that it equals, or else of the least sure part, and
        the confidence of the least sure part. A part that is itself an edit belongs to
        no other.
        """
        own = set(self.edits)

        def describe(edit: Edit) -> Edit:
            near = [p for p in parts if p.start <= edit.end and p.end >= edit.start]
            touched = [p for p in near if p == edit or p not in own] or near
            if not touched:
                return edit
            least = min(touched, key=lambda part: part.confidence)
            same = next((part for part in touched if part == edit), None)
            # New text beside a part is not made of it.
            if not same and edit.start < edit.end:
                same = replace(edit, type=least.type, is_listed=least.is_listed)
            return replace(same or edit, confidence=least.confidence)

        return EditedText(self.source, tuple(map(describe, self.edits)), self.confidence)


def _shortened(text: str) -> str:
    return repr(text if len(text) <= _SHORT else text[: _SHORT - 1] + "…")


def least_confidence(edits: Iterable[Edit]) -> float:
    """Return the lowest confidence of an edit; 1 if there is none."""
    return min((edit.confidence for edit in edits), default=1.0)


def check_edits(length: int, edits: Iterable[Edit]) -> list[tuple[int, int, str]]:
    """Return edits as plain triples, after a check that they fit a text of this length.

    Raises:
        EditError: An edit is outside the text, or overlaps the previous one.
    """
    checked: list[tuple[int, int, str]] = []
    edge = 0
    for edit in edits:
        if not 0 <= edit.start <= edit.end <= length:
            raise EditError(f"{edit} is outside a text of {length} characters")
        if edit.start < edge:
            raise EditError(f"{edit} starts before position {edge}, where the previous edit ends")
        edge = edit.end
        checked.append((edit.start, edit.end, edit.replacement))
    return checked


def apply_edits(source: str, edits: Iterable[Edit]) -> str:
    """Apply edits, sorted and not overlapping, to the text they were made for."""
    output: list[str] = []
    done = 0
    for start, end, replacement in check_edits(len(source), edits):
        output += (source[done:start], replacement)
        done = end
    return "".join((*output, source[done:]))


def merge_edits(source: str, replacements: Sequence[tuple[int, int, str]]) -> EditedText:
    """Turn raw replacements into the edits a person would make: minimal and word by word.

    Args:
        source: The text.
        replacements: (start, end, replacement), sorted and not overlapping.

    Returns:
        The same output text, made by edits that follow word boundaries.
    """
    return EditedText(source, tuple(Edit(*span) for span in word_spans(source, replacements)))
