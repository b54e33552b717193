import type { AnswerContext, AnswerReader } from "./answer-reader.ts";
import { AnswerRecord } from "./answer-record.ts";
import { AnswerText } from "./answer-text.ts";
import type { AnswerForm, DecodedResponse, DecoderEvent } from "./decoded-response.ts";
import { EscapedAnswer } from "./escaped-answer.ts";
import { JsonAnswer } from "./json-answer.ts";
import { Prose } from "./prose.ts";
import type { TextChannel } from "./text-channel.ts";
import { isBlank } from "./trimmed-text.ts";
import { XmlAnswer } from "./xml-answer.ts";

/** Whose answers are decoded. */
export type DecoderOptions = {
  /** The character's name: `Ada: hello` in plain text is `hello`. */
  readonly agentName: string;
  /**
   * The answer is one of steps: text and elements take turns, text outside of elements is said too, and an `<output>` whose name
   * is not `message` is told apart. False: one answer, what stands around it is forgotten.
   */
  readonly inSteps?: boolean;
};

/** Decodes an answer while it arrives. */
export type Decoder = {
  /** Takes the next piece, cut anywhere; returns what became known by it. */
  push(chunk: string): readonly DecoderEvent[];
  /**
   * Ends the answer and returns what it means; further calls return the same. A finish reason that tells of a cut
   * (`length`, an error, an abort, a filter) makes it `complete: false`.
   */
  end(options?: { readonly finishReason?: string | undefined }): DecodedResponse;
};

/** Finish reasons, lower case, that say that the model did not come to its end. */
const cutReasons = new Set([
  "length",
  "max_tokens",
  "max-tokens",
  "error",
  "abort",
  "aborted",
  "filter",
  "content-filter",
  "content_filter",
  "timeout",
]);

/** Whether a finish reason, in any vendor's words, says that the model did not come to its end. */
export function isCutReason(finishReason: string | undefined): boolean {
  return cutReasons.has(finishReason?.toLowerCase() ?? "");
}

/** An answer within an answer within an answer is text. */
const limitNesting = 2;

/** A decoder for one answer. The outcome does not depend on where the pieces were cut; no text makes it throw. */
export function createDecoder({ agentName, inSteps = false }: DecoderOptions): Decoder {
  const machine = new AnswerMachine(agentName, 0, inSteps);
  let response: DecodedResponse | null = null;
  return {
    push(chunk) {
      if (response === null) machine.feed(chunk);
      return machine.record.takeEvents();
    },
    end(options = {}) {
      response ??= machine.end(isCutReason(options.finishReason));
      return response;
    },
  };
}

/** What a whole raw answer means: JSON, tags or plain text, told by what is there. Never throws. */
export function decodeResponse(raw: string, options: DecoderOptions): DecodedResponse {
  return decodeWithForm(raw, options).response;
}

/** Like `decodeResponse`, with how the answer was written. */
export function decodeWithForm(
  raw: string,
  options: DecoderOptions,
): { readonly response: DecodedResponse; readonly form: AnswerForm } {
  const machine = new AnswerMachine(options.agentName, 0, options.inSteps === true);
  machine.feed(raw);
  return { response: machine.end(false), form: machine.form };
}

/**
 * Reads prose until an answer block begins; the block while it may be or is an answer; then what trails behind it.
 * A block that proves to be none is read again as prose, once, so that the work stays linear.
 */
class AnswerMachine {
  readonly record = new AnswerRecord();
  form: AnswerForm = "plain";
  /** The answer began at the very start, or was about to when the input was cut. */
  isAtStart = false;
  readonly #agentName: string;
  readonly #inSteps: boolean;
  readonly #context: AnswerContext;
  #prose: Prose;
  #reader: AnswerReader | null = null;
  /** The block so far, while it may still prove to be text. */
  #held = "";
  #isAfterAnswer = false;
  /** In the middle of visible text: where letters go without further reading. Found out after everything else. */
  #steadyChannel: TextChannel | null = null;
  #hasAnswer = false;
  #isBehindFence = false;

  constructor(agentName: string, nesting: number, inSteps = false) {
    this.#agentName = agentName;
    this.#inSteps = inSteps;
    this.#prose = this.#newProse(true);
    const { record } = this;
    const decodeNested = (raw: string, isCut: boolean): DecodedResponse | null =>
      nesting >= limitNesting ? null : new AnswerMachine(agentName, nesting + 1).#decodeNested(raw, isCut);
    const accept = (form: "json" | "xml"): void => this.#accept(form);
    this.#context = { record, text: new AnswerText(record, decodeNested, inSteps), decodeNested, accept, inSteps };
  }

