"""What makes German errors that tables do not list."""

from __future__ import annotations

from emendo.languages.language import ErrorRules, words
from emendo.synthesis.slips import slip_makers

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
_AFTER_COMMA = words("und oder als wie in mit für nach bei von zu auf")

ERROR_RULES = ErrorRules(
    lambda _: slip_makers(_CONFUSED, doubled=_DOUBLED, after_comma=_AFTER_COMMA),
    never_doubled=_DOUBLED,
)
