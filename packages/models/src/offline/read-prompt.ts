import type { PromptMessage } from "@troupe/core";
import { type CharacterSheet, isRecord, parseJson, readCharacter, unescapeText } from "./read-character.ts";

/** One line of the conversation. `speaker` is empty when the prompt does not name one. */
export type Turn = { readonly isAgent: boolean; readonly speaker: string; readonly text: string };

/** What an action of this run came to. */
type ShownResult = { readonly action: string; readonly isSuccess: boolean; readonly text: string };

/** Which answer the prompt asks for: a reply, whether to speak, or yes or no. */
type Asked = "reply" | "decision" | "yes-no";

/** A prompt as the offline model understands it. `now` is the prompt's own clock, e.g. "Friday, 2026-11-20 18:30 UTC". */
export type ReadPrompt = {
  readonly character: CharacterSheet;
  readonly turns: readonly Turn[];
  readonly now: string | undefined;
  readonly results: readonly ShownResult[];
  readonly notes: readonly string[];
  /** What was noted about who speaks. */
  readonly facts: readonly string[];
  readonly asked: Asked;
};

type Blocks = { readonly messages: readonly Turn[]; readonly outside: string };

const openTag = '<message from="';
const closeTag = "</message>";
const longestOutside = 60_000;

/** Reads a prompt. `readSheet` reads the system message (the caller may keep what it gives). Nothing makes it throw. */
export function readPrompt(
  messages: readonly PromptMessage[],
  readSheet: (system: string | undefined) => CharacterSheet = readCharacter,
): ReadPrompt {
  const sheet = readSheet(messages.find((message) => message.role === "system")?.content);
  const isTagged = messages.some((message) => message.role === "user" && message.content.includes(openTag));
  const turns: Turn[] = [];
  let outside = "";
  for (const message of messages) {
    if (message.role === "assistant") {
      const text = spokenText(message.content);
      if (text !== "") turns.push({ isAgent: true, speaker: "", text });
      outside = "";
    } else if (message.role === "user") {
      const blocks = isTagged ? splitBlocks(message.content) : splitBareText(message.content);
      turns.push(...blocks.messages);
      outside += `\n${blocks.outside}`;
    }
  }
  outside = outside.slice(-longestOutside);
  const name = sheet.name === "" ? (/\bshould ([^\n]{1,80}?) answer\b/i.exec(outside)?.[1] ?? "") : sheet.name;
  const block = (name: string): string | undefined => between(outside, `<${name}>`, `</${name}>`);
  const facts = bulletLines(block("facts"));
  return {
    character: name === sheet.name ? sheet : { ...sheet, name },
    turns: turns.map((turn) => (turn.speaker !== "" && turn.speaker === name ? { ...turn, isAgent: true } : turn)),
    now: block("now")?.trim(),
    results: readResults(block("results")),
    facts,
    notes: [...["knowledge", "memories", "documents"].flatMap((name) => noteLines(block(name))), ...facts],
    asked: readAsked(outside),
  };
}

function splitBlocks(content: string): Blocks {
  const messages: Turn[] = [];
  let outside = "";
  let place = 0;
  for (;;) {
    const open = content.indexOf(openTag, place);
    if (open < 0) break;
    outside += content.slice(place, Math.min(open, place + longestOutside));
    const nameEnd = content.indexOf('">', open + openTag.length);
    if (nameEnd < 0) break;
    const close = content.indexOf(closeTag, nameEnd);
    const end = close < 0 ? content.length : close;
    const speaker = unescapeText(content.slice(open + openTag.length, Math.min(nameEnd, open + 200)));
    messages.push({ isAgent: false, speaker, text: unescapeText(content.slice(nameEnd + 2, end)) });
    place = close < 0 ? content.length : close + closeTag.length;
  }
  return { messages, outside: outside + content.slice(place, place + longestOutside) };
}

/** A message of a prompt without speakers: everything before the blocks the engine appends. */
function splitBareText(content: string): Blocks {
  const starts = ["<now>", "<results>"].map((tag) => content.lastIndexOf(tag)).filter((place) => place >= 0);
  const cut = starts.length === 0 ? content.length : Math.min(...starts);
  const text = content.slice(0, cut).trim();
  const isQuestionOfEngine = readAsked(text.slice(-2_000)) !== "reply";
  const outside = isQuestionOfEngine ? content.slice(-longestOutside) : content.slice(cut, cut + longestOutside);
  return { messages: text === "" || isQuestionOfEngine ? [] : [{ isAgent: false, speaker: "", text }], outside };
}

function readAsked(outside: string): Asked {
  if (/answer with[^\n]{0,60}\[RESPOND\]/i.test(outside)) return "decision";
  return /answer with[^\n]{0,60}\[YES\]/i.test(outside) ? "yes-no" : "reply";
}

function between(text: string, open: string, close: string): string | undefined {
  const start = text.lastIndexOf(open);
  if (start < 0) return undefined;
  const end = text.indexOf(close, start);
  return text.slice(start + open.length, end < 0 ? undefined : end);
}

function noteLines(text: string | undefined): readonly string[] {
  return (text ?? "")
    .split("\n")
    .map((line) => unescapeText(line.replace(/^\s*[-*•]\s+/, "").trim()))
    .filter((line) => line !== "" && !line.startsWith("<") && line.length <= 600)
    .slice(0, 40);
}

/** The lines of a list; what stands around it is no part of it. */
function bulletLines(text: string | undefined): readonly string[] {
  return noteLines((text ?? "").replace(/^(?!\s*[-*•]\s).*$/gmu, ""));
}

function readResults(text: string | undefined): readonly ShownResult[] {
  return (text ?? "").split("\n").flatMap((line) => {
    const value = parseJson(unescapeText(line.trim()));
    if (!isRecord(value) || typeof value["action"] !== "string") return [];
    const said = [value["text"], value["error"]].find((part) => typeof part === "string") ?? "";
    return [{ action: value["action"], isSuccess: value["success"] !== false, text: said }];
  });
}

/** The agent's earlier text; an answer that was kept with its wrapping loses it. */
function spokenText(content: string): string {
  const text = content.trim();
  if (!text.startsWith("{")) return text;
  const value = parseJson(text);
  return isRecord(value) && typeof value["text"] === "string" ? value["text"] : text;
}
