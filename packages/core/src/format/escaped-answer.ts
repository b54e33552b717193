import type { AnswerContext, AnswerReader } from "./answer-reader.ts";
import { JsonString } from "./json-string.ts";

/**
 * An answer that was encoded once too often: `"{\"text\":\"hi\"}"`, its quotes or not. Read whole, up to the quote that
 * ends it, then decoded.
 */
export class EscapedAnswer implements AnswerReader {
  status: AnswerReader["status"] = "candidate";
  readonly hasSubstance = true;
  readonly isLikely = false;
  readonly isSpeaking = false;
  readonly #context: AnswerContext;
  #text = "";
  readonly #string = new JsonString({
    quote: '"',
    write: (text) => {
      this.#text += text;
    },
    allowsBareQuotes: false,
  });

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  feed(chunk: string, from: number): number {
    const index = this.#string.feed(chunk, from);
    if (this.#string.isDone) this.status = this.#show() ? "done" : "failed";
    return index;
  }

  cut(): void {
    this.status = this.#show() ? "done" : "failed";
  }

  #show(): boolean {
    const { record, text, decodeNested } = this.#context;
    const answer = decodeNested(this.#text, false) ?? decodeNested(this.#text, true);
    if (!answer) return false;
    this.#context.accept("json");
    record.adopt(answer);
    text.begin();
    text.feedRead(answer.text);
    text.close(false);
    return true;
  }
}
