"""Nouns of people, and whether "he" or "she" stands for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsed_sentences import Token

MEN = frozenset(
    {"boy", "brother", "businessman", "chairman", "congressman", "duke", "emperor", "father"}
    | {"gentleman", "grandfather", "grandson", "husband", "king", "man", "mr", "mr.", "nephew"}
    | {"policeman", "pope", "prince", "salesman", "son", "spokesman", "sultan", "tsar", "uncle"}
)
WOMEN = frozenset(
    {"actress", "aunt", "businesswoman", "chairwoman", "congresswoman", "daughter", "duchess"}
    | {"empress", "girl", "granddaughter", "grandmother", "heroine", "lady", "miss", "mother"}
    | {"mrs", "mrs.", "ms", "ms.", "niece", "nun", "policewoman", "princess", "queen", "sister"}
    | {"spokeswoman", "waitress", "widow", "wife", "woman"}
)
_EITHER = frozenset(
    {"actor", "artist", "author", "coach", "director", "doctor", "driver", "founder", "general"}
    | {"governor", "judge", "lawyer", "leader", "mayor", "minister", "officer", "philosopher"}
    | {"pilot", "player", "president", "professor", "scientist", "senator", "singer", "student"}
    | {"suspect", "teacher", "victim", "writer"}
)
KNOWN = MEN | WOMEN | _EITHER
"""Those that the next sentence often calls "he" or "she"."""
_PEOPLE = KNOWN | (
    {"adult", "adviser", "ambassador", "archbishop", "architect", "assistant", "baby", "biologist"}
    | {"bishop", "boss", "bride", "candidate", "captain", "champion", "chancellor", "chemist"}
    | {"chief", "child", "citizen", "clerk", "colleague", "colonel", "commander", "composer"}
    | {"cousin", "criminal", "critic", "customer", "dancer", "detective", "economist", "editor"}
    | {"employee", "employer", "engineer", "expert", "explorer", "farmer", "friend", "guard"}
    | {"guest", "heir", "hero", "historian", "inventor", "journalist", "killer", "manager"}
    | {"member", "merchant", "musician", "native", "neighbor", "neighbour", "nurse", "opponent"}
    | {"owner", "painter", "parent", "passenger", "patient", "person", "physicist", "poet"}
    | {"politician", "predecessor", "priest", "prisoner", "psychologist", "reporter"}
    | {"representative", "researcher", "resident", "ruler", "secretary", "sergeant", "servant"}
    | {"slave", "soldier", "speaker", "stranger", "successor", "thief", "visitor", "winner"}
    | {"witness", "worker"}
)


def is_person(token: Token) -> bool:
    """Whether a noun is a name of a person, or a word for one."""
    return token.entity == "PERSON" or token.lemma.lower() in _PEOPLE
