"""Rules that undo how two statements were joined: fluent text becomes two plain sentences.

They follow the phenomena of DiscoFuse (Geva et al., NAACL 2019). A rule reads one parse, or two
adjacent ones, and returns a `Fusion`: two sentences that are complete on their own, and the
original text. In unclear cases it returns None, because a wrong pair teaches wrong English.
"""

# ruff: noqa: PLR0911, PLR0912 - a rule is a list of reasons to say no

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from parsed_sentences import FINITE, SUBJECTS, Parse

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = (
    "pair_anaphora",
    "pair_conn",
    "pair_conn_anaphora",
    "pair_none",
    "single_apposition",
    "single_cataphora",
    "single_conn_inner",
    "single_conn_inner_anaphora",
    "single_conn_start",
    "single_relative",
    "single_s_coord",
    "single_s_coord_anaphora",
    "single_vp_coord",
)
"""The classes, by DiscoFuse's names: two sentences that stay two, and those that become one."""

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
_BARE = frozenset({"but", "yet", "and", "so", "thus", "hence", "instead"})
"""Those that need no comma."""
_LONGEST = max(len(each.split()) for each in _BEFORE_COMMA)
_STARTS = frozenset(
    {"although", "though", "while", "because", "since", "when", "after", "before", "once", "until"}
    | {"whereas", "even though", "as soon as", "as"}
)
_INNER = frozenset(
    {"because", "although", "though", "whereas", "while", "since", "even though", "as", "when"}
    | {"after", "before", "until", "once", "as soon as"}
)
_COORDINATORS = frozenset({"and", "but", "or", "so", "yet"})

_PRONOUNS = {
    **{"he": "singular", "she": "singular", "it": "singular", "they": "plural"},
    **{"his": "singular", "her": "singular", "its": "singular", "their": "plural"},
}
_POSSESSIVE = frozenset({"his", "her", "its", "their"})
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_PLURAL = frozenset({"NNS", "NNPS"})
_ARTICLES = frozenset({"a", "an"})
_UNCLEAR = frozenset({"who", "which", "that", "there", "this", "these", "those", "what", "it"})
_PEOPLE = frozenset(
    {"actor", "artist", "author", "chairman", "coach", "director", "doctor", "emperor", "father"}
    | {"founder", "general", "governor", "king", "leader", "man", "mayor", "minister", "mother"}
    | {"officer", "philosopher", "player", "president", "prince", "professor", "queen", "scientist"}
    | {"senator", "singer", "spokesman", "spokeswoman", "student", "suspect", "teacher", "victim"}
    | {"woman", "writer", "boy", "girl", "king", "pope", "judge", "lawyer", "driver", "pilot"}
)
_HE, _SHE = frozenset({"he", "him", "his"}), frozenset({"she", "her", "hers"})
_OTHER_GENDER = {"he": _SHE, "his": _SHE, "she": _HE, "her": _HE}
_ASKING = frozenset({"say", "state", "know", "ask", "decide", "determine", "wonder", "tell", "be"})
_LINKING = frozenset({"be", "seem", "appear", "become", "take", "remain"})
# What a whole clause does, not its last noun.
_OF_CLAUSES = frozenset(
    {"mean", "make", "lead", "cause", "allow", "result", "help", "suggest", "indicate", "enable"}
    | {"require", "explain", "give", "reduce", "increase", "lower", "raise", "create", "keep"}
)
_STRANGE = re.compile(
    r"[\[\]{}|<>*=_\\♡❤\t\n•…#@]|::|https?:|www\.|\.\.|--| - | [’']|['’] [a-z]|\b[A-Z]\) "
)
_OPENING = re.compile(r"[A-Z][a-z]|[AI] |[A-Z]{2,}|[“\"]?[A-Z]|\d")
_END = re.compile(r"[.!?][”\"’)]?\Z")
_LEAST, _MOST = 4, 55
# Words of what a pronoun stands for.
_MENTION = 7
# Words of a subject that two verbs share.
_SUBJECT = 10
# Words that may stand before a pronoun.
_AHEAD = 6


