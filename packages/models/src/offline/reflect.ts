const englishPairs: Readonly<Record<string, string>> = {
  i: "you",
  me: "you",
  my: "your",
  mine: "yours",
  myself: "yourself",
  am: "are",
  "i'm": "you're",
  "i've": "you've",
  "i'd": "you'd",
  "i'll": "you'll",
  your: "my",
  yours: "mine",
  yourself: "myself",
  "you're": "I'm",
  "you've": "I've",
  "you'd": "I'd",
  "you'll": "I'll",
  we: "you",
  us: "you",
  our: "your",
  ours: "yours",
};

const germanPairs: Readonly<Record<string, string>> = {
  ich: "du",
  mich: "dich",
  mir: "dir",
  mein: "dein",
  meine: "deine",
  meinen: "deinen",
  meinem: "deinem",
  meiner: "deiner",
  meines: "deines",
  bin: "bist",
  du: "ich",
  dich: "mich",
  dir: "mir",
  dein: "mein",
  deine: "meine",
  deinen: "meinen",
  deinem: "meinem",
  deiner: "meiner",
  bist: "bin",
  wir: "ihr",
  uns: "euch",
  unser: "euer",
  unsere: "eure",
};

/** After one of these an English "you" is spoken of, not speaking: "I miss you" becomes "you miss me". */
const objectBefore = new Set(
  "to for with at by from of about on than like love loves hate hates miss need needs want wants see know help tell ask give show thank told asked gave made make makes let trust understand believe hear call called".split(
    " ",
  ),
);

/** Turns a speaker's words around, English: "my brother and I" → "your brother and you". */
export function reflectEnglish(words: string): string {
  const parts = words.replaceAll("’", "'").split(" ");
  const reflected = parts.map((part, index) => {
    const { core, tail } = splitTail(part);
    const lower = core.toLowerCase();
    const before = splitTail(parts[index - 1] ?? "").core.toLowerCase();
    if (lower === "you") return `${isObject(before, parts, index) ? "me" : "I"}${tail}`;
    if (lower === "are" && before === "you") return `am${tail}`;
    if (lower === "were" && before === "you") return `was${tail}`;
    if (lower === "was" && before === "i") return `were${tail}`;
    return (Object.hasOwn(englishPairs, lower) ? (englishPairs[lower] ?? core) : core) + tail;
  });
  return reflected.join(" ");
}

function isObject(before: string, parts: readonly string[], index: number): boolean {
  return objectBefore.has(before) || (index > 0 && index === parts.length - 1);
}

/** Turns a speaker's words around, German: "meine Schwester mag mich" → "deine Schwester mag dich". */
export function reflectGerman(words: string): string {
  const reflected = words.split(" ").map((part) => {
    const { core, tail } = splitTail(part);
    const lower = core.toLowerCase();
    return (Object.hasOwn(germanPairs, lower) ? (germanPairs[lower] ?? core) : core) + tail;
  });
  return reflected.join(" ");
}

function splitTail(part: string): { core: string; tail: string } {
  let end = part.length;
  while (end > 0 && ",;:.!?".includes(part[end - 1] ?? " ")) end -= 1;
  return { core: part.slice(0, end), tail: part.slice(end) };
}

const germanVerbs: Readonly<Record<string, string>> = {
  bin: "bist",
  habe: "hast",
  hab: "hast",
  will: "willst",
  möchte: "möchtest",
  kann: "kannst",
  muss: "musst",
  soll: "sollst",
  darf: "darfst",
  mag: "magst",
  weiß: "weißt",
  werde: "wirst",
  würde: "würdest",
  hätte: "hättest",
  wäre: "wärst",
  könnte: "könntest",
  war: "warst",
  hatte: "hattest",
  wollte: "wolltest",
  konnte: "konntest",
  musste: "musstest",
  esse: "isst",
  lese: "liest",
  sehe: "siehst",
  spreche: "sprichst",
  treffe: "triffst",
  vergesse: "vergisst",
  helfe: "hilfst",
  nehme: "nimmst",
  gebe: "gibst",
  schlafe: "schläfst",
  fahre: "fährst",
  laufe: "läufst",
  trage: "trägst",
  fühle: "fühlst",
  ging: "gingst",
  kam: "kamst",
  sah: "sahst",
  fand: "fandest",
};

/** The "du" form of a German verb that stood with "ich"; undefined when it cannot be told safely. */
export function germanYouForm(verb: string): string | undefined {
  if (Object.hasOwn(germanVerbs, verb)) return germanVerbs[verb];
  if (!/^\p{L}{2,20}e$/u.test(verb)) return undefined;
  const stem = verb.slice(0, -1);
  if (/(?:[td]|[^aeiouäöülrhm][mn])$/u.test(stem)) return `${stem}est`;
  return /[sßxz]$/u.test(stem) ? `${stem}t` : `${stem}st`;
}
