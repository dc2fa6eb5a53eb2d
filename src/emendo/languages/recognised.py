"""Languages without a folder: the evidence by which sentences in them are recognised.

The script identifies most of them; the others have lists of very frequent words, written by hand. A
word can be in the lists of several languages; it then counts less for each of them. A folder
replaces an entry here.
"""

from emendo.languages.language import Language, words

_LANGUAGES = (
    Language(
        "fr",
        "French",
        variants={"fr-FR": "France"},
        script="latin",
        letters="çèêëîïôûùœæ",
        function_words=words(
            """
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
            """
        ),
    ),
    Language(
        "es",
        "Spanish",
        variants={"es-ES": "Spain"},
        script="latin",
        letters="ñ¿¡áíóú",
        function_words=words(
            """
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
            """
        ),
    ),
    Language(
        "it",
        "Italian",
        variants={"it-IT": "Italy"},
        script="latin",
        letters="àèìòù",
        function_words=words(
            """
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
            """
        ),
    ),
    Language(
        "nl",
        "Dutch",
        variants={"nl-NL": "Netherlands"},
        script="latin",
        letters="ĳ",
        function_words=words(
            """
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
            """
        ),
    ),
    Language(
        "pt",
        "Portuguese",
        variants={"pt-BR": "Brazil", "pt-PT": "Portugal"},
        script="latin",
        letters="ãõçâêôáíóú",
        function_words=words(
            """
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
            """
        ),
    ),
    Language(
        "pl",
        "Polish",
        variants={"pl-PL": "Poland"},
        script="latin",
        letters="łąężśćńź",
        function_words=words(
            """
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
            """
        ),
    ),
    Language(
        "cs",
        "Czech",
        script="latin",
        letters="řůěšžčťď",
        function_words=words(
            """
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
            """
        ),
    ),
    Language(
        "sv",
        "Swedish",
        script="latin",
        letters="åäö",
        function_words=words(
            """
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
            """
        ),
    ),
    Language(
        "uk",
        "Ukrainian",
        variants={"uk-UA": "Ukraine"},
        script="cyrillic",
        letters="іїєґ",
        function_words=words(
            """
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
            """
        ),
    ),
    Language("el", "Greek", script="greek"),
    Language("he", "Hebrew", script="hebrew"),
    Language("ar", "Arabic", script="arabic"),
    Language("hi", "Hindi", script="devanagari"),
    Language("th", "Thai", script="thai"),
    Language("ko", "Korean", script="hangul"),
    Language("ja", "Japanese", script="kana", other_scripts=("han",)),
    Language("zh", "Chinese", script="han"),
    Language("hy", "Armenian", script="armenian"),
    Language("ka", "Georgian", script="georgian"),
)
RECOGNISED = {language.code: language for language in _LANGUAGES}
