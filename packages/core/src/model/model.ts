import type { JsonObject } from "../json.ts";
import type { ModelCost } from "./usage.ts";

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

/** From not at all to very long. A model that cannot reason, or not so little, takes what comes nearest. */
export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high";

/** What a model is asked. `signal` calls it off: the stream then throws an aborted ModelError and nothing more is paid for. */
export type ModelRequest = {
  readonly messages: readonly PromptMessage[];
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly stop?: readonly string[];
  /** What the model may call as well as speak; it decides. Absent or empty: it only speaks. */
  readonly tools?: readonly ModelTool[];
  /**
   * The answer is one JSON value by this JSON Schema. A model whose wire can be held to a schema is; any other may say
   * what it likes: `askForObject` tells it in words, reads tolerantly and checks.
   */
  readonly responseSchema?: JsonObject;
  /** How long a reasoning model may think before it speaks. */
  readonly reasoning?: ReasoningEffort;
  readonly signal: AbortSignal;
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
  | ({ readonly type: "finish"; readonly reason: FinishReason } & ModelCost);

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
