import type { ModelRequest } from "@troupe/core";
import { composeReply } from "./answer.ts";
import { decideScene } from "./decide.ts";
import { encodeAnswer } from "./encode-answer.ts";
import { type PreparedCharacter, prepareCharacter } from "./prepare-character.ts";
import { readCharacter } from "./read-character.ts";
import { readPrompt } from "./read-prompt.ts";
import { setScene } from "./scene.ts";

const sheetsKept = 16;

/** The whole answer to a request: a reply in the form the prompt asks for, or a decision. Keeps characters it has read in `prepared`. */
export function answerPrompt(request: ModelRequest, prepared: Map<string, PreparedCharacter>): string {
  const system = request.messages.find((message) => message.role === "system")?.content;
  const self = preparedFor(system, prepared);
  const prompt = readPrompt(request.messages, () => self.sheet);
  const scene = setScene(prompt, self);
  switch (prompt.asked) {
    case "decision":
      return decideScene(scene);
    case "yes-no":
      return "[NO]";
    case "reply":
      return encodeAnswer(composeReply(scene), self.sheet.format);
  }
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
