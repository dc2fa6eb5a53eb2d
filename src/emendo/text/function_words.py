"""The small words that give a language away, by language.

Written by hand: the words that stand in almost every sentence, and a few that learners use at
once. A word may stand under several languages; it then counts for each of them a little.
"""

from __future__ import annotations

FUNCTION_WORDS = {
    "en": """
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
    """,
    "de": """
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
        los
    """,
    "fr": """
        le la les de des du un une et est à dans que qui pour pas sur au aux avec ce il elle
        en je tu nous vous ils elles ne se sa son ses mon ma mes ton ta tes leur leurs notre
        votre nos vos cette ces cet mais ou où donc car si comme plus moins très bien tout
        tous toute toutes être avoir été sont était étaient ont avait fait faire peut
        peuvent sera serait ai as avons avez suis sommes êtes par sans sous entre vers chez
        depuis pendant avant après aussi encore même autre autres quand comment pourquoi
        rien jamais toujours déjà deux trois ça cela celui celle ceux lui eux moi toi dont
        lorsque puis alors ainsi peu beaucoup trop doit doivent veuillez aucun aucune c'est
        n'est j'ai d'un d'une qu'il s'il l'on saisissez aujourd'hui hier demain quelque
        quelques plusieurs chaque fois jour jours ans année temps monde vie homme femme
        grand grande petit nouveau nouvelle premier première bon bonne dire dit aller va
        vont veux veut voir sais sait pense étais avaient aurait pouvait selon contre parce
        contient valeur n'a qu'on qu'elle d'autres jusqu'à l'a m'a
    """,
    "es": """
        el la los las de del que y en un una unos unas es son ser por para con no se su sus
        al lo le les me te nos como más menos pero o si sí ya este esta estos estas ese esa
        eso esto está están era eran fue fueron ha han hay había he hemos tiene tienen tener
        muy también todo toda todos todas otro otra otros otras cuando donde dónde qué quién
        cómo porque sobre entre desde hasta sin hacia durante después antes ahora aquí allí
        siempre nunca nada algo mi tu mis tus nuestro nuestra yo tú él ella ellos ellas
        nosotros usted ustedes puede pueden puedo hacer hace hecho debe deben dos tres bien
        así sólo solo cada mismo misma tan tanto mucho mucha muchos muchas poco quiero
        quiere voy va vamos fui soy eres somos ni aunque según hoy ayer mañana día días año
        años vez veces vida mundo hombre mujer gran grande nuevo nueva primero primera bueno
        buena decir dice ir ver sé sabe creo cual cuales quien alguien nadie algún alguna
        algunos ningún ninguna mientras entonces luego además embargo contra parte tiempo
        habían sido siendo estaba estaban estoy estamos gracias introduzca
    """,
    "it": """
        il lo la i gli le di del dello della dei degli delle a al allo alla ai agli alle da
        dal dalla dai in nel nello nella nei negli nelle con su sul sulla per tra fra un uno
        una e ed è o non che chi cui si se ma come più meno anche ancora già mai sempre
        molto poco tutto tutti tutta tutte questo questa questi queste quello quella quelli
        quelle mio mia tuo sua suo suoi loro nostro io tu lui lei noi voi essi mi ti ci vi
        sono sei siamo siete era erano essere avere ho hai ha abbiamo avete hanno aveva
        stato stata stati fare fatto fa può possono deve devono dove quando perché cosa
        quale quali dopo prima senza sotto sopra ogni altro altra altri altre così qui due
        tre solo dell nell all un' c'è nessun nessuna oggi ieri domani giorno giorni anno
        anni volta vita mondo uomo donna grande nuovo nuova primo bene buono dire dice
        andare va vedere so sa credo qualche qualcuno qualcosa niente nulla mentre allora
        poi inoltre però contro parte tempo avevano stava sto stiamo grazie dallo dalle
        sugli sui sulle quindi oppure invece finché quanto
    """,
    "nl": """
        de het een en van in is dat op te zijn met voor niet aan er om ook als dan maar of
        uit door over bij naar nog wel geen meer wordt worden werd werden heeft hebben had
        hadden kan kunnen kon moet moeten zal zullen zou zouden ik je jij u hij ze zij wij
        we jullie mij me hem haar ons hun mijn jouw uw deze dit die wat wie waar wanneer
        waarom hoe al alle alles iets niets heel veel zeer zo toch tot tegen zonder onder
        tussen na sinds tijdens want omdat hier daar nu toen altijd nooit goed nieuwe twee
        drie gaat gaan doen doet maken ben bent was waren elk elke andere ander men zich
        eigen geef vandaag gisteren morgen dag dagen jaar jaren keer leven wereld man vrouw
        groot grote nieuw eerste goede zeggen zegt gezegd zien weet denk wil wilt willen wou
        iemand niemand enkele sommige terwijl echter daarom dus misschien natuurlijk
        eigenlijk volgens deel tijd mogen mag moest gemaakt gedaan geweest geworden laten
        staat liggen ligt komt komen kwam bijvoorbeeld zoals binnen buiten vaak soms weer
        welke
    """,
    "pt": """
        o a os as de do da dos das em no na nos nas um uma uns umas que e é são ser por para
        com não se sua seu suas seus ao aos à às mais menos mas ou como este esta estes
        estas esse essa isso isto está estão estava era eram foi foram há tem têm ter tinha
        muito também todo toda todos todas outro outra outros outras quando onde quem porque
        sobre entre desde até sem depois antes agora aqui sempre nunca nada algo meu minha
        teu nosso nossa eu tu ele ela eles elas nós você vocês pode podem fazer faz feito
        deve devem dois duas três bem assim só cada mesmo mesma pelo pela pelos pelas lhe já
        ainda então seja num numa nenhum nenhuma hoje ontem amanhã dia dias ano anos vez
        vezes vida mundo homem mulher grande novo nova primeiro primeira bom boa dizer diz
        ir vai vou ver sei sabe acho qual quais alguém ninguém algum alguma alguns enquanto
        além contra parte tempo havia sido sendo estou estamos obrigado obrigada
    """,
    "pl": """
        i w z na do się nie to jest że o a ale jak po co tak za od przez dla czy być był
        była było były są jestem jesteś będzie ma mam mają może mogą można ten ta te tego
        tej tym tych który która które których którego swój swoje jego jej ich mój moja twój
        nasz ja ty on ona ono my wy oni one mnie mi ci go mu nas was im tylko już jeszcze
        bardzo więcej gdy kiedy gdzie dlaczego ponieważ jeśli jeżeli albo lub oraz więc
        także też przed przy pod nad bez między wszystko wszyscy każdy inny inne nic coś
        zawsze nigdy teraz tu tam dwa trzy musi proszę żeby aby we ze u ku jako nich nim
        dziś wczoraj jutro dobrze dobry dobra duży nowy nowa pierwszy jeden jedna ludzie
        człowiek życie świat dzień rok lat mógł miał miała chcę chce myślę wiem jednak nawet
        podczas według wśród dlatego gdyby została został zostały zostać sobie sam wielu
        wiele mniej
    """,
    "cs": """
        a v na se je že to s z do o i k ve za po jako pro ale tak jak by si od ze když jsem
        jsi jsou byl byla bylo byli být bude budou má mají mám může mohou nebo není nejsou
        který která které kteří kterou tento tato toto této tohoto těchto jeho její jejich
        můj moje tvůj náš své svůj já ty on ona my vy oni mě mi ho mu nás vás jim jen už
        ještě velmi více kdy kde proč protože pokud než aby ani také taky před při pod nad
        bez mezi všechno všichni každý jiný nic něco vždy nikdy teď tam dva tři musí prosím
        co kdo jsme jste bych sem tom tím pak asi u dnes včera zítra někdy skoro doma nějaký
        nějaká někdo moc dobře dobrý dobrá velký velká malý rodina den dny rok roku let
        člověk lidé lidi svět život měl měla měli chci chce chtěl mohl musel myslím vím rád
        ráda tedy však jestli nebyl nemám nemá tady sám sama moji mojí mého jeden jedna
        jedno první nový nová kvůli podle během kolem například atd něj ní nich jej jí
    """,
    "sv": """
        och att det i en jag hon som han på den med var sig för så till är men ett om hade
        de av icke mig du henne då sin nu har inte hans honom skulle hennes där min man ej
        vid kunde något från ut när efter upp vi dem vara vad över än dig kan sina här ha
        mot alla under någon eller allt mycket sedan ju denna själv detta åt utan varit hur
        ingen mitt ni bli blev oss din dessa några deras blir mina samma vilken er sådan vår
        blivit dess inom mellan sådant varför varje vilka ditt vem vilket sitt måste finns
        också bara ska går göra gör två tre idag igår imorgon dag dagar år gång liv värld
        kvinna stor stora ny nya första bra säga säger sade se ser vet tror vill ville
        någonting ingenting medan alltså därför kanske naturligtvis enligt del tid får fick
        kommer kom gick tycker mer mest många genom ange välj
    """,
    "ru": """
        и в не на я быть он с что а по это она к но они мы весь который из у то за свой от
        так о для ты же все год мочь вы человек такой его её ее их только или ещё еще бы
        себя один как уже до время если сам когда другой вот говорить наш мой знать стать
        при чтобы дело жизнь кто первый очень два день новый рука даже во со раз где там под
        можно ну какой после работа без самый потом надо хотеть ли слово идти большой должен
        место иметь ничто был была было были есть будет будут этот эта эти этого этой этом
        этих того том тем той тех мне меня тебя тебе нас нам вас вам него нее неё них ним
        ней им ему ей нет да нужно может могут также между через перед над про потому почему
        сейчас теперь всегда никогда здесь тут более чем всё всех всем что-то сегодня вчера
        завтра хорошо плохо большая новая люди людей человека жизни мира лет года году дня
        дома много мало больше меньше сказал сказала говорит думаю знаю хочу хочет могу
        можешь должны нужен пожалуйста спасибо здравствуйте некоторые каждый другие свои
        свою своей своего нему наши ваши твой моя мое моё мои твоя куда откуда зачем конечно
        наверное просто опять снова почти хотя пока чтоб ведь именно лишь которые которых
        которая которое которого которой всего эту
    """,
    "uk": """
        і й та в у не на я що він з із зі а по це вона до але вони ми який яка яке які за
        свій від так для ти же всі рік ви його її їх тільки лише або ще би б себе один як
        вже час якщо сам коли інший ось наш мій при щоб хто перший дуже два навіть де там
        під можна після без потім треба чи був була було були є буде будуть цей ця ці цього
        цієї цьому цих того тому тим тієї тих мені мене тебе тобі нас нам вас вам нього неї
        них ним ній їм йому їй немає потрібно може можуть також між через перед над про чому
        зараз тепер завжди ніколи тут більше ніж все всіх всім усе бо адже проте однак
        сьогодні вчора завтра добре погано нова люди людей людини життя світу років року
        день дня вдома багато мало менше сказав сказала каже думаю знаю хочу хоче можу
        повинні потрібен будь ласка дякую деякі кожен кожний інші свої свою своєї свого
        нашої ваші твій моя моє мої куди звідки навіщо звичайно мабуть просто знову майже
        хоча поки саме котрі якого якої яку яких те тої цю такий така таке такі має мають
        мав щось хтось ніхто ніщо
    """,
}
"""Lower-case words, split at white space."""

