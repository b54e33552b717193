import type { JsonObject, JsonValue } from "../json.ts";

/** Which kind of model a caller needs; a character or the environment says which model that is. */
export type ModelType = "TEXT_SMALL" | "TEXT_LARGE";

/** One message of a prompt. The first is usually the system's; stable text stands first, volatile text last. */
export type PromptMessage = {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
};

/** Something a model may call natively instead of writing it into its text. */
export type ModelTool = {
  /** 1..64 letters, digits, `_` and `-`, the first a letter or `_`; unique in a request. `createToolNames` makes such names. */
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of type `object`. */
  readonly parameters: JsonObject;
};

/** What a model is asked. `signal` calls it off: the stream then throws an aborted ModelError and nothing more is paid for. */
export type ModelRequest = {
  readonly messages: readonly PromptMessage[];
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly stop?: readonly string[];
  /** What the model may call as well as speak; it decides. Absent or empty: it only speaks. */
  readonly tools?: readonly ModelTool[];
  readonly signal: AbortSignal;
};

/** Tokens one call used. `cachedInputTokens` are part of `inputTokens`. */
export type Usage = {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
};

/** Why a model stopped. `length`: the token limit cut it. `filter`: the vendor withheld the rest. */
export type FinishReason = "stop" | "length" | "filter" | "tool-calls" | "error" | "other";

/** What a model says, as it comes; exactly one `finish`, last. Anything that goes wrong is thrown as a ModelError. */
export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thought"; readonly text: string }
  | {
      /** A whole call, in the order the model made them. One that the end of the answer cut is not told. */
      readonly type: "tool-call";
      /** The vendor's own mark of this call, unique in an answer. */
      readonly id: string;
      /** As the model wrote it; it may name a tool that was not offered. */
      readonly name: string;
      /** Null when what the model wrote cannot be read. */
      readonly input: JsonObject | null;
      /** The arguments as the model wrote them. */
      readonly raw: string;
    }
  | {
      readonly type: "finish";
      readonly reason: FinishReason;
      readonly usage: Usage;
      /** The model that answered, `provider:name`; another than asked when a fallback stepped in. */
      readonly model: string;
      /** Millionths of a US dollar by the price table; absent when the model's price is unknown. */
      readonly costMicrousd?: number;
      /** What happened on the way that an operator should know: retries, a fallback. Data for the journal. */
      readonly notes?: readonly JsonValue[];
    };

/** A language model. Retries, timeouts and fallbacks are inside; one call of `stream` is one answer. */
export interface LanguageModel {
  /** `provider:name`, e.g. `openai:gpt-5-mini`, `offline:conversation`. */
  readonly id: string;
  /**
   * @throws ModelError while iterating: `unauthorized` (wrong key), `not_found` (unknown model), `unavailable` (down,
   * overloaded; after the retries), `timeout`, `aborted`, `invalid` (the request was refused), each naming the remedy.
   */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** The models of one agent by type. A type without an own model uses the other. */
export type Models = Readonly<Record<ModelType, LanguageModel>>;
