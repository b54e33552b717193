import type { RegisteredAction } from "../action/action.ts";
import { commandName } from "../action/action-command.ts";
import type { RunnableAction } from "../action/executable-call.ts";
import { createActionResolver, normalizeActionName } from "../action/resolve-action.ts";
import type { Command } from "../client/client-parts.ts";
import type { JsonObject } from "../json.ts";

/** Commands that are words to the model: a question, and a choice made by pressing a button, unless an action takes choices. */
const forModel = ["ask", "choose"] as const;

const ask: Command = {
  name: "ask",
  description: "Ask a question.",
  parameters: [{ name: "question", description: "What you want to know", required: true, schema: { type: "string" } }],
};

const longestDescription = 100;

/** What people may ask for by name: to be answered, and every action that is offered so, in the order of registration. */
export function commandList(actions: readonly RegisteredAction[]): readonly Command[] {
  const offered = commandActions(actions).map(({ action, name }) => ({
    name,
    description: firstSentence(action.description),
    parameters: action.parameters ?? [],
  }));
  return [ask, ...offered];
}

/** The action a command means: by the name it has as a command, else by its own name or a simile; null when there is none. */
export function resolveCommand(actions: readonly RegisteredAction[], name: string): RunnableAction | null {
  const resolve = createActionResolver(
    commandActions(actions).map(({ action, name: asked }) => ({
      name: asked,
      similes: [action.name, ...action.similes],
      action,
    })),
  );
  return resolve(name)?.action ?? null;
}

/** Whether the words that come with a command are an ordinary message to the model. */
export function isForModel(name: string): boolean {
  return forModel.some((known) => known === normalizeActionName(name));
}

/** What an action is called with: a bare text, as platforms without named parameters send it, is its first parameter. */
export function commandParameters({ parameters = [] }: RegisteredAction, given: JsonObject): JsonObject {
  const { text, ...others } = given;
  const first = parameters.find(({ required }) => required === true) ?? parameters[0];
  const isBare = text !== undefined && Object.keys(others).length === 0;
  if (!isBare || !first || parameters.some(({ name }) => name === "text")) return given;
  return text === "" ? {} : { [first.name]: text };
}

function commandActions(
  actions: readonly RegisteredAction[],
): readonly { readonly name: string; readonly action: RunnableAction }[] {
  return actions.flatMap((action) => {
    const name = commandName(action);
    return name === null || "control" in action ? [] : [{ name, action }];
  });
}

/** A command's description stands on one line, where there is little room. */
function firstSentence(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  const sentence = /^.+?[.!?](?= |$)/u.exec(line)?.[0] ?? line;
  const characters = [...sentence];
  if (characters.length <= longestDescription) return sentence;
  return `${characters
    .slice(0, longestDescription - 1)
    .join("")
    .trimEnd()}…`;
}