ENGLISH_TOO = frozenset(
    [
        "war",
        "men",
        "man",
        "per",
        "due",
        "non",
        "car",
        "door",
        "era",
        "ten",
        "met",
        "die",
        "son",
        "till",
        "plus",
        "gut",
        "hat",
        "bent",
        "sin",
        "comment",
        "hay",
        "bin",
        "dig",
        "fare",
        "tan",
        "van",
        "pro",
        "la",
        "de",
        "al",
        "los",
        "las",
        "el",
        "il",
        "un",
        "du",
        "et",
        "en",
        "der",
        "ma",
        "com",
        "co",
        "ed",
        "tom",
        "jim",
        "ben",
        "dan",
        "eu",
        "mi",
        "da",
        "um",
        "em",
        "er",
        "ce",
        "ku",
        "ho",
        "ne",
        "ti",
        "ya",
        "ins",
        "s",
        "u",
        "e",
        "w",
        "v",
        "k",
        "o",
        "y",
        "z",
        "bald",
        "hin",
        "fast",
        "gross",
        "den",
        "grand",
        "petit",
        "bon",
        "femme",
        "parte",
        "primo",
        "va",
        "sa",
        "leven",
        "staat",
        "mag",
        "mal",
        "je",
        "tage",
        "uns",
        "est",
        "pour",
        "tout",
        "sans",
    ]
)
"""Words and names in these lists that stand in English sentences too: weak evidence."""

LETTERS = {
    "de": "ßäöü",
    "fr": "çèêëîïôûùœæ",
    "es": "ñ¿¡áíóú",
    "it": "àèìòù",
    "nl": "ĳ",
    "pt": "ãõçâêôáíóú",
    "pl": "łąężśćńź",
    "cs": "řůěšžčťď",
    "sv": "åäö",
    "ru": "ыэъё",
    "uk": "іїєґ",
}
"""Letters that English has not, and few languages have; a word with one counts a little."""
