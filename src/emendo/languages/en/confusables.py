"""Words that people write for each other because they sound or look alike: your, you're."""

CONFUSABLES = """
your you're; its it's; their there they're; then than; to too two; whose who's; lose loose; were
where we're; wear where; affect effect; accept except; weather whether; quiet quite; advice advise;
passed past; hear here; buy by bye; brake break; peace piece; right write; weak week; desert
dessert; complement compliment; principal principle; stationary stationery; know no now; knew new;
threw through thorough though; bare bear; sight site cite; waist waste; of off; of have; lead led;
board bored; coarse course; council counsel; device devise; fair fare; flour flower; hole whole;
hour our; our are; mail male; meat meet; pair pear; plain plane; pour poor; role roll; sail sale;
scene seen; sea see; sole soul; stair stare; steal steel; tail tale; vain vein; wait weight; way
weigh; which witch; wood would; one won; lets let's; allowed aloud; altar alter; breath breathe;
clothes cloths; conscience conscious; dairy diary; ensure insure; formally formerly; lightening
lightning; personal personnel; precede proceed; sweat sweet; trail trial
"""
MEANINGS = {
    "your": "means “belonging to you”",
    "you're": "is short for “you are”",
    "its": "means “belonging to it”",
    "it's": "is short for “it is” or “it has”",
    "their": "means “belonging to them”",
    "there": "means “in that place”",
    "they're": "is short for “they are”",
    "then": "means “at that time” or “next”",
    "than": "compares one thing with another",
    "to": "stands before a place, a person or a verb",
    "too": "means “also” or “more than enough”",
    "two": "is the number 2",
    "whose": "says or asks whom something belongs to",
    "who's": "is short for “who is” or “who has”",
    "lose": "means “no longer have”",
    "loose": "means “not tight”",
    "were": "is a past form of “be”",
    "where": "says or asks in which place",
    "we're": "is short for “we are”",
    "affect": "is usually a verb",
    "effect": "is usually a noun",
    "accept": "means “take” or “agree to”",
    "except": "means “apart from”",
    "weather": "is rain, sun and wind",
    "whether": "means “if”",
    "quiet": "means “not loud”",
    "quite": "means “rather” or “completely”",
    "advice": "is the noun",
    "advise": "is the verb",
    "passed": "is the past of “pass”",
    "past": "means “beyond” or “over”",
    "of": "is a preposition",
    "have": "follows “could”, “should” and “would”",
    "lets": "means “allows”",
    "let's": "is short for “let us”",
}
"""What each of some confused words means, as the end of a sentence."""
