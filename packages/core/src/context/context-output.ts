import type { z } from "zod";
import type { Verdict } from "../action/action.ts";
import { checkSchema } from "../action/check-schema.ts";
import { readParameters } from "../action/read-parameters.ts";
import { errorMessage, ValidationError } from "../errors.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { readSchema } from "./context-action.ts";
import type { Checked, ContextOutput, Ctx, ScopedOutputCall } from "./scoped.ts";
import { toJsonSchema } from "./zod-parameters.ts";
import { isSchema, readValue } from "./zod-reading.ts";

/** An output of a context as its author writes it. */
export type ContextOutputOptions<
  Attributes extends z.ZodType,
  Content extends z.ZodType,
  State = unknown,
  Args = unknown,
> = {
  /** 1..64 of lower case letters, digits, `_` and `-`, the first a letter. */
  readonly name: string;
  readonly description: string;
  /** More about when and how it is used, for the model. */
  readonly instructions?: string;
  readonly examples?: readonly { readonly attributes?: JsonObject; readonly content: JsonValue }[];
  /** A zod object; absent: there are none. */
  readonly attributes?: Attributes;
  /** Absent: any text. What is no text is given as JSON. */
  readonly content?: Content;
  enabled?(ctx: Ctx<State, Args>): Promise<Verdict | boolean> | Verdict | boolean;
  /** Awaited; absent: the content is said in the run's room. */
  handler?(
    given: { readonly attributes: z.output<Attributes>; readonly content: z.output<Content> },
    call: ScopedOutputCall<State, Args>,
  ): unknown;
};

const nameForm = /^[a-z][a-z0-9_-]{0,63}$/;

/**
 * Something the model can put out in a context.
 * @throws ValidationError naming the output, everything that is wrong with it and the remedy.
 */
export function contextOutput<
  State = unknown,
  Args = unknown,
  Attributes extends z.ZodType = z.ZodType<JsonObject>,
  Content extends z.ZodType = z.ZodType<string>,
>(options: ContextOutputOptions<Attributes, Content, State, Args>): ContextOutput {
  const { name, description, instructions, examples = [], attributes, content, enabled, handler } = options;
  const owner = `Output ${String(name)}`;
  const problems = [
    ...(typeof name === "string" && nameForm.test(name)
      ? []
      : ['its name must have lower case letters, digits, "_" or "-" only and begin with a letter, at most 64']),
    ...(typeof description === "string" ? [] : ["it has no description; say in one sentence what it is for"]),
    ...(handler === undefined || typeof handler === "function" ? [] : ["its handler is no function"]),
    ...(handler === undefined && (attributes !== undefined || content !== undefined)
      ? ["it has schemas but no handler; give it one, or leave out the schemas"]
      : []),
  ];
  if (problems.length > 0) throw new ValidationError(`${owner} cannot be used: ${problems.join("; ")}.`);
  const { parameters, check } = readSchema(attributes, owner);
  const wrong = parameters.flatMap(({ name: attribute, schema }) => checkSchema(schema, attribute));
  if (wrong.length > 0) throw new ValidationError(`${owner} cannot be used: ${wrong.join("; ")}.`);
  const contentSchema = content === undefined ? undefined : contentOf(content, owner);
  const isText = contentSchema === undefined || contentSchema["type"] === "string";
  const readContent = async (given: string): Promise<Checked<unknown>> => {
    const value = isText ? { ok: true as const, value: given } : fromJson(given);
    return value.ok && content ? readValue(content, value.value) : value;
  };
  return {
    name,
    description,
    ...(instructions !== undefined && { instructions }),
    examples: examples.map(({ attributes: own = {}, content: said }) => ({
      attributes: own,
      content: typeof said === "string" ? said : JSON.stringify(said),
    })),
    attributes: parameters,
    ...(contentSchema && { content: contentSchema }),
    // Each context hands its own state to its own outputs, so the types are what the author said.
    ...(enabled && { enabled: (ctx: Ctx) => enabled(ctx as Ctx<State, Args>) }),
    async check(given) {
      const read = readParameters(parameters, given.attributes);
      if (!read.ok)
        return { ok: false, problem: read.problems.map(({ path, message }) => `${path} ${message}`).join("; ") };
      const [own, said] = await Promise.all([check(read.parameters), readContent(given.content)]);
      if (own.ok && said.ok) return { ok: true, value: { attributes: own.value, content: said.value } };
      return { ok: false, problem: [own, said].flatMap((one) => (one.ok ? [] : [one.problem])).join("; ") };
    },
    ...(handler && {
      deliver: async (given, call) =>
        handler(
          given as { attributes: z.output<Attributes>; content: z.output<Content> },
          call as ScopedOutputCall<State, Args>,
        ),
    }),
  };
}

function contentOf(content: unknown, owner: string): JsonObject {
  if (!isSchema(content)) throw new ValidationError(`${owner} has a content schema that is none; write a zod schema.`);
  try {
    return toJsonSchema(content, "input");
  } catch (error) {
    throw new ValidationError(`${owner}: its content cannot be described to a model: ${errorMessage(error)}.`, {
      cause: error,
    });
  }
}

/** Models put JSON between fences now and then. */
function fromJson(text: string): Checked<unknown> {
  const bare = text.trim().replace(/^```(?:json)?\s*\n?([\s\S]*?)\n?```$/u, "$1");
  try {
    const value: unknown = JSON.parse(bare);
    return { ok: true, value };
  } catch (error) {
    return { ok: false, problem: `the content must be JSON by its schema: ${errorMessage(error)}` };
  }
}
