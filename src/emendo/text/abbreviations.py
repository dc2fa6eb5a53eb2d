"""Full stops that end no sentence: abbreviations, and the words that tell when they do.

English, German and Russian. Written by hand: a list that is read is a list that can be judged.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEVER_LAST = _words(
    """
    mr mrs ms mx dr prof rev fr messrs mme mlle gen col lt maj capt cpt cmdr adm sgt cpl pvt
    sen gov amb supt st mt ft vs v viz cf e.g eg i.e ie approx ca resp incl excl esp figs eq
    eqs refs vol vols pp p chap sect eds dept univ assn attn hr hrn nr abb bd bde bspw bzw d.h
    evtl ggf inkl exkl mind o.g s.o s.u sog str u.a v.a vgl z.b z.t zzgl abs kap dipl verh
    ursp allg т.е т.к т.н т.ч напр рис табл ул просп акад проф доц канд св стр изд обл р-н г-н
    г-жа
    """
)
"""Something always follows: a name, a number, an example. Compared in lower case."""

BEFORE_NUMBER = _words(
    "no nos art sec fig ref tab ch par para op n ed ext tel min max гл ст п пп д кв к т с"
)
"""Abbreviations before a number, words or letters elsewhere: "No. 5", but "No. Never."."""

RARELY_LAST = _words(
    """
    etc ex est misc rep pres hon trans inc ltd co corp llc plc jr sr bros a.m p.m u.s u.k u.n
    u.s.a u.s.s.r d.c a.d b.c e.u ph.d m.d b.a m.a m.sc b.sc d.phil esq ave blvd rd mass calif
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun al med phil
    ing geb gest usw u.ä u.s.w o.ä mio mrd tsd jan feb mär apr jun jul aug sept okt nov dez
    т.д т.п др им пер пл ср см гл ред г гг в вв руб коп тыс млн млрд тонн чел мин сек км кг
    """
)
"""They may end a sentence: they do where a word follows that sentences like to start with."""

STARTERS = _words(
    """
    the a an this that these those there here it its he she his her him they their we our you
    your i my one some any all both each many most several no not nobody nothing what when
    where which who whose why how if unless until while since because although though as after
    before during within without in on at by for from of to with about over under between
    among against through despite and but or nor so yet then thus hence however moreover
    furthermore therefore meanwhile also besides instead finally first second today yesterday
    tomorrow later now just only even still perhaps maybe every according another other such
    do does did is are was were will would can could should may might have has had let please
    der die das ein eine einer eines einem einen er sie es wir ihr ich du man dies diese
    dieser dieses jener jene in im am an auf aus bei mit nach von vom zu zum zur für durch um
    über unter vor und oder aber doch denn wenn weil da als obwohl während dann danach nun
    heute gestern auch nur noch so wie was wer wo warum seit nicht kein keine alle viele
    einige hier dort sein seine ihre unser он она оно они мы вы я ты это этот эта эти тот та
    те его её ее их наш ваш мой в во на с со к ко у о об от до по за из под над при для без
    через между и а но или однако если когда хотя чтобы потому так как что кто где там здесь
    тогда теперь сегодня вчера затем после перед также все всё многие некоторые каждый не нет
    ни
    """
)
"""Words that sentences start with; where they follow an abbreviation in capitals, one starts."""

ORDINAL_BEFORE = _words(
    "am im der die das dem den des vom zum zur ab bis seit ein einen jeder jeden jedes diesem"
)
"""German words before an ordinal number: "am 3. Oktober" goes on."""

MONTHS = _words(
    "januar jänner februar märz april mai juni juli august september oktober november dezember "
    "jahrhundert jahrhunderts jh quartal klasse auflage weltkrieg"
)
"""German words after an ordinal number."""