  feed(chunk: string): void {
    if (this.#steadyChannel !== null && hasOnlyLetters(chunk)) this.#steadyChannel.writeRead(chunk);
    else this.#read(chunk);
  }

  #read(chunk: string): void {
    let index = 0;
    while (index < chunk.length) {
      if (this.#reader) index = this.#readAnswer(this.#reader, chunk, index);
      else if (this.#isAfterAnswer) index = this.#readBehind(chunk, index);
      else index = this.#readProse(chunk, index);
    }
    if (this.#reader) this.#steadyChannel = this.#reader.isSpeaking ? this.#context.text.steadyChannel : null;
    else {
      if (!this.#isAfterAnswer) this.#prose.settle();
      this.#steadyChannel = this.#prose.steadyChannel;
    }
  }

  end(isCut: boolean): DecodedResponse {
    this.#endReader(isCut);
    const { record } = this;
    if (this.#hasAnswer) {
      if (this.#isAfterAnswer) this.#prose.closeKeywords();
      else if (!this.#reader) this.#prose.close(isCut);
    } else {
      this.#prose.close(isCut);
    }
    const response = record.toResponse(!isCut);
    const hasThought = this.#inSteps && response.thought !== undefined;
    const isEmpty = !this.#hasAnswer && response.text === "" && response.keywords.length === 0 && !hasThought;
    return isEmpty && response.complete ? { ...response, complete: false } : response;
  }

  #decodeNested(raw: string, isCut: boolean): DecodedResponse | null {
    this.feed(raw);
    const response = this.end(isCut);
    return this.isAtStart && (this.#hasAnswer || isCut) ? response : null;
  }

  #newProse(mayHoldAnswer: boolean): Prose {
    const { record } = this;
    const isLater = this.#inSteps && (this.#hasAnswer || record.hasText);
    if (isLater) record.beginPart();
    return new Prose({ record, agentName: this.#agentName, mayHoldAnswer, inSteps: this.#inSteps, isReply: isLater });
  }

  #readProse(chunk: string, from: number): number {
    const { channel } = this.#prose;
    const index = channel.feed(chunk, from);
    if (channel.stop === null) return index;
    const isLikely = this.#prose.isAtStart || channel.code.isOpenerFresh;
    if (channel.stop === "brace") this.#begin(new JsonAnswer(this.#context, isLikely), "");
    else this.#begin(new XmlAnswer(this.#context, channel.stop, isLikely), channel.stop.raw);
    channel.stop = null;
    return index;
  }

  #begin(reader: AnswerReader, held: string): void {
    this.#reader = reader;
    this.#held = held;
    if (reader.status === "done") this.#settle(reader);
  }

  #readAnswer(reader: AnswerReader, chunk: string, from: number): number {
    const wasCandidate = reader.status === "candidate";
    const index = reader.feed(chunk, from);
    if (wasCandidate) this.#held += chunk.slice(from, index);
    if (reader.status === "failed" && chunk.charAt(index) === "\\" && this.#mayBeEscaped(reader)) {
      this.#reader = new EscapedAnswer(this.#context);
      this.#reader.feed(this.#held, 0);
      return index;
    }
    if (reader.status === "failed" || reader.status === "done") this.#settle(reader);
    return index;
  }

  /** `{\"text…`: what failed is the first key of an object whose quotes are escaped. */
  #mayBeEscaped(reader: AnswerReader): boolean {
    return reader instanceof JsonAnswer && /^\{\s*$/.test(this.#held) && this.#prose.isQuoteOpen;
  }

  /** The block is at its end, or turned out to be text. */
  #settle(reader: AnswerReader): void {
    this.#reader = null;
    if (reader.status === "failed") this.#prose.channel.replay(this.#held);
    else {
      const goesOn = this.#inSteps && reader instanceof XmlAnswer && !reader.isWhole;
      this.#isAfterAnswer = reader.hasSubstance && !goesOn;
      this.#prose = this.#newProse(!this.#isAfterAnswer);
    }
    this.#held = "";
  }

  #accept(form: "json" | "xml"): void {
    if (!this.#hasAnswer) this.isAtStart = this.#prose.isAtStart;
    this.#prose.giveWay(this.#inSteps && form === "xml");
    this.form = form;
    this.#hasAnswer = true;
  }

  /** Behind an answer: the end of its fence or list, then perhaps keywords; anything else is no part of the answer. */
  #readBehind(chunk: string, from: number): number {
    let index = from;
    if (!this.#isBehindFence) {
      while (index < chunk.length && isClosing(chunk.charCodeAt(index))) index++;
      if (index === chunk.length) return index;
      this.#isBehindFence = true;
    }
    for (; index < chunk.length && this.#prose.isEmpty; index++) this.#prose.channel.feed(chunk.charAt(index));
    return chunk.length;
  }

  #endReader(isCut: boolean): void {
    const reader = this.#reader;
    if (!reader) return;
    if (reader.status === "answer") {
      reader.cut();
      return;
    }
    if (reader instanceof EscapedAnswer || (reader instanceof XmlAnswer && reader.isLikely)) {
      reader.cut();
      if (reader.status !== "failed") return;
    }
    if (reader.isLikely) {
      this.isAtStart = this.#prose.isAtStart;
      this.record.hasGap = true;
    } else this.#prose.channel.replay(this.#held);
    if (isCut) this.record.hasGap = true;
    this.#reader = null;
  }
}

/** Characters that can begin nothing in any form of answer: all but quotes (not `'`), brackets, markup, backslash and line end. */
const letters = new Uint8Array(128).fill(1);
for (const character of '\n"`\\[<{&') letters[character.charCodeAt(0)] = 0;

function hasOnlyLetters(chunk: string): boolean {
  if (chunk.length > 64) return false;
  for (let index = 0; index < chunk.length; index++) {
    const code = chunk.charCodeAt(index);
    if (code < 128 && letters[code] === 0) return false;
  }
  return true;
}

function isClosing(code: number): boolean {
  return isBlank(code) || code === 96 || code === 93;
}
