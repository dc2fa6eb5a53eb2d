"""Russian abbreviations, and the words that tell whether their full stop ends a sentence.

Written by hand: a list that is read is a list that can be judged.
"""

from emendo.languages.language import SentenceEnds, words

SENTENCE_ENDS = SentenceEnds(
    never_last=words(
        """
        т.е т.к т.н т.ч напр рис табл ул просп акад проф доц канд св стр изд обл р-н г-н г-жа
        """
    ),
    before_number=words("гл ст п пп д кв к т с"),
    rarely_last=words(
        """
        т.д т.п др им пер пл ср см гл ред г гг в вв руб коп тыс млн млрд тонн чел мин сек км кг
        """
    ),
    starters=words(
        """
        он она оно они мы вы я ты это этот эта эти тот та те его её ее их наш ваш мой в во на с со
        к ко у о об от до по за из под над при для без через между и а но или однако если когда
        хотя чтобы потому так как что кто где там здесь тогда теперь сегодня вчера затем после
        перед также все всё многие некоторые каждый не нет ни
        """
    ),
    closing_letters=words("д п"),
)
