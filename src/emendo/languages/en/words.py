"""English words: closed classes, irregular forms, and what a regular form is a form of.

The open classes come from `words.txt`, whose first lines say where it is from. `read_tables` makes
of both what the types of edits need.
"""

from __future__ import annotations

import re
from pathlib import Path

from emendo.languages.language import words
from emendo.languages.word_tables import TAGS, Contractions, Reading, WordTables

# Closed classes by their letters (`WordTables.classes`); a word belongs to the first that has it.
_CLOSED = """
a: a an the
w: which who whom that whose what
e: my your his her its our their this these those
d: some any no every each all both either neither another such half many much few several
i: i you he she it we they
o: me him us them mine yours hers ours theirs myself yourself himself herself itself ourselves
o: yourselves themselves oneself ya ye thou
z: someone somebody something anyone anybody anything everyone everybody everything nobody
z: nothing none
t: to
n: not n't
m: will would can could shall should may might must 'll 'd ca wo sha
x: do does did doing done
b: be am is are was were been being 'm 're 's
h: have has had having 've
q: when where why how
k: that if because although though whether unless while whereas so except lest
c: and or but nor yet plus &
y: up down out off away over back
p: of in for on with at by from about into during through between after before under against
p: among within without toward towards upon across behind beyond near along around onto above
p: below beneath beside besides inside outside throughout via per until till since despite
p: amongst underneath as like than concerning regarding amid alongside unlike
r: never always often also usually still just already really only ever sometimes even probably
r: now soon rarely seldom actually generally normally very too quite there here then thus
r: therefore however moreover maybe perhaps more most less least almost together else instead
r: rather again
u: one two three four five six seven eight nine ten eleven twelve twenty thirty fifty hundred
u: thousand million
"""
# Forms that differ in person or number only.
_PERSON_FORMS = (frozenset({"am", "is", "are", "'m", "'re"}), frozenset({"was", "were"}))
_CONTRACTIONS = Contractions(
    re.compile(r"(.+?)(n't|'(?:s|m|re|ve|ll|d))$"),
    classes={"'m": "b", "'re": "b", "'ve": "h", "'ll": "m", "'d": "m", "'s": "b"},
    stems={"ca": "m", "wo": "m", "sha": "m", "ai": "b"},
    possessive="'s",
    never_possessive=words("i you he she it we they that there what who where how here let"),
    negation="n't",
)
# base past participle; forms that differ by region are all listed with "/".
_IRREGULAR_VERBS = """
arise arose arisen; awake awoke awoken; bear bore borne/born; beat beat beaten; become became
become; begin began begun; bend bent bent; bet bet bet; bind bound bound; bite bit bitten; bleed
bled bled; blow blew blown; break broke broken; breed bred bred; bring brought brought; broadcast
broadcast broadcast; build built built; burn burnt/burned burnt/burned; burst burst burst; buy
bought bought; cast cast cast; catch caught caught; choose chose chosen; cling clung clung; come
came come; cost cost cost; creep crept crept; cut cut cut; deal dealt dealt; dig dug dug; draw
drew drawn; dream dreamt/dreamed dreamt/dreamed; drink drank drunk; drive drove driven; eat ate
eaten; fall fell fallen; feed fed fed; feel felt felt; fight fought fought; find found found; fit
fit/fitted fit/fitted; flee fled fled; fly flew flown; forbid forbade forbidden; forecast forecast
forecast; foresee foresaw foreseen; forget forgot forgotten; forgive forgave forgiven; freeze
froze frozen; get got got/gotten; give gave given; go went gone; grind ground ground; grow grew
grown; hang hung/hanged hung/hanged; hear heard heard; hide hid hidden; hit hit hit; hold held
held; hurt hurt hurt; keep kept kept; kneel knelt knelt; know knew known; lay laid laid; lead led
led; lean leant/leaned leant/leaned; learn learnt/learned learnt/learned; leap leapt/leaped
leapt/leaped; leave left left; lend lent lent; let let let; lie lay/lied lain/lied; light
lit/lighted lit/lighted; lose lost lost; make made made; mean meant meant; meet met met; mistake
mistook mistaken; misunderstand misunderstood misunderstood; mow mowed mown; overcome overcame
overcome; overtake overtook overtaken; pay paid paid; prove proved proven/proved; put put put;
quit quit quit; read read read; rebuild rebuilt rebuilt; rid rid rid; ride rode ridden; ring rang
rung; rise rose risen; run ran run; saw sawed sawn; say said said; see saw seen; seek sought
sought; sell sold sold; send sent sent; set set set; sew sewed sewn; shake shook shaken; shed shed
shed; shine shone shone; shoot shot shot; show showed shown; shrink shrank shrunk; shut shut shut;
sing sang sung; sink sank sunk; sit sat sat; sleep slept slept; slide slid slid; smell
smelt/smelled smelt/smelled; sow sowed sown; speak spoke spoken; speed sped sped; spell
spelt/spelled spelt/spelled; spend spent spent; spill spilt/spilled spilt/spilled; spin spun spun;
spit spat spat; split split split; spoil spoilt/spoiled spoilt/spoiled; spread spread spread;
spring sprang sprung; stand stood stood; steal stole stolen; stick stuck stuck; sting stung stung;
stink stank stunk; stride strode stridden; strike struck struck/stricken; strive strove striven;
swear swore sworn; sweep swept swept; swell swelled swollen; swim swam swum; swing swung swung;
take took taken; teach taught taught; tear tore torn; tell told told; think thought thought; throw
threw thrown; thrust thrust thrust; tread trod trodden; undergo underwent undergone; understand
understood understood; undertake undertook undertaken; upset upset upset; wake woke woken; wear
wore worn; weave wove woven; weep wept wept; win won won; wind wound wound; withdraw withdrew
withdrawn; withstand withstood withstood; write wrote written
"""
_AUXILIARY_FORMS = {
    "be": (("be", "V"),),
    "am": (("be", "V"),),
    "'m": (("be", "V"),),
    "are": (("be", "V"),),
    "'re": (("be", "V"),),
    "is": (("be", "Z"),),
    "was": (("be", "D"),),
    "were": (("be", "D"),),
    "been": (("be", "P"),),
    "being": (("be", "G"),),
    "have": (("have", "V"),),
    "'ve": (("have", "V"),),
    "has": (("have", "Z"),),
    "had": (("have", "D"), ("have", "P")),
    "having": (("have", "G"),),
    "do": (("do", "V"),),
    "does": (("do", "Z"),),
    "did": (("do", "D"),),
    "done": (("do", "P"),),
    "doing": (("do", "G"),),
}
_IRREGULAR_PLURALS = """
man men; woman women; child children; foot feet; tooth teeth; mouse mice; goose geese; person
people; ox oxen; life lives; wife wives; knife knives; leaf leaves; half halves; shelf shelves;
thief thieves; wolf wolves; loaf loaves; self selves; calf calves; scarf scarves; criterion
criteria; phenomenon phenomena; medium media; datum data; bacterium bacteria; crisis crises;
analysis analyses; basis bases; hypothesis hypotheses; thesis theses; diagnosis diagnoses; oasis
oases; cactus cacti; stimulus stimuli; nucleus nuclei; fungus fungi; penny pence
"""
_IRREGULAR_DEGREES = """
good better best; bad worse worst; far further furthest; far farther farthest; well better best;
badly worse worst; little less least; many more most; much more most
"""