class Fusion(NamedTuple):
    """Two sentences, and the text that says the same."""

    kind: str
    connective: str
    first: str
    second: str
    fused: str

    @property
    def source(self) -> str:
        """The two sentences, one after the other."""
        return f"{self.first} {self.second}"


def fusions_of(parse: Parse) -> Iterator[Fusion]:
    """Yield what one sentence was made of, one fusion of each kind at most."""
    if not is_plain(parse) or re.search(r"[?!—]| – ", parse.text):
        return
    for rule in (cataphora, apposition, relative, start_connective, inner_connective, coordination):
        fusion = rule(parse)
        if fusion is not None and _is_sound(fusion):
            yield fusion


def fusions_between(before: Parse, parse: Parse) -> Iterator[Fusion]:
    """Yield what joins two sentences that follow each other."""
    if is_plain(before) and is_plain(parse):
        for rule in (pair_connective, pair_anaphora, pair_none):
            fusion = rule(before, parse)
            if fusion is not None and _is_sound(fusion):
                yield fusion
                return


def is_plain(parse: Parse) -> bool:
    """Whether it is a whole sentence of prose: a statement with a subject and a finite verb."""
    if not _LEAST <= len(parse.tokens) <= _MOST:
        return False
    text = parse.text
    if _STRANGE.search(text) or not _OPENING.match(text) or not _END.search(text):
        return False
    roots = sum(token.dep == "ROOT" for token in parse.tokens)
    return (
        roots == 1
        and is_balanced(text)
        and parse.subject(parse.root) is not None
        and parse.finite(parse.root) is not None
    )


def is_balanced(text: str) -> bool:
    """Whether quotes and brackets are closed."""
    return (
        text.count("(") == text.count(")")
        and text.count("“") == text.count("”")
        and text.count('"') % 2 == 0
    )


def sentence(text: str) -> str:
    """Return a clause as a sentence: with a capital at its start and a full stop at its end."""
    text = text.strip().lstrip(",; ").rstrip(",;: ")
    text = text if _END.search(text) else f"{text}."
    return text[:1].upper() + text[1:]


def _is_sound(fusion: Fusion) -> bool:
    """Whether both sides are long enough and closed."""
    is_long = len(fusion.first.split()) >= 3 and len(fusion.second.split()) >= 4
    return (
        is_long
        and is_balanced(fusion.first)
        and is_balanced(fusion.second)
        and not re.search(r" [,.;]|,[.,]|\.\.|\b(\w+) \1\b", fusion.source)
    )


def mention(parse: Parse, noun: int, *, plural: bool = False) -> str | None:
    """Return a noun phrase as it is said a second time; None if it is long or unclear.

    "A man" is "the man" when it is said again. Clauses and appositions are left out. With
    `plural`, several nouns that "and" joins are one phrase.
    """
    tokens = parse.tokens
    outside = ("relcl", "acl", "appos", "punct", "cop", "nsubj", "advmod", "dep")
    inside = {noun}
    for k in parse.children[noun]:
        if tokens[k].dep in ("cc", "conj") and not plural:
            return None
        if tokens[k].dep not in outside:
            inside.update(parse.subtree(k))
    start, end = min(inside), max(inside) + 1
    if tokens[noun].tag not in _NOUNS or end - start != len(inside) or end - start > _MENTION:
        return None
    if any(parse.is_comma(k) or tokens[k].tag in ("WDT", "WP", "PRP") for k in inside):
        return None
    first = tokens[start].text.lower()
    if first in _ARTICLES:
        return None if plural else f"the {parse.span(start + 1, end)}"
    if tokens[start].tag in ("PRP$", "WP$", "CD") or first in ("this", "these", "some", "no"):
        return None
    if tokens[noun].tag == "NN" and tokens[start].tag not in ("DT", "NN", "NNP"):
        return None
    said = parse.span(start, end)
    named = tokens[start].tag in ("NNP", "NNPS")
    return said if named else said[:1].lower() + said[1:]


