/** A text this long says enough to be looked for wherever it may stand; a shorter one could be anybody's. */
export const longTextLength = 16;
const pieceLength = 64;
/** A name this long is looked for as a word; a shorter one only where a message says who wrote it. */
const longNameLength = 5;
const filterSize = 1 << 16;

/** Whether a text holds one of those that are looked for, however it is written down: in a prompt, in JSON, or as it is. */
export type Mentions = (text: string) => boolean;

/** Looks for long texts, or 64 characters of them, and for names. */
export function createMentions(texts: Iterable<string>, names: Iterable<string>): Mentions {
  const find = createFind([...texts].flatMap((text) => piecesOf(text.trim())));
  const called = [...names].filter((name) => name !== "");
  const writers = called.map((name) => `from="${name}"`);
  const words = called.filter((name) => name.length >= longNameLength).map(wordPattern);
  const holds = (text: string): boolean =>
    find(text) || writers.some((writer) => text.includes(writer)) || words.some((word) => word.test(text));
  return (text) => {
    if (holds(text)) return true;
    if (text.includes("&lt;") && holds(text.replaceAll("&lt;", "<"))) return true;
    return text.includes("\\") && holds(withoutEscapes(text));
  };
}

type Piece = {
  readonly text: string;
  /** Whether it is where the whole begins or ends: a word that goes on there makes it another text. */
  readonly isStart: boolean;
  readonly isEnd: boolean;
};

/** Whether a text names one of these ids. */
export function createNaming(ids: Iterable<string>): Mentions {
  const long: Piece[] = [];
  const short = new Set<string>();
  for (const id of ids) {
    if (id.length >= longTextLength) long.push({ text: id, isStart: false, isEnd: false });
    else if (id !== "") short.add(id);
  }
  const find = createFind(long);
  return (text) => find(text) || (short.size > 0 && text.split(/[^\p{L}\p{N}_-]+/u).some((word) => short.has(word)));
}

/** A long text in pieces, so that one that was shortened or quoted is found as well. */
function piecesOf(text: string): readonly Piece[] {
  if (text.length < longTextLength) return [];
  const count = Math.max(1, Math.floor(text.length / pieceLength));
  return Array.from({ length: count }, (_, at) => ({
    text: text.slice(at * pieceLength, (at + 1) * pieceLength),
    isStart: at === 0,
    isEnd: (at + 1) * pieceLength >= text.length,
  }));
}

/** Scripts in which a word ends where a letter is followed by none. */
const joining = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u;

function isWhole(within: string, from: number, { text, isStart, isEnd }: Piece): boolean {
  const end = from + text.length;
  const goesOn = (left: string | undefined, right: string | undefined): boolean =>
    joining.test(left ?? "") && joining.test(right ?? "");
  return !(isStart && goesOn(within[from - 1], text[0])) && !(isEnd && goesOn(text.at(-1), within[end]));
}

/** Finds any of many texts in one pass: where the sum of so many characters is that of a beginning, it is looked at closely. */
function createFind(pieces: readonly Piece[]): Mentions {
  const bySum = new Map<number, Piece[]>();
  const filter = new Uint8Array(filterSize);
  for (const piece of pieces) {
    let sum = 0;
    for (let at = 0; at < longTextLength; at++) sum = (Math.imul(sum, 31) + piece.text.charCodeAt(at)) | 0;
    const same = bySum.get(sum) ?? [];
    if (!same.some(({ text }) => text === piece.text)) bySum.set(sum, [...same, piece]);
    filter[sum & (filterSize - 1)] = 1;
  }
  let highest = 1;
  for (let at = 0; at < longTextLength; at++) highest = Math.imul(highest, 31);
  return (text) => {
    if (bySum.size === 0 || text.length < longTextLength) return false;
    let sum = 0;
    for (let at = 0; at < text.length; at++) {
      sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
      const from = at - longTextLength + 1;
      if (from > 0) sum = (sum - Math.imul(highest, text.charCodeAt(from - 1))) | 0;
      if (from < 0 || filter[sum & (filterSize - 1)] === 0) continue;
      if (bySum.get(sum)?.some((piece) => text.startsWith(piece.text, from) && isWhole(text, from, piece))) return true;
    }
    return false;
  };
}

function wordPattern(name: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(name)}(?![\\p{L}\\p{N}])`, "u");
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

function withoutEscapes(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gsu, (_, code: string | undefined, sign: string) =>
    code === undefined ? (escapes[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