def _triples(table: str) -> list[list[str]]:
    return [row.split() for row in table.split(";")]


def _irregular_forms() -> dict[str, tuple[tuple[str, str], ...]]:
    forms: dict[str, list[tuple[str, str]]] = {}
    for base, past, participle in _triples(_IRREGULAR_VERBS):
        for tag, spellings in (("D", past), ("P", participle)):
            for form in spellings.split("/"):
                forms.setdefault(form, []).append((base, tag))
    for singular, plural in _triples(_IRREGULAR_PLURALS):
        forms.setdefault(plural, []).append((singular, "S"))
    for base, *degrees in _triples(_IRREGULAR_DEGREES):
        for form in degrees:
            forms.setdefault(form, []).append((base, "C"))
    forms |= {form: list(readings) for form, readings in _AUXILIARY_FORMS.items()}
    return {form: tuple(readings) for form, readings in forms.items()}


IRREGULAR = _irregular_forms()
# (ending, what stands for it in the base, class of the form, class of the base).
_ENDINGS = tuple(
    (ending, stem, tags, need)
    for endings, tags, need in (
        ("ies:y es: s:", "S", "N"),
        ("ies:y es: s:", "Z", "V"),
        ("ied:y ed: d:", "DP", "V"),
        ("ying:ie ing: ing:e", "G", "V"),
        ("ier:y er: r: iest:y est: st:", "C", "J"),
        ("ily:y ly: ly:le y: ally:", "R", "J"),
    )
    for ending, _, stem in (pair.partition(":") for pair in endings.split())
)
_VOWELS = frozenset("aeiou")


