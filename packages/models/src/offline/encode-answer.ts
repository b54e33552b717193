import type { JsonObject } from "@troupe/core";
import type { AnswerFormat } from "./read-character.ts";

/** One action an answer calls. */
export type AnswerAction = { readonly name: string; readonly parameters?: JsonObject };

/** An answer before it is put into the prompt's format. */
export type Answer = { readonly thought: string; readonly actions: readonly AnswerAction[]; readonly text: string };

/** Bracketed words plain text can act by. */
const actingKeywords = new Set(["IGNORE", "STOP", "LIKE", "RETWEET", "QUOTE"]);

/** Writes an answer as the prompt asked for it, actions before the text, fit for the engine's decoder. */
export function encodeAnswer(answer: Answer, format: AnswerFormat): string {
  const text = withoutControl(answer.text);
  const actions = answer.actions;
  switch (format) {
    case "json":
      return `{"thought": ${JSON.stringify(answer.thought)}, "actions": [${actions.map(encodeJsonAction).join(", ")}], "text": ${JSON.stringify(text)}}`;
    case "xml":
      return `<response><thought>${escapeXml(answer.thought)}</thought>${encodeXmlActions(actions)}<text>${escapeXml(text)}</text></response>`;
    case "text": {
      const keywords = actions.filter(({ name }) => actingKeywords.has(name)).map(({ name }) => `[${name}]`);
      return [...keywords, text].filter((part) => part !== "").join(" ");
    }
  }
}

function encodeJsonAction({ name, parameters }: AnswerAction): string {
  return parameters === undefined ? JSON.stringify(name) : JSON.stringify({ name, parameters });
}

function encodeXmlActions(actions: readonly AnswerAction[]): string {
  const plain = actions.filter(({ parameters }) => parameters === undefined).map(({ name }) => name);
  const calls = actions
    .filter(({ parameters }) => parameters !== undefined)
    .map(
      ({ name, parameters }) =>
        `<action_call name="${escapeXml(name)}">${escapeJson(JSON.stringify(parameters))}</action_call>`,
    );
  return `${plain.length > 0 ? `<actions>${plain.join(", ")}</actions>` : ""}${calls.join("")}`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** JSON inside a tag: escaped in JSON's own way, so that it reads the same whether or not the tag's text is unescaped. */
function escapeJson(json: string): string {
  return json.replaceAll("&", "\\u0026").replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
}

/** A bracketed word in a reply would act; as words it may stand. */
function withoutControl(text: string): string {
  return text.toWellFormed().replace(/\[ *([\p{L}_ -]{1,40}?) *\]/gu, "$1");
}
