import type { AnswerRecord } from "./answer-record.ts";
import type { AnswerText, DecodeNested } from "./answer-text.ts";

/** What a reader of an answer block writes to. */
export type AnswerContext = {
  readonly record: AnswerRecord;
  readonly text: AnswerText;
  readonly decodeNested: DecodeNested;
  /** Tells, once and before anything is written, that the block is an answer: the prose before it is forgotten. */
  readonly accept: (form: "json" | "xml") => void;
  /** The answer is one of steps; see `DecoderOptions`. */
  readonly inSteps: boolean;
};

/**
 * Reads one answer block. It begins as a `candidate`, which writes nothing: it may turn out to be no answer (`failed`),
 * and what it read is text. Once it has the shape of an `answer` it writes as it reads, until it is `done`.
 */
export interface AnswerReader {
  readonly status: "candidate" | "answer" | "done" | "failed";
  /** It says or does something; an answer that only thinks may be followed by another. */
  readonly hasSubstance: boolean;
  /** A candidate that is rather the beginning of an answer than text. */
  readonly isLikely: boolean;
  /** In the middle of the visible text: letters that come next are only passed on. */
  readonly isSpeaking: boolean;
  /** Reads on from `from`; returns where it stopped: behind its end, where it failed, or at the chunk's end. */
  feed(chunk: string, from: number): number;
  /** The input ended before it was done: keeps what is whole. */
  cut(): void;
}