def antecedent(parse: Parse, pronoun: str) -> str | None:
    """Return what a pronoun in the next clause stands for: the subject, if nothing else fits."""
    subject = parse.subject(parse.root)
    if subject is None:
        return None
    tokens = parse.tokens
    head = tokens[subject]
    has_several = parse.child(subject, "conj") is not None
    said = mention(parse, subject, plural=_PRONOUNS[pronoun] == "plural")
    number = "plural" if head.tag in _PLURAL or has_several else "singular"
    if said is None or number != _PRONOUNS[pronoun]:
        return None
    is_person = head.entity == "PERSON" or head.lemma in _PEOPLE
    # The subject of another clause: a pronoun could stand for it as well.
    own = set(parse.subtree(subject))
    rivals = [
        token
        for k, token in enumerate(tokens)
        if token.dep in ("nsubj", "nsubjpass", "conj") and token.tag in _NOUNS and k not in own
    ]
    if pronoun in _OTHER_GENDER:
        words = {token.text.lower() for token in tokens}
        people = [
            token
            for k, token in enumerate(tokens)
            if token.entity == "PERSON" and k not in own and token.dep != "compound"
        ]
        fits = is_person and not people and not words & _OTHER_GENDER[pronoun]
        return said if fits else None
    if is_person and pronoun in ("it", "its"):
        return None
    return None if any((token.tag in _PLURAL) == (number == "plural") for token in rivals) else said


def _with_mention(parse: Parse, start: int, end: int, place: int, said: str) -> str:
    """Return the text of a clause with a mention in the place of a pronoun."""
    token = parse.tokens[place]
    if token.text.lower() in _POSSESSIVE:
        is_plural = token.text.lower() == "their"
        said += "'" if is_plural and said.endswith("s") else "'s"
    before = parse.span(start, place)
    gap = parse.tokens[place - 1].space if place > start else ""
    return f"{before}{gap}{said}{token.space}{parse.span(place + 1, end)}"


def _pronoun_at(parse: Parse, place: int, verb: int) -> str | None:
    """Return the pronoun that is, or begins, the subject of a verb at a place."""
    if place >= len(parse.tokens):
        return None
    token = parse.tokens[place]
    pronoun = token.text.lower()
    # "He's" would become "Mary's".
    if pronoun not in _PRONOUNS or not token.space:
        return None
    subject = parse.subject(verb)
    if pronoun in _POSSESSIVE:
        # "Her" alone is no subject.
        return pronoun if token.dep == "poss" and token.head == subject else None
    if subject != place or token.dep == "expl":
        return None
    # "It is clear that", "it rains": not something that was named.
    clauses = {parse.tokens[k].dep for k in parse.children[verb]}
    is_empty = "csubj" in clauses or ("xcomp" in clauses and parse.tokens[verb].lemma in _LINKING)
    if pronoun == "it" and (is_empty or ("ccomp" in clauses and "dobj" not in clauses)):
        return None
    return pronoun


def connective_at(parse: Parse) -> tuple[str, int] | None:
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


def pair_connective(before: Parse, parse: Parse) -> Fusion | None:
    """Undo "A. However, B"."""
    found = connective_at(parse)
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
    pronoun = _pronoun_at(parse, start, parse.root)
    if pronoun is not None:
        said = antecedent(before, pronoun)
        if said is None:
            return None
        rest = _with_mention(parse, start, len(parse.tokens), start, said)
        return Fusion("pair_conn_anaphora", connective, before.text, sentence(rest), fused)
    rest = sentence(parse.span(start, len(parse.tokens)))
    return Fusion("pair_conn", connective, before.text, rest, fused)


