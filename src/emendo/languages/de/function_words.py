"""The function words that identify German, with a few that are frequent in learners' texts."""

from emendo.languages.language import words

FUNCTION_WORDS = words(
    """
    der die das und ist nicht ich sie es ein zu wir in den mit sich des auf für dem als
    auch an er so dass daß wie war bei oder einen eine einem einer eines aus nach wird
    sind noch im am vom zum zur hat nur wenn aber man um haben ihr mich mir dir dich uns
    euch ihm ihn ihnen mein meine meinen meiner dein deine sein seine seinen seiner ihre
    ihren ihrer unser unsere kein keine keinen was wer wo warum wieso wann werden wurde
    wurden worden kann können konnte muss müssen musste soll sollte sollten will wollte
    wollen mag möchte darf über unter vor durch gegen ohne seit bis schon sehr mehr viel
    viele alle alles nichts etwas immer wieder jetzt dann da dort hier heute gestern
    morgen denn weil damit doch ja nein bin bist sei wäre hatte hatten habe hast diese
    dieser dieses diesem diesen jeder jede jedes gibt machen macht gemacht gut neue
    neuen beim sowie zwei drei ganz ob zwischen während ersten jahr jahre zeit leute
    menschen kommt kam geht ging gehen sagt sagte lassen lässt weiß ins bitte danke wohl
    nie mal damals dadurch dafür dabei daher darauf darüber deshalb deswegen trotzdem
    jedoch sondern entweder weder einige einigen mehrere andere anderen anderer anders
    welche welcher welches welchen jemand niemand niemanden weitere weiteren beide
    beiden besonders ziemlich vielleicht natürlich wirklich eigentlich einfach genau
    gerade bald bereits oft manchmal selten zuerst dazu davon hierfür innerhalb
    außerhalb wegen bleibt bleiben bringt spielt glaube glauben finde finden findet
    sagen wissen weiss sehen sieht steht stehen liegt nimmt nehmen hätte würde würden
    waren warst gewesen geworden hohen hohe großer große großen gross kleine kleinen
    guten gute guter wichtig wichtige frau herr kinder stadt haus tag tage uhr
    deutschland welt arbeit leben darum je desto zirka etwa fast ebenfalls zudem
    außerdem nachdem bevor sobald falls anderes stets hinter neben einmal zwar her hin
    los du deinen deinem deiner gern gerne kennst willst kannst weißt
    """
)
