import type { ModelRequest, ModelTool } from "@troupe/core";
import { composeReply } from "./answer.ts";
import { decideScene } from "./decide.ts";
import { type AnswerAction, encodeAnswer } from "./encode-answer.ts";
import { type PreparedCharacter, prepareCharacter } from "./prepare-character.ts";
import { readCharacter, toParameterSchema } from "./read-character.ts";
import { readPrompt } from "./read-prompt.ts";
import { setScene } from "./scene.ts";
import { answerSideWork } from "./side-work.ts";

const sheetsKept = 16;

/** A whole answer: what is written, and the offered tools that are called. */
export type OfflineAnswer = { readonly text: string; readonly calls: readonly AnswerAction[] };

/** The whole answer to a request: a reply in the form the prompt asks for, a decision, or what is asked beside the conversation. Keeps characters it has read in `prepared`. */
export function answerPrompt(request: ModelRequest, prepared: Map<string, PreparedCharacter>): OfflineAnswer {
  const sideWork = answerSideWork(request.messages);
  if (sideWork !== undefined) return { text: sideWork, calls: [] };
  const system = request.messages.find((message) => message.role === "system")?.content;
  const known = preparedFor(system, prepared);
  const tools = request.tools ?? [];
  const self = tools.length > 0 ? equip(known, tools) : known;
  const prompt = readPrompt(request.messages, () => self.sheet);
  const scene = setScene(prompt, self);
  switch (prompt.asked) {
    case "decision":
      return { text: decideScene(scene), calls: [] };
    case "yes-no":
      return { text: "[NO]", calls: [] };
    case "reply": {
      const answer = composeReply(scene);
      if (tools.length === 0) return { text: encodeAnswer(answer, self.sheet.format), calls: [] };
      const calls = answer.actions.filter(({ name }) => tools.some((tool) => tool.name === name));
      return { text: encodeAnswer({ ...answer, actions: [] }, "text"), calls };
    }
  }
}

/** The character with these tools to act by; what the prompt lists of an action beside is kept. */
function equip(self: PreparedCharacter, tools: readonly ModelTool[]): PreparedCharacter {
  const actions = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    similes: self.sheet.actions.find((action) => action.name === name)?.similes ?? [],
    schema: toParameterSchema(parameters),
  }));
  // Any form in which there are actions; the answer itself is written as plain text.
  return { ...self, sheet: { ...self.sheet, actions, format: "json" } };
}

/** The stable part of a prompt is the same text in every call of an agent, so it is read once. */
function preparedFor(system: string | undefined, prepared: Map<string, PreparedCharacter>): PreparedCharacter {
  const key = system ?? "";
  const known = system === undefined ? undefined : prepared.get(key);
  if (known !== undefined) return known;
  const fresh = prepareCharacter(readCharacter(system));
  if (system === undefined || system.length > 200_000) return fresh;
  const oldest = prepared.keys().next().value;
  if (prepared.size >= sheetsKept && oldest !== undefined) prepared.delete(oldest);
  prepared.set(key, fresh);
  return fresh;
}
