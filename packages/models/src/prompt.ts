import type { JsonObject, JsonValue, ModelRequest, ModelTool, PromptMessage, ReasoningEffort } from "@troupe/core";
import { ModelError } from "@troupe/core/errors";
import { isToolName } from "@troupe/core/format/tools";
import type { ProviderName } from "./spec.ts";
import type { VendorRequest } from "./vendor.ts";

/** Settings of a character that hold unless a request says otherwise. */
export type GenerationDefaults = {
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** How long a reasoning model may think before it speaks; the vendor's own measure unless it is said. */
  readonly reasoning?: ReasoningEffort;
};

/** A request that shows the model a picture with its last message. */
export type PicturedRequest = ModelRequest & {
  readonly picture?: { readonly bytes: Uint8Array; readonly mediaType: string };
};

/**
 * A request in the AI SDK's shape.
 * @throws ModelError `invalid` when no message has any text, or a tool's name is one that vendors refuse.
 */
export function toVendorRequest(
  provider: ProviderName,
  request: PicturedRequest,
  defaults: GenerationDefaults,
  signal: AbortSignal,
): VendorRequest {
  const maxOutputTokens = request.maxTokens ?? defaults.maxTokens;
  const temperature = request.temperature ?? defaults.temperature;
  const reasoning = request.reasoning ?? defaults.reasoning;
  const schema = request.responseSchema;
  return {
    prompt: withPicture(toVendorPrompt(provider, request.messages), request.picture),
    abortSignal: signal,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(schema !== undefined && isWholeObject(schema) ? { responseFormat: toResponseFormat(schema) } : {}),
    ...(request.stop?.length && provider !== "openai" ? { stopSequences: [...request.stop] } : {}),
    ...(request.tools?.length ? { tools: toVendorTools(request.tools), toolChoice: { type: "auto" } } : {}),
    // A conversation is nobody's business but its own: the vendor is asked not to keep it.
    ...(provider === "openai"
      ? { providerOptions: { openai: { store: false, ...(schema && { strictJsonSchema: isStrict(schema) }) } } }
      : {}),
  };
}

/** Vendors hold a model to objects only; any other value is asked for in words. */
function isWholeObject(schema: JsonObject): boolean {
  return schema["type"] === "object";
}

function toResponseFormat(schema: JsonObject): NonNullable<VendorRequest["responseFormat"]> {
  const { $schema: _version, ...shown } = schema;
  // A JSON Schema is a JSON object; what is in it is the vendor's to check.
  return { type: "json", name: "answer", schema: shown as NonNullable<VendorTool["inputSchema"]> };
}

/** Whether every object in it names all its members, requires them, and allows no others: what OpenAI calls strict. */
function isStrict(schema: JsonValue | undefined): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isObject(schema)) return true;
  const { properties } = schema;
  if (schema["type"] === "object" || properties !== undefined) {
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    const names = isObject(properties) ? Object.keys(properties) : [];
    if (schema["additionalProperties"] !== false || names.some((name) => !required.includes(name))) return false;
  }
  return Object.values(schema).every(isStrict);
}

type VendorTool = Extract<NonNullable<VendorRequest["tools"]>[number], { type: "function" }>;

function toVendorTools(tools: readonly ModelTool[]): VendorTool[] {
  return tools.map(({ name, description, parameters }) => {
    if (!isToolName(name)) {
      throw new ModelError(
        "invalid",
        `A model cannot be offered a tool named ${JSON.stringify(name.slice(0, 80))}; use up to 64 letters, digits, "_" and "-", the first no digit`,
      );
    }
    // A JSON Schema is a JSON object; what is in it is the vendor's to check.
    return { type: "function", name, description, inputSchema: withItems(parameters) as VendorTool["inputSchema"] };
  });
}

/** A list of anything must say so: OpenAI refuses one without `items`. */
function withItems(schema: JsonObject): JsonObject {
  const inner = Object.entries(schema).map(([key, value]): [string, JsonValue | undefined] => {
    if (key === "items" && isObject(value)) return [key, withItems(value)];
    if (key !== "properties" || !isObject(value)) return [key, value];
    const properties = Object.entries(value).map(([name, property]): [string, JsonValue | undefined] => [
      name,
      isObject(property) ? withItems(property) : property,
    ]);
    return [key, Object.fromEntries(properties)];
  });
  return {
    ...Object.fromEntries(inner),
    ...(schema["type"] === "array" && !isObject(schema["items"]) && { items: {} }),
  };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type VendorPrompt = VendorRequest["prompt"];

/** The picture stands before the words of the last message, as vendors advise. */
function withPicture(prompt: VendorPrompt, picture: PicturedRequest["picture"]): VendorPrompt {
  if (picture === undefined) return prompt;
  const file = {
    type: "file",
    mediaType: picture.mediaType,
    data: { type: "data", data: picture.bytes },
  } as const;
  return prompt.map((message, index) =>
    index === prompt.length - 1 && message.role === "user"
      ? { ...message, content: [file, ...message.content] }
      : message,
  );
}

function toVendorPrompt(provider: ProviderName, messages: readonly PromptMessage[]): VendorPrompt {
  const turns = inOrder(provider, messages);
  if (turns.length === 0) throw new ModelError("invalid", "The prompt has no text; send at least one message");
  return turns.map(({ role, content }, index) => {
    if (role !== "system") return { role, content: [{ type: "text", text: content }] };
    // The stable text stands first; Anthropic keeps only what is marked.
    const isKept = provider === "anthropic" && index === 0;
    const kept = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };
    return { role, content, ...(isKept ? kept : {}) };
  });
}

/**
 * Messages as every server takes them: no empty ones, no lone surrogates; system text only at the head (chat templates of
 * open models refuse it elsewhere), at least one message that is not the system's, and no two in a row by the same role.
 */
function inOrder(provider: ProviderName, messages: readonly PromptMessage[]): readonly PromptMessage[] {
  const turns: PromptMessage[] = [];
  for (const message of messages) {
    const content = message.content.toWellFormed();
    if (content.trim() === "") continue;
    const last = turns.at(-1);
    const isLate = message.role === "system" && last !== undefined && last.role !== "system" && provider !== "openai";
    const role = isLate ? "user" : message.role;
    if (last?.role === role && !(role === "system" && provider === "anthropic")) {
      turns[turns.length - 1] = { role, content: `${last.content}\n\n${content}` };
    } else {
      turns.push({ role, content });
    }
  }
  const last = turns.at(-1);
  if (last?.role === "system" && turns.every(({ role }) => role === "system")) {
    turns[turns.length - 1] = { role: "user", content: last.content };
  }
  return turns;
}
