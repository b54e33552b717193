import { z } from "zod";
import { ModelError, ValidationError } from "../errors.ts";
import { findJson } from "../format/find-json.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { LanguageModel, ModelEvent, ModelRequest, PromptMessage } from "../model/model.ts";
import type { ModelCost } from "../model/usage.ts";

/** A question whose answer is a JSON value. */
export type ObjectQuestion = Pick<ModelRequest, "messages" | "maxTokens" | "temperature" | "reasoning" | "signal"> & {
  /** A JSON Schema; the answer is checked against it. */
  readonly schema: JsonObject;
};

/**
 * Asks a language model for a JSON value by a schema. Models whose wire can be held to the schema are; all are told it in
 * words, and what they say is read tolerantly and checked. An answer that does not fit is sent back once with what is wrong.
 * `onAnswered` is told what each answer cost, a refused one too.
 * @throws ModelError; `unavailable` when the second answer does not fit either. ValidationError when the schema is none.
 */
export async function askForObject(
  model: LanguageModel,
  question: ObjectQuestion,
  onAnswered: (cost: ModelCost) => void = () => undefined,
): Promise<JsonValue> {
  const { schema, messages, ...limits } = question;
  const check = compile(schema);
  const asked = instructed(messages, schema);
  const first = await gather(model, { ...limits, messages: asked, responseSchema: schema }, onAnswered);
  const read = check(first.text);
  if (read.ok) return read.value;
  const corrected: readonly PromptMessage[] = [
    ...asked,
    { role: "assistant", content: first.text.trim() === "" ? "(nothing)" : first.text },
    {
      role: "user",
      content: `That cannot be used: ${read.problem}. Answer again with nothing but the corrected JSON.`,
    },
  ];
  const second = await gather(model, { ...limits, messages: corrected, responseSchema: schema }, onAnswered);
  const again = check(second.text);
  if (again.ok) return again.value;
  const why = second.isCut ? "the token limit cut it; raise maxTokens" : again.problem;
  throw new ModelError(
    "unavailable",
    `${second.model} answered twice with something that does not fit the schema (${why}); try again, or take another model`,
  );
}

type Answer = { readonly text: string; readonly isCut: boolean; readonly model: string };

async function gather(
  model: LanguageModel,
  request: ModelRequest,
  onAnswered: (cost: ModelCost) => void,
): Promise<Answer> {
  let text = "";
  let finish: Extract<ModelEvent, { type: "finish" }> | null = null;
  for await (const event of model.stream(request)) {
    if (event.type === "text") text += event.text;
    if (event.type === "finish") finish = event;
  }
  if (!finish) throw new ModelError("unavailable", `${model.id} broke off without an end; try again`);
  const { type: _type, reason, ...cost } = finish;
  onAnswered(cost);
  return { text, isCut: reason === "length", model: finish.model };
}

type Reading = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly problem: string };

function compile(schema: JsonObject): (text: string) => Reading {
  const checked = toZod(schema);
  return (text) => {
    const value = findJson(text);
    if (value === undefined) return { ok: false, problem: "it holds no JSON" };
    const parsed = checked.safeParse(value);
    // A JSON Schema neither changes nor adds anything that is not JSON.
    if (parsed.success) return { ok: true, value: parsed.data as JsonValue };
    const problems = parsed.error.issues
      .slice(0, 5)
      .map(({ path, message }) => `${path.length === 0 ? "the value" : path.map(String).join(".")}: ${message}`);
    return { ok: false, problem: problems.join("; ").slice(0, 1_000) };
  };
}

function toZod(schema: JsonObject): z.ZodType {
  try {
    return z.fromJSONSchema(schema);
  } catch (error) {
    throw new ValidationError("the schema of an object question is no JSON Schema that can be checked; correct it", {
      cause: error,
    });
  }
}

function instructed(messages: readonly PromptMessage[], schema: JsonObject): readonly PromptMessage[] {
  const { $schema: _version, ...shown } = schema;
  const words = `Answer with one JSON value and nothing else, by this JSON Schema:\n${JSON.stringify(shown)}`;
  const [first, ...rest] = messages;
  if (first?.role !== "system") return [{ role: "system", content: words }, ...messages];
  return [{ role: "system", content: `${first.content}\n\n${words}` }, ...rest];
}
