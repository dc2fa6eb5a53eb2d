"""The definition of alignments: numpy only, no text, no torch."""

from emendo.ctc.alphabet import BLANK, KEEP, Alphabet
from emendo.ctc.collapse import Output, collapse
from emendo.ctc.greedy import decide, greedy_paths, undecided
from emendo.ctc.slots import SlotScores

__all__ = [
    "BLANK",
    "KEEP",
    "Alphabet",
    "Output",
    "SlotScores",
    "collapse",
    "decide",
    "greedy_paths",
    "undecided",
]