def pair_anaphora(before: Parse, parse: Parse) -> Fusion | None:
    """Undo "Mary came. She smiled"."""
    subject = parse.subject(parse.root)
    assert subject is not None
    # "In 1990, she came", too, if nobody else is named before her.
    ahead = parse.tokens[:subject]
    place = subject if parse.tokens[subject].tag == "PRP" else 0
    if place > _AHEAD or any(token.tag in ("NNP", "PRP", "CC", "WRB") for token in ahead[:place]):
        return None
    pronoun = _pronoun_at(parse, place, parse.root)
    said = antecedent(before, pronoun) if pronoun else None
    if said is None:
        return None
    second = sentence(_with_mention(parse, 0, len(parse.tokens), place, said))
    return Fusion("pair_anaphora", "", before.text, second, f"{before.text} {parse.text}")


def pair_none(before: Parse, parse: Parse) -> Fusion | None:
    """Return two sentences that nothing joins."""
    words = [token.text.lower() for token in parse.tokens[:2]]
    is_joined = (
        connective_at(parse) is not None
        or words[0] in _PRONOUNS
        or words[0] in _UNCLEAR
        or words[0] in _BEFORE_COMMA | _COORDINATORS
        or parse.tokens[0].dep in ("cc", "mark")
    )
    if is_joined:
        return None
    return Fusion("pair_none", "", before.text, parse.text, f"{before.text} {parse.text}")


def _clause(parse: Parse, verb: int) -> bool:
    """Whether a verb has a subject and a tense of its own, in the usual order."""
    subject, finite = parse.subject(verb), parse.finite(verb)
    return subject is not None and finite is not None and subject < finite


def _marker(parse: Parse, start: int, end: int, known: frozenset[str]) -> tuple[str, int] | None:
    """Return the connective at a place, and where its clause begins."""
    words = [token.text.lower() for token in parse.tokens[start:end]]
    for length in (3, 2, 1):
        phrase = " ".join(words[:length])
        if phrase in known:
            return phrase, start + length
    return None


def start_connective(parse: Parse) -> Fusion | None:
    """Undo "Although A, B"."""
    found = _fronted_clause(parse)
    if found is None:
        return None
    connective, start, end, verb = found
    if _pronoun_at(parse, start, verb) is not None:
        # The pronoun stands before what it means.
        return None
    return Fusion(
        "single_conn_start",
        connective,
        sentence(parse.span(start, end)),
        sentence(parse.span(end + 1, len(parse.tokens))),
        parse.text,
    )


def _fronted_clause(parse: Parse) -> tuple[str, int, int, int] | None:
    """Return a clause before the main one: its connective, its start and end, and its verb."""
    found = _marker(parse, 0, 4, _STARTS)
    if found is None or not _clause(parse, parse.root):
        return None
    connective, start = found
    for verb in parse.children[parse.root]:
        edges = parse.edges(verb)
        if parse.tokens[verb].dep != "advcl" or edges is None or edges[0] != 0:
            continue
        end = edges[1]
        subject = parse.subject(parse.root)
        if _clause(parse, verb) and parse.is_comma(end) and subject is not None and subject > end:
            return connective, start, end, verb
    return None


def cataphora(parse: Parse) -> Fusion | None:
    """Undo "When she came, Mary smiled" and "Founded in 1900, the club grew"."""
    subject = parse.subject(parse.root)
    if subject is None or not _clause(parse, parse.root):
        return None
    edges = parse.edges(subject)
    if edges is None:
        return None
    found = _fronted_clause(parse)
    if found is not None:
        connective, start, end, verb = found
        pronoun = _pronoun_at(parse, start, verb)
        said = antecedent(parse, pronoun) if pronoun else None
        if said is None or edges[0] != end + 1:
            return None
        first = sentence(_with_mention(parse, start, end, start, said))
        second = sentence(parse.span(end + 1, len(parse.tokens)))
        return Fusion("single_cataphora", connective, first, second, parse.text)
    return _participle(parse, subject, edges)


