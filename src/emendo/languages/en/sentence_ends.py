"""English abbreviations, and the words that tell whether their full stop ends a sentence.

Written by hand: a list that is read is a list that can be judged.
"""

from emendo.languages.language import SentenceEnds, words

SENTENCE_ENDS = SentenceEnds(
    never_last=words(
        """
        mr mrs ms mx dr prof rev fr messrs mme mlle gen col lt maj capt cpt cmdr adm sgt cpl pvt
        sen gov amb supt vs v viz cf e.g eg i.e ie approx ca resp incl excl esp figs eq
        eqs refs vol vols pp p eds assn attn
        """
    ),
    before_number=words("no nos art sec fig ref tab ch par para op n ed ext tel min max"),
    rarely_last=words(
        """
        etc ex est misc rep pres hon trans inc ltd co corp llc plc jr sr bros a.m p.m u.s u.k u.n
        u.s.a u.s.s.r d.c a.d b.c e.u ph.d m.d b.a m.a m.sc b.sc d.phil esq ave blvd rd mass calif
        st mt ft chap sect dept univ
        jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun al med phil
        """
    ),
    starters=words(
        """
        the a an this that these those there here it its he she his her him they their we our you
        your i my one some any all both each many most several no not nobody nothing what when
        where which who whose why how if unless until while since because although though as after
        before during within without in on at by for from of to with about over under between
        among against through despite and but or nor so yet then thus hence however moreover
        furthermore therefore meanwhile also besides instead finally first second today yesterday
        tomorrow later now just only even still perhaps maybe every according another other such
        do does did is are was were will would can could should may might have has had let please
        """
    ),
)
