import { decodeWithForm } from "../format/decoder.ts";

const decisions = new Map<string, "respond" | "ignore" | "stop">([
  ["RESPOND", "respond"],
  ["IGNORE", "ignore"],
  ["STOP", "stop"],
]);

const answers = new Map([
  ["YES", true],
  ["NO", false],
]);

/**
 * What a model answered to "should the agent speak?". The first bracketed keyword counts, without one the first word;
 * an answer in JSON or tags counts by its action, then by its text. Null when it cannot be read: the caller ignores.
 */
export function decideFromText(raw: string): "respond" | "ignore" | "stop" | null {
  return readVerdict(raw, decisions);
}

/** What a model answered to a yes/no question, read as by `decideFromText`; null when it cannot be read. */
export function answerFromText(raw: string): boolean | null {
  return readVerdict(raw, answers);
}

function readVerdict<T>(raw: string, verdicts: ReadonlyMap<string, T>): T | null {
  const { response, form } = decodeWithForm(raw, { agentName: "" });
  if (form === "plain") return readPlain(withoutThinking(raw), verdicts);
  for (const word of [...response.actions.map((action) => action.name.toUpperCase()), ...response.keywords]) {
    const verdict = verdicts.get(word);
    if (verdict !== undefined) return verdict;
  }
  return readPlain(response.text, verdicts);
}

function readPlain<T>(text: string, verdicts: ReadonlyMap<string, T>): T | null {
  for (const [, word = ""] of text.matchAll(/\[[ \t]{0,16}([A-Za-z]{1,16})[ \t]{0,16}\](?!\()/g)) {
    const verdict = verdicts.get(word.toUpperCase());
    if (verdict !== undefined) return verdict;
  }
  return verdicts.get(firstWord(text).toUpperCase()) ?? null;
}

/** The first word, without the fence, quotes or emphasis around it; empty when the text is data. */
function firstWord(text: string): string {
  const start = text.trimStart();
  if (/^[{<[]/.test(start)) return "";
  const content = start.replace(/^`{3,}\w*[ \t]*\r?\n/, "");
  return /^[^\p{L}\p{N}]*([\p{L}\p{N}](?:[\p{L}\p{N}_'’-]*[\p{L}\p{N}])?)/u.exec(content)?.[1] ?? "";
}

/** A model's thinking is no answer; a closing tag that was never opened ends thinking too. */
function withoutThinking(raw: string): string {
  const text = raw.replace(/<(think|thinking|thought|reasoning)(?:\s[^<>]*)?>[\s\S]*?(?:<\/\1\s*>|$)/gi, "");
  const strays = [...text.matchAll(/<\/(?:think|thinking|thought|reasoning)>/gi)];
  const last = strays.at(-1);
  return last === undefined ? text : text.slice(last.index + last[0].length);
}