def _participle(parse: Parse, subject: int, edges: tuple[int, int]) -> Fusion | None:
    tokens = parse.tokens
    verb = next((k for k in (0, 1) if tokens[k].tag in ("VBN", "VBG")), None)
    if verb is None or tokens[verb].dep != "advcl" or tokens[verb].head != parse.root:
        return None
    if verb == 1 and (tokens[0].tag != "RB" or tokens[0].text.lower() in _STARTS):
        return None
    clause = parse.edges(verb)
    if clause is None or clause[0] != 0 or not parse.is_comma(clause[1]):
        return None
    start, end = edges
    if start != clause[1] + 1 or end - start > 8 or _has_clause(parse, subject):
        return None
    said = parse.span(start, end)
    head = tokens[subject]
    is_plural = head.tag in _PLURAL or head.text.lower() in ("they", "we", "you")
    is_plural |= parse.child(subject, "conj") is not None
    if head.text.lower() in _UNCLEAR - {"it"} or head.tag not in (*_NOUNS, "PRP"):
        return None
    finite = parse.finite(parse.root)
    assert finite is not None
    is_past = tokens[finite].tag == "VBD" or tokens[finite].text.lower() in ("could", "would")
    is_plural |= tokens[finite].tag == "VBP" and head.text != "I"
    if re.search(r"\b(?:and|or|but|while|when) \w+ing\b", parse.span(0, clause[1])):
        return None
    lead = f"{tokens[0].text.lower()} " if verb == 1 else ""
    if tokens[verb].tag == "VBN":
        if tokens[verb].lemma in ("give", "compare", "base", "provide"):
            # "Given that", "compared with": prepositions.
            return None
        # "Founded in 1901, the club plays": it was founded, whatever it does now.
        has_year = any(re.fullmatch(r"1\d{3}|20\d\d", token.text) for token in tokens[:start])
        be = _be(is_past or has_year, is_plural, head.text)
        predicate = f"{be} {lead}{tokens[verb].text.lower()}"
    else:
        form = _inflected(tokens[verb].lemma, tokens[verb].text, is_past, is_plural, head.text)
        if form is None or tokens[verb].text.lower() in ("including", "according", "following"):
            return None
        # "Using this example, the share is": whoever uses it is not named.
        if tokens[parse.root].lemma == "be" and head.tag in ("NN", "NNS"):
            return None
        predicate = f"{lead}{form}"
    rest = parse.span(verb + 1, clause[1])
    first = sentence(f"{said} {predicate} {rest}")
    second = sentence(parse.span(clause[1] + 1, len(tokens)))
    return Fusion("single_cataphora", "", first, second, parse.text)


def _be(is_past: bool, is_plural: bool, subject: str) -> str:
    if is_past:
        return "were" if is_plural else "was"
    return "am" if subject == "I" else "are" if is_plural else "is"


def _inflected(lemma: str, text: str, is_past: bool, is_plural: bool, subject: str) -> str | None:
    """Return the finite form of a participle."""
    from lemminflect import getInflection, getLemma

    lemma = (getLemma(text.lower(), upos="VERB") or (lemma,))[0]
    if lemma == "be":
        return _be(is_past, is_plural, subject)
    if subject == "I" or is_plural:
        tag = "VBD" if is_past else "VBP"
    else:
        tag = "VBD" if is_past else "VBZ"
    forms = getInflection(lemma, tag=tag)
    return forms[0] if forms else None


def _has_clause(parse: Parse, number: int) -> bool:
    inside = parse.subtree(number)
    return any(parse.tokens[k].dep in ("relcl", "acl", "appos", "advcl") for k in inside)


