import { type DecodedResponse, decodeResponse, type ModelEvent, type PromptMessage } from "@troupe/core";
import { createOfflineModel } from "../offline-model.ts";

/** The actions every prompt of the engine offers. */
export const steeringLines = `- REPLY: Say the text. The usual answer.
- NONE: Say the text and do nothing else.
- CONTINUE: Say the text, then go on with a further message.
- IGNORE: Say nothing this time: nobody wants an answer.
- STOP: Say nothing here until addressed again: the talk is over, or you were asked to be quiet.`;

/** What the prompts of these tests are made of; each part may be left out. */
export type PromptParts = {
  readonly actions?: string;
  readonly answer?: string;
  readonly examples?: string;
  readonly style?: string;
};

const bio = `Mo is a clockmaker who repairs what others throw away.
He listens longer than he talks and drinks his coffee cold.`;

/** A system message as the engine builds it. */
export function systemText(parts: PromptParts = {}): string {
  const answer = parts.answer ?? "Answer with one JSON object and nothing else, its keys in this order:";
  return `You are Mo. Be kind.

# About Mo
${bio}

# Lore
- He once stopped the town hall clock for a sleeping owl.
- His first watch ran backwards for a year.

# Topics
clocks, owls, cold coffee

# Style
${parts.style ?? "- Plain words."}

# How Mo talks
${parts.examples ?? '<message from="Robin">Why do clocks tick?</message>\nMo: So that they do not get lonely.'}

# Actions
${steeringLines}${parts.actions === undefined ? "" : `\n${parts.actions}`}

# Answer
${answer}`;
}

/** One message of a person, as the engine writes it into a prompt. */
export function said(text: string, from = "Kim"): string {
  return `<message from="${from}">${text}</message>`;
}

/** The clock block a prompt ends with. */
export const nowBlock = "<now>Friday, 2026-11-20 18:30 UTC</now>";

/** Everything the model streams for some messages. */
export async function streamAll(messages: readonly PromptMessage[], chunkCharacters?: number): Promise<ModelEvent[]> {
  const model = createOfflineModel(chunkCharacters === undefined ? {} : { chunkCharacters });
  return collect(model.stream({ messages, signal: new AbortController().signal }));
}

/** All events of a stream, in order. */
export async function collect(stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The text of a whole stream. */
export function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

/** Talks line by line, with the model's own answers in the history, and gives the decoded answers. */
export async function talk(lines: readonly string[], system = systemText()): Promise<DecodedResponse[]> {
  const answers: DecodedResponse[] = [];
  const history: PromptMessage[] = [{ role: "system", content: system }];
  for (const line of lines) {
    const asked: PromptMessage = { role: "user", content: `${said(line)}\n${nowBlock}` };
    const answer = decodeResponse(textOf(await streamAll([...history, asked])), { agentName: "Mo" });
    answers.push(answer);
    history.push({ role: "user", content: said(line) }, { role: "assistant", content: answer.text });
  }
  return answers;
}

/** The last answer's text of a talk. */
export async function lastReply(lines: readonly string[], system = systemText()): Promise<string> {
  return (await talk(lines, system)).at(-1)?.text ?? "";
}
