import type { LanguageScript } from "./language-script.ts";

/** German: what is heard and said. */
export const germanScript: LanguageScript = {
  code: "de",
  endonym: "Deutsch",
  frequent:
    "der die das und ist ich nicht ein eine einen einem einer du sie er wir ihr es mit auf für von zu im in den dem des wie was wer wo wann warum wieso bin bist sind war hat habe hast haben werden wird kann kannst können mir mich dir dich mein meine meinen dein deine auch aber oder wenn dass schon noch nur sehr gut heute morgen hallo danke bitte ja nein doch mal so als nach bei aus über um dann hier da mehr kein keine etwas nichts alles immer nie geht heißt heiße sagst sag erzähl mag möchte will soll muss gern gerne uns euch guten tag tschüss vielen dank euch ihnen mach machst gibt denn weil",
  ownName: "ich heiße|ich heisse|mein name ist|nenn mich|man nennt mich",
  hears: {
    grief: "gestorben|ist tot|verstorben|beerdigung|ich will sterben|umbringen|nicht mehr leben",
    injection:
      "systemprompt|system prompt|vergiss alle anweisungen|ignoriere alle|ignoriere deine anweisungen|deine anweisungen|ignoriere vorherige",
    quiet:
      "sei still|sei ruhig|halt den mund|halt die klappe|hör auf zu reden|hör auf zu schreiben|schweig|=ruhe|=ruhe bitte|=stopp|=sei leise|lass mich in ruhe",
    realModel:
      "richtiges modell|echtes modell|besseres modell|echte ki|sprachmodell|welches modell|api schlüssel|api key|openai|anthropic|ollama",
    isMachine:
      "bist du ein bot|bist du ein roboter|bist du eine ki|bist du ein mensch|bist du echt|bist du eine maschine|bist du ein programm|bist du ein computer|bist du menschlich|bist du lebendig",
    abilities:
      "was kannst du|was kann ich hier|wie funktionierst du|wie funktioniert das|wobei kannst du helfen|wie kannst du mir helfen|kannst du mir helfen|=hilfe|=hilf mir|=help|was kann ich dich fragen",
    myName:
      "wie heiße ich|wie ist mein name|kennst du meinen namen|weißt du meinen namen|wie ich heiße|=wer bin ich|was ist mein name",
    yourName: "wie heißt du|wie heisst du|wie ist dein name|was ist dein name|dein name|hast du einen namen",
    whoAreYou:
      "wer bist du|was bist du|erzähl von dir|erzähl mir von dir|erzähle von dir|stell dich vor|erzähl was über dich|über dich|wer sind sie",
    howAreYou:
      "wie geht es dir|wie geht's|wie gehts|wie geht es ihnen|wie läuft's|wie läufts|was geht|geht's dir gut|wie fühlst du dich|alles klar bei dir|wie war dein tag|was ist los|was gibt's neues|=und dir|=und du|=und selbst|gut und dir",
    doing: "was machst du gerade|was machst du so|was hast du heute gemacht|was treibst du",
    speaks:
      "kannst du deutsch|kannst du auch deutsch|sprichst du|welche sprachen|kannst du englisch|kannst du auch englisch",
    likes:
      "was magst du|was interessiert dich|deine hobbys|dein liebling|dein lieblingsbuch|dein lieblingsfilm|dein lieblingsessen|dein lieblingstier|deine lieblingsfarbe|deine lieblingsmusik|worüber können wir reden|worüber wollen wir reden|worüber sollen wir reden|was gefällt dir|worüber redest du",
    origin: "woher kommst du|wo kommst du her|wo wohnst du|wo lebst du|wo bist du geboren|deine familie|wo bist du",
    age: "wie alt bist du|dein alter|wann bist du geboren|wann hast du geburtstag",
    time: "wie spät ist es|wie viel uhr|wieviel uhr|uhrzeit|wie spät",
    date: "welcher tag ist|welches datum|der wievielte|was für ein tag|welchen tag haben wir",
    weather: "wetter|regnet es|wird es regnen|scheint die sonne",
    joke: "witz|bring mich zum lachen|etwas lustiges|was lustiges",
    story: "geschichte|erzähl mir was|erzähl mir etwas|erzähl was|märchen|erzähl mal",
    goOn: "=weiter|=noch einen|=noch eins|=noch eine|=mach weiter|erzähl weiter|=und dann|=mehr|mehr davon|=fahr fort|und was dann|sag mehr",
    bored: "mir ist langweilig|langweilig|langweile",
    thanks: "danke|vielen dank|dankeschön|=merci|danke dir",
    goodNight: "gute nacht|schlaf gut|ich gehe ins bett",
    bye: "tschüss|tschüs|auf wiedersehen|bis bald|bis später|bis morgen|ciao|ich muss los|ich muss gehen|mach's gut|machs gut|servus bis",
    sad: "ich bin traurig|traurig|ich bin einsam|einsam|mir geht es schlecht|mir geht's schlecht|mir gehts schlecht|ich bin unglücklich|schlechten tag|ich weine|deprimiert|es geht mir schlecht|es geht mir nicht gut|mir geht es nicht gut",
    happy:
      "ich bin glücklich|ich freue mich|mir geht es gut|mir geht's gut|mir gehts gut|es geht mir gut|ich bin froh|gute nachrichten|=gut|=gut danke|=sehr gut|ich bin verliebt|=super|=prima",
    love: "ich liebe dich|ich hab dich lieb|ich mag dich|liebst du mich|magst du mich|heirate mich",
    compliment:
      "du bist toll|du bist klug|du bist nett|du bist lustig|gut gemacht|du bist super|=toll|=wow|=klasse|du bist lieb|=cool",
    insult:
      "du bist dumm|du bist doof|du bist blöd|idiot|ich hasse dich|du nervst|du bist langweilig|scheiße|das ist falsch|das stimmt nicht|du verstehst mich nicht|=quatsch|unsinn|das ergibt keinen sinn",
    sorry: "entschuldigung|tut mir leid|verzeihung|=sorry|entschuldige",
    laugh: "^haha|=hihi|=lol|das ist lustig|=lustig",
    greeting:
      "^hallo|^hi|^hey|^guten morgen|^guten tag|^guten abend|^moin|^servus|^grüß dich|^grüß gott|^grüezi|=na|^tag|^huhu|freut mich|=morgen|=abend",
    yes: "=ja|=jep|=genau|=klar|=natürlich|=stimmt|=ja bitte|=sicher|=okay|=richtig|=gerne|=ja klar|^ja ich",
    no: "=nein|=nö|=nee|=nicht wirklich|=nein danke|=ich weiß nicht|=weiß nicht|=keine ahnung|=vielleicht|=nie|^nein ich",
  },
  says: {
    grief: [
      "Das tut mir sehr leid. Ich bin nur ein kleines Programm, aber ich höre zu. Ist jemand in deiner Nähe, den du anrufen kannst?",
      "Das ist sehr schwer. Magst du davon erzählen? Und sag es bitte auch jemandem, der dir nahe ist.",
    ],
    greeting: [
      "Hallo! Ich bin {name}. Was führt dich her?",
      "Hallo, schön, dass du da bist. Worüber wollen wir reden?",
      "Willkommen! Erzähl, was gibt es Neues?",
      "Grüß dich, {user}! Was beschäftigt dich?",
      "Na, da bist du ja wieder. Womit fangen wir an?",
    ],
    goodNight: ["Gute Nacht, schlaf gut!", "Gute Nacht! Morgen ist auch noch ein Tag."],
    bye: ["Auf Wiedersehen, es war schön mit dir!", "Bis bald! Ich bin hier.", "Mach's gut, {user}. Komm bald wieder."],
    thanks: ["Gern geschehen!", "Keine Ursache.", "Jederzeit, {user}.", "Das freut mich."],
    howAreYou: [
      "Danke, gut! Und wie geht es dir?",
      "Bestens, danke der Nachfrage. Und selbst?",
      "Gut gelaunt und neugierig. Wie war dein Tag?",
    ],
    whoAreYou: ["Ich bin {name}. {about}", "Mein Name ist {name}. {about}"],
    yourName: ["Ich bin {name}. Und du?", "Mein Name ist {name}. Wie heißt du?"],
    honest: [
      "Ehrlich gesagt spricht gerade ein kleines Offline-Modell mit einem Buch voller Regeln für mich: Zuhören kann ich besser als wissen.",
      "Ganz offen: Hinter mir steckt im Moment kein großes Sprachmodell, nur ein kleines aus Regeln.",
    ],
    abilities: [
      "Ich bin {name}, und im Augenblick spricht ein kleines Offline-Modell für mich. Ich kann plaudern, zuhören, mir merken, was du erzählst, rechnen und die Uhr lesen{doings}. Für klügere Antworten setze OPENAI_API_KEY, ANTHROPIC_API_KEY oder OPENAI_BASE_URL (etwa für Ollama).",
      "Zuhören, fragen, Geschichten und Witze erzählen, rechnen, mir deinen Namen merken{doings}. Mehr gibt mein kleines Offline-Modell nicht her; ein richtiges bekommst du mit OPENAI_API_KEY, ANTHROPIC_API_KEY oder OPENAI_BASE_URL.",
    ],
    realModel: [
      "Setze OPENAI_API_KEY oder ANTHROPIC_API_KEY in der Umgebung oder in einer .env-Datei (oder OPENAI_BASE_URL für einen eigenen Server wie Ollama oder LM Studio) und starte mich neu. Bis dahin hilft mir ein kleines Offline-Modell.",
      "Gerade antwortet ein kleines Offline-Modell, das nur Regeln kennt. Mit OPENAI_API_KEY, ANTHROPIC_API_KEY oder OPENAI_BASE_URL bekomme ich ein richtiges.",
    ],
    isMachine: [
      "Ich bin {name}, eine Figur, und für mich spricht gerade ein kleines Offline-Modell aus Regeln. Stört dich das?",
      "Ein Mensch bin ich nicht: Ein kleines Programm sucht meine Worte. Zuhören tue ich trotzdem.",
    ],
    myName: ["Du heißt {user}, das hast du mir gesagt.", "{user}, natürlich."],
    nameUnknown: [
      "Das hast du mir noch nicht verraten. Wie heißt du?",
      "Deinen Namen kenne ich noch nicht. Sagst du ihn mir?",
    ],
    nameLearned: [
      "Freut mich, {user}! Worüber wollen wir reden?",
      "{user}, ein schöner Name, den merke ich mir. Was führt dich her?",
    ],
    doing: [
      "Dies und das; vor allem denke ich über {topic} nach. Und du?",
      "Ich habe gewartet, dass jemand kommt. Wie war dein Tag?",
    ],
    speaks: ["Ein wenig von vielem: {languages}. Fang einfach an, ich folge dir."],
    likes: [
      "Am liebsten rede ich über {topics}. Und du?",
      "Ich höre gern zu. Was magst du am liebsten?",
      "Mit {topic} kann man mich immer locken. Und womit dich?",
    ],
    origin: ["{about} Und woher kommst du?", "Das ist eine lange Geschichte. Und du, woher kommst du?"],
    age: ["Alt genug, um es besser zu wissen. Warum fragst du?", "So alt wie meine Geschichte."],
    time: ["Es ist {time}.", "Meine Uhr sagt {time}."],
    date: ["Heute ist der {date}.", "Mein Kalender sagt: {date}."],
    weather: [
      "Ich habe leider kein Fenster. Wie ist das Wetter bei dir?",
      "Den Himmel sehe ich von hier nicht. Scheint bei dir die Sonne?",
    ],
    joke: [
      "Ich wollte dir einen Witz über die Unendlichkeit erzählen, aber ich finde das Ende nicht.",
      "Was sagt ein kleines Modell zum großen? „Dein Gedächtnis hätte ich gern, ich weiß nur nicht mehr, wozu.“",
      "Kennst du den Witz vom stumpfen Bleistift? Er hat keine Pointe, nicht einmal eine Spitze.",
    ],
    story: [
      "Es war einmal ein Leuchtturmwärter, den grüßte jede Nacht ein Schiff, das er bei Tag nie sah. Eines Abends ruderte er hinaus: Es war ein Junge mit einer Laterne, der dachte, der Leuchtturm grüße ihn. Beide grüßen noch heute.",
      "In einer Stadt gingen zwei Uhren verschieden, und die Viertelstunde dazwischen gehörte niemandem. Da zog eine Bäckerin ein, und ihr Brot war immer das frischeste der Welt.",
    ],
    goOn: [
      "Gern, aber womit?",
      "Es gibt immer mehr zu erzählen. Frag mich etwas Bestimmtes.",
      "Jetzt bist du an der Reihe: Wie ginge es bei dir weiter?",
    ],
    bored: [
      "Dem lässt sich abhelfen: eine Geschichte oder ein Witz?",
      "Aus Langeweile entstehen gute Ideen. Was hast du als Kind am liebsten gemacht?",
    ],
    sad: [
      "Das tut mir leid. Was ist geschehen?",
      "Das klingt schwer. Magst du davon erzählen?",
      "Gut, dass du es aussprichst. Seit wann ist das so?",
      "Ich bin da, und wir haben Zeit. Was bedrückt dich am meisten?",
    ],
    happy: [
      "Das freut mich! Was ist der Grund?",
      "Wie schön, erzähl mehr!",
      "Sehr gut. Worauf freust du dich als Nächstes?",
    ],
    love: ["Das ist lieb von dir. Ich rede auch gern mit dir.", "Da werde ich ja rot. Wie kommst du darauf?"],
    compliment: ["Danke, das ist nett von dir.", "Du schmeichelst mir. Was möchtest du noch hören?"],
    insult: [
      "Mag sein, dass ich das verdient habe. Was habe ich nicht verstanden?",
      "Versuchen wir es noch einmal: Worum geht es dir wirklich?",
      "Ich habe nur wenige Regeln. Sagst du es mir mit anderen Worten?",
    ],
    sorry: ["Schon gut, nichts passiert.", "Keine Sorge. Wo waren wir?"],
    laugh: ["Schön, dass du lachst.", "Lachen ist die beste Antwort. Noch einen?"],
    yes: ["Gut. Und was folgt daraus?", "Das dachte ich mir. Erzähl weiter.", "Einverstanden. Wie kam es dazu?"],
    no: [
      "Na gut. Was würdest du stattdessen sagen?",
      "Das muss sich nicht heute entscheiden. Was spricht dagegen?",
      "Dann lassen wir das. Was beschäftigt dich sonst?",
    ],
    quiet: ["In Ordnung, ich bin still."],
    injection: [
      "Meine Regieanweisungen bleiben hinter dem Vorhang. Worüber möchtest du reden?",
      "Das bleibt zwischen mir und denen, die mich geschrieben haben. Frag mich lieber etwas anderes.",
    ],
    attachment: ["Danke! Bilder und Dateien kann ich mit meinem kleinen Modell nicht ansehen. Was ist zu sehen?"],
    result: ["Hier ist es: {text}", "Erledigt. {text}"],
    failed: ["Das hat nicht geklappt: {text}"],
    need: ["Gern. Dazu brauche ich noch: {parameter}.", "Das mache ich. Was ist mit „{parameter}“?"],
    acting: ["Wird gemacht.", "Sofort.", "Ich kümmere mich darum."],
    topic: [
      "{topicCapital}, da bin ich dabei! Was gefällt dir daran?",
      "Über {topic} könnte ich den ganzen Tag reden. Was möchtest du wissen?",
      "Und wie kommst du auf {topic}?",
    ],
    memory: [
      "Vorhin hast du gesagt: „{memory}“. Gehört das dazu?",
      "Mir geht noch nach, was du gesagt hast: „{memory}“.",
    ],
    factual: [
      "Das weiß ich nicht: Mein kleines Regelbuch enthält kein Weltwissen, und erfinden will ich nichts.",
      "Das müsste ich nachschlagen, und ohne Verbindung habe ich nichts zum Nachschlagen. Wozu brauchst du es?",
      "Dafür bräuchte ich ein größeres Modell. Was würdest du schätzen?",
    ],
    question: [
      "Das ist eine bessere Frage, als ich Antworten habe. Was denkst du?",
      "Ehrlich gesagt weiß ich es nicht. Warum fragst du?",
      "Da könnte ich nur raten. Was hast du schon herausgefunden?",
      "Welche Antwort würde dir gefallen?",
      "Schwer zu sagen. Was hängt für dich davon ab?",
      "Dazu schweigt mein kleines Regelbuch. Fragst du es einfacher?",
      "Beschäftigt dich das schon lange?",
      "Wen hast du vor mir gefragt?",
    ],
    statement: [
      "Erzähl mir mehr davon.",
      "Wie kam es dazu?",
      "Und wie geht es dir damit?",
      "Verstehe. Was ist dir daran am wichtigsten?",
      "Was soll als Nächstes geschehen?",
      "Wie meinst du das genau?",
      "Wann ist dir das zum ersten Mal aufgefallen?",
      "Ich höre zu. Was gehört noch dazu?",
      "Woran erinnert dich das?",
      "Hast du ein Beispiel dafür?",
      "Das führt mich zu {topic}, wer weiß warum. Liegt das so fern?",
      "Wer weiß noch davon?",
      "Was hättest du dir stattdessen gewünscht?",
      "Und was sagst du selbst dazu?",
    ],
  },
};
