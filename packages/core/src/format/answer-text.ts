import type { AnswerRecord } from "./answer-record.ts";
import type { DecodedResponse } from "./decoded-response.ts";
import type { TagVocabulary } from "./tag-matcher.ts";
import { TextChannel, type TextTarget } from "./text-channel.ts";
import { isBlank } from "./trimmed-text.ts";

/** Reads a text that may be an answer once more; null when it is only text. */
export type DecodeNested = (raw: string, isCut: boolean) => DecodedResponse | null;

/**
 * The visible text of an answer block. A text that begins with a brace is read whole before it is shown: some models
 * write their answer into the answer.
 */
export class AnswerText implements TextTarget {
  readonly record: AnswerRecord;
  readonly #channel: TextChannel;
  readonly #decodeNested: DecodeNested;
  #state: "closed" | "beginning" | "shown" | "whole" = "closed";
  #held = "";
  #parts = 0;

  readonly #inSteps: boolean;

  constructor(record: AnswerRecord, decodeNested: DecodeNested, inSteps: boolean) {
    this.record = record;
    this.#inSteps = inSteps;
    this.#decodeNested = decodeNested;
    this.#channel = new TextChannel(this);
  }

  /** Begins the text, or another part of it on a line of its own. */
  begin(): void {
    if (this.#inSteps) {
      this.record.beginPart();
      this.#channel.restart();
    } else if (this.#parts++ > 0) this.#channel.separate("\n");
    this.#state = "beginning";
    this.#held = "";
  }

  /** The channel the text goes through, when letters that come next would only pass through it. */
  get steadyChannel(): TextChannel | null {
    return this.#state === "shown" && this.#channel.isSteady ? this.#channel : null;
  }

  feed(piece: string): void {
    if (this.#state === "shown") {
      this.#channel.feed(piece);
      return;
    }
    this.#held += piece;
    if (this.#state === "whole") return;
    for (let index = 0; index < piece.length; index++) {
      const code = piece.charCodeAt(index);
      if (isBlank(code)) continue;
      if (code === 123) this.#state = "whole";
      else this.#show();
      return;
    }
  }

  /** Text that went through a decoder before. */
  feedRead(text: string): void {
    this.#state = "shown";
    this.#channel.writeRead(text);
  }

  /** The text, or a part of it, ends. Does nothing when none is open. */
  close(isCut: boolean): void {
    if (this.#state === "closed") return;
    const answer = this.#state === "whole" ? this.#decodeNested(this.#held, isCut) : null;
    if (answer) {
      this.record.adopt(answer);
      this.#channel.writeRead(answer.text);
    } else if (this.#state !== "shown") this.#show();
    this.#channel.close(isCut);
    this.#state = "closed";
  }

  write(piece: string): void {
    this.record.addText(piece);
  }

  keyword(keyword: string): void {
    this.record.addKeyword(keyword);
  }

  visibleLength(): number {
    return 0;
  }

  tags(): TagVocabulary | null {
    return null;
  }

  isAnswerStart(): boolean {
    return false;
  }

  watchesBraces(): boolean {
    return false;
  }

  #show(): void {
    this.#state = "shown";
    this.#channel.feed(this.#held);
    this.#held = "";
  }
}