def inner_connective(parse: Parse) -> Fusion | None:
    """Undo "A because B"."""
    tokens = parse.tokens
    if not _clause(parse, parse.root):
        return None
    for verb in range(parse.root + 1, len(tokens)):
        # Under whichever verb: what stands before it is complete without it.
        edges = parse.edges(verb) if tokens[verb].dep == "advcl" else None
        if edges is None or edges[0] <= parse.root:
            continue
        start, end = edges
        found = _marker(parse, start, end, _INNER)
        if found is None or not _clause(parse, verb) or end < len(tokens) - 1:
            continue
        connective, body = found
        has_comma = parse.is_comma(start - 1)
        if connective == "while" and not has_comma:
            # At the same time, not in contrast.
            continue
        if connective == "as" and tokens[verb].lemma == "be":
            # "We see it as it was": not two statements.
            continue
        if tokens[start - 1].text.lower() in ("only", "just", "not", "even", "especially", "or"):
            continue
        if tokens[start - 1].lemma in _ASKING:
            # "They have not said when": what is said, not another statement.
            continue
        if tokens[start - 1].tag in ("CC", "CD"):
            # "Two years after": the connective is part of a longer phrase.
            continue
        return _two_clauses(parse, "single_conn_inner", connective, start - has_comma, body, verb)
    return None


def coordination(parse: Parse) -> Fusion | None:
    """Undo "A, and B", and "she came and went"."""
    for verb in range(len(parse.tokens) - 1, parse.root, -1):
        if parse.tokens[verb].dep == "conj":
            fusion = _coordinated(parse, parse.tokens[verb].head, verb)
            if fusion is not None:
                return fusion
    return None


def _coordinated(parse: Parse, head: int, verb: int) -> Fusion | None:
    """Undo the coordination of two verbs, the second of which ends the sentence."""
    tokens = parse.tokens
    conjuncts = [k for k in parse.children[head] if tokens[k].dep == "conj"]
    if conjuncts != [verb] or tokens[head].dep == "conj" or not _clause(parse, head):
        return None
    if parse.child(verb, "conj") is not None or not _clause(parse, parse.root):
        return None
    own = [k for k in parse.subtree(verb) if k > max(head, parse.root)]
    start = own[0]
    # The conjunction is under one conjunct or the other.
    if tokens[start].tag != "CC" and tokens[start].text.lower() != "so":
        start -= 1
    connective = tokens[start].text.lower()
    if connective not in _COORDINATORS or start <= max(head, parse.root):
        return None
    rest = [k for k in range(start + 1, len(tokens)) if k not in own and tokens[k].dep != "punct"]
    if rest:
        return None
    if any(tokens[k].text.lower() in ("both", "either", "neither") for k in range(start)):
        return None
    has_comma = parse.is_comma(start - 1)
    if tokens[start + 1].text.lower() in ("that", "which", "who", "if", "when", "because"):
        # Both are parts of a longer clause.
        return None
    if _clause(parse, verb):
        return _two_clauses(parse, "single_s_coord", connective, start - has_comma, start + 1, verb)
    if parse.subject(verb) is not None:
        return None
    return _two_predicates(parse, connective, start - has_comma, start + 1, (head, verb))


def _two_clauses(
    parse: Parse, kind: str, connective: str, cut: int, start: int, verb: int
) -> Fusion | None:
    """Return two clauses as sentences, with a pronoun of the second replaced if it is clear."""
    first = sentence(parse.span(0, cut))
    end = len(parse.tokens)
    pronoun = _pronoun_at(parse, start, verb)
    if pronoun is not None:
        said = antecedent(_cut(parse, cut), pronoun)
        if said is not None:
            second = sentence(_with_mention(parse, start, end, start, said))
            return Fusion(f"{kind}_anaphora", connective, first, second, parse.text)
    return Fusion(kind, connective, first, sentence(parse.span(start, end)), parse.text)


def _cut(parse: Parse, end: int) -> Parse:
    """Return the first tokens of a parse, with the relations among them."""
    return Parse(
        tuple(
            token if token.head < end else token._replace(head=parse.root)
            for token in parse.tokens[:end]
        )
    )


