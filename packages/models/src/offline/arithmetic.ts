const operators: Readonly<Record<string, string>> = {
  plus: "+",
  minus: "-",
  times: "*",
  "multiplied by": "*",
  "divided by": "/",
  over: "/",
  mal: "*",
  durch: "/",
  fois: "*",
  por: "*",
  per: "*",
  keer: "*",
  çarpı: "*",
  artı: "+",
  eksi: "-",
  умножить: "*",
  плюс: "+",
  минус: "-",
};
const expressionLength = 60;

/** The sum in a message and its value ("what is 12 * 7?" → 12 * 7 = 84); undefined when there is none. */
export function findSum(text: string): { readonly sum: string; readonly value: string } | undefined {
  let sample = text.slice(0, 200).toLowerCase();
  if (!/\d/.test(sample)) return undefined;
  for (const [word, sign] of Object.entries(operators)) sample = sample.replaceAll(` ${word} `, ` ${sign} `);
  const share = /(\d{1,9}(?:\.\d{1,9})?) ?% (?:of|von|de|di|van) (\d{1,12}(?:\.\d{1,9})?)/.exec(sample);
  if (share !== null) return { sum: share[0], value: formatNumber((Number(share[1]) / 100) * Number(share[2])) };
  sample = sample
    .replace(/(\d) *[x×] *(?=\d)/g, "$1 * ")
    .replaceAll("÷", "/")
    .replaceAll(":", "/")
    .replaceAll("−", "-")
    .replaceAll("^", "**");
  const found = /[-(]*\d[\d.,+\-*/() ]*[\d)]/.exec(sample)?.[0].trim();
  if (found === undefined || found.length > expressionLength || !/[\d)] *[-+*/]{1,2} *[-(]*\d/.test(found))
    return undefined;
  // 2026-11-20, 18:30 and 555-1234 are no sums; a minus, a slash or a colon between digits needs air or a question.
  if (
    /^\d+(?:[-/]\d+)+$/.test(found) &&
    !/(?:what|how much|=|\?|calculate|was ist|wie viel|combien|cuánto)/.test(text.toLowerCase())
  )
    return undefined;
  const value = evaluate(found.replaceAll(",", "."));
  return value === undefined ? undefined : { sum: found.replaceAll("**", "^"), value: formatNumber(value) };
}

function formatNumber(value: number): string {
  return Math.abs(value) < 1e15 ? String(Number(value.toPrecision(12))) : value.toExponential(6);
}

type Cursor = { readonly tokens: readonly string[]; place: number };

function evaluate(expression: string): number | undefined {
  const tokens = expression.match(/\d+(?:\.\d+)?|\*\*|[-+*/()]/g) ?? [];
  const cursor: Cursor = { tokens, place: 0 };
  const value = readTerms(cursor);
  return cursor.place === tokens.length && Number.isFinite(value) ? value : undefined;
}

function readTerms(cursor: Cursor): number {
  let value = readFactors(cursor);
  for (;;) {
    const sign = cursor.tokens[cursor.place];
    if (sign !== "+" && sign !== "-") return value;
    cursor.place += 1;
    const next = readFactors(cursor);
    value = sign === "+" ? value + next : value - next;
  }
}

function readFactors(cursor: Cursor): number {
  let value = readPower(cursor);
  for (;;) {
    const sign = cursor.tokens[cursor.place];
    if (sign !== "*" && sign !== "/") return value;
    cursor.place += 1;
    const next = readPower(cursor);
    value = sign === "*" ? value * next : value / next;
  }
}

function readPower(cursor: Cursor): number {
  const value = readNumber(cursor);
  if (cursor.tokens[cursor.place] !== "**") return value;
  cursor.place += 1;
  return value ** readPower(cursor);
}

function readNumber(cursor: Cursor): number {
  const token = cursor.tokens[cursor.place];
  cursor.place += 1;
  if (token === "-") return -readNumber(cursor);
  if (token === "(") {
    const value = readTerms(cursor);
    if (cursor.tokens[cursor.place] !== ")") return Number.NaN;
    cursor.place += 1;
    return value;
  }
  return token === undefined ? Number.NaN : Number(token);
}
