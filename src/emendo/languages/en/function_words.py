"""The function words that identify English, with a few that are frequent in learners' texts."""

from emendo.languages.language import words

FUNCTION_WORDS = words(
    """
    the of and to a in is it you that he was for on are as with his they i at be this
    have from or one had by but not what all were we when your can said there use an
    each which she do how their if will up other about out many then them these so some
    her would make like him into time has look two more go see no way could people my
    than first been who its now find long down did get come made may part over new after
    only little just know take year very me our don't doesn't didn't isn't aren't can't
    won't it's i'm i've that's because should must also most much such any where why
    before too same well even through good here does every us off again still between
    never last let thing things think while might next always those both own under need
    something being another without am yes want really day going great went having got
    dont cant im ive lot however during different work works years often three within
    found high against help although including known several back free using used
    country less others early few second better following thus became become since
    whether around thought means certain came later cannot once best say says saying
    together took either short old able home give gives given usually away upon across
    therefore until sometimes please thank thanks hello hi called important life world
    live school house friend friends family children buy keep put try tell told asked
    ask feel felt left right end place four five seen seem seems yesterday today
    tomorrow oh okay ok yeah everyone everything someone nothing nobody soon ago almost
    already maybe perhaps enough rather quite show start stop himself herself themselves
    myself yours ours whose whom nor yet though toward towards along behind beside below
    above near far inside outside
    """
)

SHARED_WORDS = words(
    """
    war men man per due non car door era ten met die son till plus gut hat bent sin comment hay
    bin dig fare tan van pro la de al los las el il un du et en der ma com co ed tom jim ben dan
    eu mi da um em er ce ku ho ne ti ya ins s u e w v k o y z bald hin fast gross den grand
    petit bon femme parte primo va sa leven staat mag mal je tage uns est pour tout sans
    """
)
"""Words and names in the lists of others that stand in English sentences too."""