def _two_predicates(
    parse: Parse, connective: str, cut: int, start: int, verbs: tuple[int, int]
) -> Fusion | None:
    tokens = parse.tokens
    head, verb = verbs
    subject = parse.subject(head)
    assert subject is not None
    edges = parse.edges(subject)
    if edges is None or edges[1] - edges[0] > _SUBJECT or _has_clause(parse, subject):
        return None
    if tokens[subject].text.lower() in _UNCLEAR - {"it"} or tokens[subject].dep == "expl":
        return None
    if tokens[verb].lemma in ("have", "do") and parse.child(verb, "dobj") is None:
        # "And has for years": the rest of the verb stands before.
        return None
    own_aux = [k for k in parse.children[verb] if tokens[k].dep in ("aux", "auxpass", "cop")]
    shared = ""
    if tokens[verb].tag in FINITE:
        # "Is built and works" shares nothing; the two have to agree in tense.
        finite = parse.finite(head)
        if finite is None or (tokens[finite].tag == "VBD") != (tokens[verb].tag == "VBD"):
            return None
    elif own_aux:
        if not any(tokens[k].tag in FINITE for k in own_aux):
            return None
    else:
        if tokens[verb].tag != tokens[head].tag or tokens[verb].tag not in ("VB", "VBN"):
            return None
        aux = [k for k in parse.children[head] if tokens[k].dep in ("aux", "auxpass")]
        if not aux or any(tokens[k].dep == "neg" for k in parse.children[head]):
            return None
        if tokens[aux[0]].tag not in FINITE or aux[0] < edges[1]:
            return None
        shared = " ".join(tokens[k].text for k in aux) + " "
    if any(
        token.tag == tokens[verb].tag and parse.is_comma(k - 1)
        for k, token in enumerate(tokens[head + 1 : cut], start=head + 1)
    ):
        # "Climbed, flung and gave": a list that the parser did not see.
        return None
    said = parse.span(*edges)
    if tokens[edges[0]].tag not in ("NNP", "NNPS") and tokens[subject].text != "I":
        said = said[:1].lower() + said[1:]
    # "A man" is "the man" by then.
    said = re.sub(r"^an? ", "the ", said)
    first = sentence(parse.span(0, cut))
    second = sentence(f"{said} {shared}{parse.span(start, len(tokens))}")
    return Fusion("single_vp_coord", connective, first, second, parse.text)


def _noun_phrase(parse: Parse, noun: int, clause: int) -> tuple[int, int] | None:
    """Return the start and end of a noun phrase without a clause that follows it."""
    own = set(parse.subtree(noun)) - set(parse.subtree(clause))
    start = min(own)
    end = noun + 1
    while end < len(parse.tokens) and end in own and not parse.is_comma(end):
        end += 1
    inside = range(start, end)
    return (start, end) if all(k in own for k in inside) and end - start <= 8 else None


def relative(parse: Parse) -> Fusion | None:
    """Undo "Mary, who came, smiled"."""
    tokens = parse.tokens
    for verb, token in enumerate(tokens):
        if token.dep != "relcl" or not _clause(parse, verb):
            continue
        edges = parse.edges(verb)
        place = parse.subject(verb)
        phrase = _noun_phrase(parse, token.head, verb)
        if edges is None or place is None or phrase is None:
            continue
        start, end = edges
        word = tokens[place].text.lower()
        has_comma = parse.is_comma(start - 1)
        if word not in ("who", "which", "that") or place != start:
            continue
        # The phrase stands directly before its clause.
        if phrase[1] != start - has_comma:
            continue
        if has_comma and not (end == len(tokens) - 1 or parse.is_comma(end)):
            continue
        # Without a comma the clause says which one is meant, unless it is new: "a man who".
        if not has_comma and (
            end != len(tokens) - 1 or tokens[phrase[0]].text.lower() not in _ARTICLES
        ):
            continue
        if word == "which" and token.lemma in _OF_CLAUSES:
            continue
        if not _agrees(parse, token.head, parse.finite(verb)):
            continue
        said = _said_again(parse, token.head, *phrase)
        if said is None:
            continue
        ends_there = end == len(tokens) - 1
        if not (ends_there or tokens[token.head].dep in SUBJECTS):
            # The comma after it may belong to what follows.
            continue
        main = parse.span(0, start - has_comma)
        if not ends_there:
            main += f" {parse.span(end + 1, len(tokens))}"
        second = sentence(f"{said} {parse.span(start + 1, end)}")
        return Fusion("single_relative", word, sentence(main), second, parse.text)
    return None


