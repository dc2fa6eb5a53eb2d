"""German abbreviations, and the words that tell whether their full stop ends a sentence.

Written by hand: a list that is read is a list that can be judged.
"""

from emendo.languages.language import SentenceEnds, words

SENTENCE_ENDS = SentenceEnds(
    never_last=words(
        """
        hr hrn fr dr prof dipl mr mrs st nr abb bd bde bspw bzw d.h evtl ggf inkl exkl incl excl
        mind o.g s.o s.u sog str u.a v.a vgl z.b z.t zzgl abs kap verh ursp allg ca resp vs cf p pp
        """
    ),
    before_number=words("art tab fig tel min max no op n ed par"),
    rarely_last=words(
        """
        etc ex al med phil ing geb gest usw u.ä u.s.w o.ä mio mrd tsd jan feb mär apr jun jul aug
        sep sept okt nov dez jr sr inc ltd co corp u.s u.s.a e.u
        """
    ),
    starters=words(
        """
        der die das ein eine einer eines einem einen er sie es wir ihr ich du man dies diese
        dieser dieses jener jene in im am an auf aus bei mit nach von vom zu zum zur für durch um
        über unter vor und oder aber doch denn wenn weil da als obwohl während dann danach nun
        heute gestern auch nur noch so wie was wer wo warum seit nicht kein keine alle viele
        einige hier dort sein seine ihre unser
        """
    ),
    before_ordinal=words(
        "am im der die das dem den des vom zum zur ab bis seit ein einen jeder jeden jedes diesem"
    ),
    after_ordinal=words(
        """
        januar jänner februar märz april mai juni juli august september oktober november dezember
        jahrhundert jahrhunderts jh quartal klasse auflage weltkrieg
        """
    ),
)
