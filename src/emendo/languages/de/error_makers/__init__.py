"""What makes German errors that tables do not list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emendo.languages.language import ErrorRules, words
from emendo.synthesis.marks import change_case, change_hyphen, change_mark, change_space, drop_mark
from emendo.synthesis.slips import Slips, add_comma, double_word, drop_comma, swap_neighbours

if TYPE_CHECKING:
    from emendo.synthesis.changes import Maker
    from emendo.synthesis.tables import ErrorTables

# Right and wrong letters: sounds that are written alike, and signs that keyboards lack.
_CONFUSED = (
    *(("ß", "ss"), ("ss", "ß"), ("ä", "e"), ("ä", "a"), ("ö", "o"), ("ü", "u"), ("ä", "ae")),
    *(("ö", "oe"), ("ü", "ue"), ("äu", "eu"), ("eu", "äu"), ("ie", "i"), ("ei", "ie")),
    *(("ie", "ei"), ("ih", "i"), ("ah", "a"), ("eh", "e"), ("oh", "o"), ("uh", "u")),
    *(("mm", "m"), ("nn", "n"), ("ll", "l"), ("tt", "t"), ("ff", "f"), ("rr", "r"), ("pp", "p")),
    *(("ck", "k"), ("tz", "z"), ("sch", "sh"), ("dt", "t"), ("v", "f"), ("f", "v"), ("ph", "f")),
    *(("chs", "x"), ("th", "t"), ("d", "t"), ("t", "d"), ("g", "k"), ("b", "p")),
)
_DOUBLED = words("der die das und in zu mit auf ist nicht ein eine es ich wir an von")


def _makers(tables: ErrorTables) -> dict[str, Maker]:
    del tables
    return {
        "misspelling": Slips(_CONFUSED).misspell,
        "casing": change_case,
        "missing comma": drop_comma,
        "missing punctuation": drop_mark,
        "extra punctuation": add_comma(words("und oder als wie in mit für nach bei von zu auf")),
        "wrong punctuation": change_mark,
        "hyphen": change_hyphen,
        "spacing": change_space,
        "word order": swap_neighbours,
        "doubled word": double_word(_DOUBLED),
    }


ERROR_RULES = ErrorRules(_makers, never_doubled=_DOUBLED)