def _agrees(parse: Parse, noun: int, finite: int | None) -> bool:
    tokens = parse.tokens
    if finite is None or tokens[noun].tag not in _NOUNS:
        return False
    is_plural = tokens[noun].tag in _PLURAL or parse.child(noun, "conj") is not None
    text, tag = tokens[finite].text.lower(), tokens[finite].tag
    if tag == "VBZ" or text == "was":
        return not is_plural
    if tag == "VBP" or text == "were":
        return is_plural
    return True


def _said_again(parse: Parse, noun: int, start: int, end: int) -> str | None:
    """Return a phrase as it begins a new sentence: "a man" is "the man" by then."""
    tokens = parse.tokens
    if tokens[noun].tag not in _NOUNS or parse.child(noun, "conj") is not None:
        return None
    first = tokens[start].text.lower()
    if first in _ARTICLES:
        return f"the {parse.span(start + 1, end)}"
    if first in ("no", "any", "each", "every", "some", "other", "another", "such", "one"):
        return None
    if tokens[noun].tag in ("NN", "NNS") and tokens[start].tag not in ("DT", "PRP$", "NNP"):
        # "Plants, which ..." is about all of them; "two plants" need an article.
        return parse.span(start, end) if tokens[start].tag == "NNS" else None
    return parse.span(start, end)


def apposition(parse: Parse) -> Fusion | None:
    """Undo "Mary, a doctor, smiled"."""
    tokens = parse.tokens
    for noun, token in enumerate(tokens):
        if token.dep != "appos" or token.tag not in _NOUNS or noun < token.head:
            continue
        edges = parse.edges(noun)
        phrase = _noun_phrase(parse, token.head, noun)
        if edges is None or phrase is None:
            continue
        start, end = edges
        if not parse.is_comma(start - 1) or phrase[1] != start - 1:
            continue
        if not (end == len(tokens) - 1 or parse.is_comma(end)):
            continue
        head = tokens[token.head]
        # One of the two is a name, and the apposition says what the other is.
        is_named = head.tag == "NNP" and tokens[start].text.lower() in ("a", "an", "the")
        names = token.tag == "NNP" and tokens[phrase[0]].text.lower() in ("the", "his", "her")
        if not (is_named or (names and head.tag == "NN" and token.entity != "GPE")):
            continue
        if parse.child(noun, "conj", "cc") or parse.child(token.head, "conj"):
            continue
        if head.dep == "conj" or (names and head.dep not in SUBJECTS):
            # "His class, Noura": the name may belong to something earlier.
            continue
        # "France, the Netherlands, and Spain" is a list.
        if end < len(tokens) - 1 and tokens[end + 1].tag == "CC":
            continue
        finite = parse.finite(parse.root)
        assert finite is not None
        is_past = tokens[finite].tag == "VBD"
        ends_there = end == len(tokens) - 1
        # In the middle of a sentence, the comma after it may belong to what follows.
        if token.tag in _PLURAL or not (ends_there or head.dep in SUBJECTS):
            continue
        main = parse.span(0, start - 1)
        if not ends_there:
            main += f" {parse.span(end + 1, len(tokens))}"
        be = _be(is_past, False, "")
        second = sentence(f"{parse.span(*phrase)} {be} {parse.span(start, end)}")
        return Fusion("single_apposition", "", sentence(main), second, parse.text)
    return None
