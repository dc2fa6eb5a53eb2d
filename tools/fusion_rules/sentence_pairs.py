"""Sentences that stay two: pair_conn, pair_conn_anaphora, pair_anaphora and pair_none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fusion_rules.coordination import COORDINATORS
from fusion_rules.fusion import Fusion
from fusion_rules.noun_phrases import UNCLEAR
from fusion_rules.pronouns import PRONOUNS, antecedent, pronoun_at, with_mention
from fusion_rules.sentences import sentence

if TYPE_CHECKING:
    from parsed_sentences import Parse

# Connectives at the start of a second sentence, before a comma.
_BEFORE_COMMA = frozenset(
    {"accordingly", "additionally", "afterwards", "also", "as a consequence", "as a result"}
    | {"besides", "by contrast", "consequently", "conversely", "finally", "for example"}
    | {"for instance", "furthermore", "hence", "however", "in addition", "in contrast", "in fact"}
    | {"in other words", "in particular", "in turn", "indeed", "instead", "later", "likewise"}
    | {"meanwhile", "moreover", "nevertheless", "nonetheless", "of course", "on the contrary"}
    | {"on the other hand", "otherwise", "overall", "rather", "similarly", "specifically", "still"}
    | {"subsequently", "then", "thereafter", "therefore", "thus", "ultimately", "unfortunately"}
    | {"yet", "again", "alternatively", "as such", "at the same time", "by comparison", "earlier"}
    | {"eventually", "first", "for this reason", "fortunately", "generally", "in conclusion"}
    | {"in general", "in response", "in short", "in the end", "initially", "interestingly", "next"}
    | {"notably", "previously", "second", "simultaneously", "that is", "even so", "after all"}
)
# Those that need no comma.
_BARE = frozenset({"but", "yet", "and", "so", "thus", "hence", "instead"})
# A sentence that begins with one of these leans on the one before.
_JOINING = PRONOUNS | UNCLEAR | _BEFORE_COMMA | COORDINATORS
_LONGEST = max(len(each.split()) for each in _BEFORE_COMMA)
# Words that may stand before a pronoun.
_AHEAD = 6


def undo_pair_connective(before: Parse, parse: Parse) -> Fusion | None:
    """Undo "A. However, B"."""
    found = _connective_at(parse)
    if found is None:
        return None
    connective, start = found
    subject = parse.subject(parse.root)
    if subject is None or subject < start:
        return None
    edges = parse.edges(subject)
    # Without a comma, the subject has to follow: "Thus ended the war" is something else.
    if edges is None or (start == 1 and edges[0] != 1):
        return None
    fused = f"{before.text} {parse.text}"
    pronoun = pronoun_at(parse, start, parse.root)
    if pronoun is not None:
        said = antecedent(before, pronoun)
        if said is None:
            return None
        rest = with_mention(parse, start, len(parse.tokens), start, said)
        return Fusion("pair_conn_anaphora", connective, before.text, sentence(rest), fused)
    rest = sentence(parse.span(start, len(parse.tokens)))
    return Fusion("pair_conn", connective, before.text, rest, fused)


def undo_pair_anaphora(before: Parse, parse: Parse) -> Fusion | None:
    """Undo "Mary came. She smiled"."""
    subject = parse.subject(parse.root)
    assert subject is not None
    # "In 1990, she came", too, if nobody else is named before her.
    place = subject if parse.tokens[subject].tag == "PRP" else 0
    ahead = parse.tokens[:place]
    if place > _AHEAD or any(token.tag in ("NNP", "PRP", "CC", "WRB") for token in ahead):
        return None
    pronoun = pronoun_at(parse, place, parse.root)
    said = antecedent(before, pronoun) if pronoun else None
    if said is None:
        return None
    second = sentence(with_mention(parse, 0, len(parse.tokens), place, said))
    return Fusion("pair_anaphora", "", before.text, second, f"{before.text} {parse.text}")


def find_unjoined_pair(before: Parse, parse: Parse) -> Fusion | None:
    """Return two sentences that nothing joins."""
    opening = parse.tokens[0]
    if opening.text.lower() in _JOINING or opening.dep in ("cc", "mark"):
        return None
    if _connective_at(parse) is not None:
        return None
    return Fusion("pair_none", "", before.text, parse.text, f"{before.text} {parse.text}")


def _connective_at(parse: Parse) -> tuple[str, int] | None:
    """Return the connective at the start of a sentence, and where the rest begins."""
    words = [token.text.lower() for token in parse.tokens]
    for length in range(_LONGEST, 0, -1):
        if words[length : length + 1] == [","]:
            phrase = " ".join(words[:length])
            if phrase in _BEFORE_COMMA:
                return phrase, length + 1
    if words[0] in _BARE and words[1] != ",":
        return words[0], 1
    return None