def bases(word: str) -> list[tuple[str, str, str]]:
    """Return what the word would be a regular form of: (base, class, class the base must have)."""
    found = []
    for ending, stem, tags, need in _ENDINGS:
        if not word.endswith(ending) or len(word) < len(ending) + 2:
            continue
        base = word[: -len(ending)] + stem
        if ending == "s" and base.endswith("s"):
            continue
        if ending in ("d", "r", "st", "y") and not base.endswith("le" if ending == "y" else "e"):
            continue
        found += [(base, tag, need) for tag in tags]
        # stopped, running, bigger
        if (
            not stem
            and len(base) > 3
            and base[-1] == base[-2]
            and base[-1] not in _VOWELS
            and tags in ("DP", "G", "C")
        ):
            found += [(base[:-1], tag, need) for tag in tags]
    return found


def _closed_classes() -> dict[str, str]:
    classes: dict[str, str] = {}
    for line in _CLOSED.strip().splitlines():
        letter, *words = line.replace(":", "").split()
        for word in words:
            classes.setdefault(word, letter)
    return classes


CLASSES = _closed_classes()


class Words:
    """The open classes."""

    def __init__(self, lines: list[str]) -> None:
        self.classes: dict[str, str] = {}
        self.odds: dict[str, dict[str, dict[str, float]]] = {"<": {}, ">": {}}
        group = ""
        for line in lines:
            match line[:1]:
                case "#" | "":
                    continue
                case "=":
                    group = line[1:]
                case "<" | ">":
                    letter, *tenths = line[1:].split()
                    self.odds[line[0]][letter] = dict(
                        zip(TAGS, (int(value) / 10 for value in tenths), strict=True)
                    )
                case _:
                    self.classes[line] = group

    def read(self, word: str) -> tuple[Reading, ...]:
        """Return the readings of a word, the likeliest class first."""
        found = {(word, tag): rank for rank, tag in enumerate(self.classes.get(word, ""))}
        for lemma, tag in IRREGULAR.get(word, ()):
            found.setdefault((lemma, tag), 0)
        for base, tag, need in bases(word):
            rank = self.classes.get(base, "").find(need)
            if rank >= 0:
                found.setdefault((base, tag), rank)
        return tuple(
            sorted((Reading(*key, rank) for key, rank in found.items()), key=lambda r: r.rank)
        )


def read_tables() -> WordTables:
    """Read the tables; `Language.word_tables` does so once."""
    path = Path(__file__).with_name("words.txt")
    listed = Words(path.read_text(encoding="utf-8").splitlines())
    return WordTables(
        CLASSES,
        listed.read,
        person_forms=_PERSON_FORMS,
        before=listed.odds["<"],
        after=listed.odds[">"],
        contractions=_CONTRACTIONS,
        possessive_marks=("'s", "'", "s"),
        plural_ending="s",
        gerund_ending="ing",
        past_ending="ed",
        clause_words=frozenset(["that"]),
    )
