import type { JsonObject } from "../json.ts";

/** One call the answer asks for, named as the model named it (trimmed, not yet looked up). */
export type DecodedAction = {
  readonly name: string;
  /** Absent when the call came without any. Integers that a double cannot hold exactly are strings of their digits. */
  readonly parameters?: JsonObject;
};

/** Something said elsewhere than in the conversation: an output the reader was told of, with its attributes. */
export type DecodedOutput = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
};

/** What a model's raw answer means. Nothing but these fields ever leaves the decoder. */
export type DecodedResponse = {
  /** What the model told itself, trimmed; absent when there was nothing. */
  readonly thought?: string;
  /** What a reader sees: trimmed, control keywords and thinking removed, well-formed Unicode. */
  readonly text: string;
  /** Whole calls only, in the order they were closed. */
  readonly actions: readonly DecodedAction[];
  /** State providers the model asked for by name; absent when it named none. */
  readonly providers?: readonly string[];
  /** Outputs other than the message, in the order they were closed; absent when there are none. */
  readonly outputs?: readonly DecodedOutput[];
  /** Upper case, in order of appearance, without repeats. */
  readonly keywords: readonly string[];
  /** False when the answer was cut off, or a part of it could not be read: what is whole was kept. */
  readonly complete: boolean;
};

/**
 * What a chunk of the stream made known. Text and thought only ever grow: the deltas so far, joined, are a prefix of the
 * final `text` and `thought`. An action is told once, when it is closed; `index` is its place in the final `actions`.
 */
export type DecoderEvent =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "thought"; readonly delta: string }
  | { readonly type: "action"; readonly index: number; readonly action: DecodedAction }
  | { readonly type: "keyword"; readonly keyword: string }
  /** An action element was opened: its call follows once it is closed and can be read. Only where steps are read. */
  | { readonly type: "action-begun"; readonly name: string }
  /** A call was closed and what it says cannot be read; it is left out of the meaning. Only where steps are read. */
  | { readonly type: "unreadable"; readonly name: string; readonly raw: string }
  /** An output other than the message grows; `index` is its place in the final `outputs`. */
  | { readonly type: "output-text"; readonly index: number; readonly name: string; readonly delta: string }
  | { readonly type: "output"; readonly index: number; readonly output: DecodedOutput };

/** How the answer was written. */
export type AnswerForm = "json" | "xml" | "plain";
