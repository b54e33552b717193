import type { DecodedAction, DecodedOutput, DecodedResponse, DecoderEvent } from "./decoded-response.ts";
import { isWhiteSpace, TrimmedText } from "./trimmed-text.ts";

const nothingNew: readonly DecoderEvent[] = Object.freeze([]);

/** Text on its way out. Never parts a surrogate pair; a half without its other half becomes U+FFFD. */
class GrowingText {
  #whole = "";
  #fresh = "";

  get isFresh(): boolean {
    return this.#fresh !== "";
  }

  add(piece: string): void {
    this.#fresh += piece;
  }

  /** What can be shown now; empty when there is nothing, or only the first half of a pair. */
  take(): string {
    let ready = this.#fresh;
    this.#fresh = "";
    const last = ready.charCodeAt(ready.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) ready = this.#holdHalf(ready);
    if (!ready.isWellFormed()) ready = ready.toWellFormed();
    this.#whole += ready;
    return ready;
  }

  /** The half may be dropped at the end; the white space before it would not be trimmed then. */
  #holdHalf(ready: string): string {
    let end = ready.length - 1;
    while (end > 0 && isWhiteSpace(ready.charCodeAt(end - 1))) end--;
    this.#fresh = ready.slice(end);
    return ready.slice(0, end);
  }

  /** The whole text; half a character at its very end is dropped. */
  finish(): string {
    this.take();
    this.#fresh = "";
    return this.#whole;
  }
}

/** The answer as far as it is known, and what of it was not yet told. */
export class AnswerRecord {
  readonly actions: DecodedAction[] = [];
  readonly keywords: string[] = [];
  readonly providers: string[] = [];
  readonly outputs: DecodedOutput[] = [];
  /** A part was cut off or could not be read. */
  hasGap = false;
  readonly #text = new GrowingText();
  readonly #thought = new GrowingText();
  readonly #trimmedThought = new TrimmedText({
    write: (piece) => {
      if (this.#text.isFresh) this.#tellText();
      this.#thought.add(piece);
    },
  });
  #events: DecoderEvent[] | null = null;
  #isPartBegun = false;
  #hasText = false;

  get hasThought(): boolean {
    return this.#trimmedThought.hasStarted;
  }

  /** Something was said already. */
  get hasText(): boolean {
    return this.#hasText;
  }

  /** What is said next is a part of its own, on a line of its own. */
  beginPart(): void {
    this.#isPartBegun = true;
  }

  addText(piece: string): void {
    if (this.#thought.isFresh) this.#tellThought();
    if (this.#isPartBegun && this.#hasText) this.#text.add("\n");
    this.#isPartBegun = false;
    this.#hasText = true;
    this.#text.add(piece);
  }

  /** A new thought begins, on a line of its own. */
  beginThought(): void {
    this.#trimmedThought.separate("\n");
  }

  addThought(text: string, from = 0, to = text.length): void {
    this.#trimmedThought.write(text, from, to);
  }

  addKeyword(keyword: string): void {
    if (this.keywords.includes(keyword)) return;
    this.#tellTexts();
    this.keywords.push(keyword);
    this.#tell({ type: "keyword", keyword });
  }

  addAction(action: DecodedAction): void {
    this.#tellTexts();
    this.#tell({ type: "action", index: this.actions.length, action });
    this.actions.push(action);
  }

  /** An action's element was opened. */
  beginAction(name: string): void {
    this.#tellTexts();
    this.#tell({ type: "action-begun", name });
  }

  /** A call was closed that says nothing readable. */
  addUnreadable(name: string, raw: string): void {
    this.#tellTexts();
    this.#tell({ type: "unreadable", name, raw });
  }

  /** More of the output that is open now. */
  addOutputText(name: string, delta: string): void {
    this.#tellTexts();
    this.#tell({ type: "output-text", index: this.outputs.length, name, delta });
  }

  addOutput(output: DecodedOutput): void {
    this.#tellTexts();
    this.#tell({ type: "output", index: this.outputs.length, output });
    this.outputs.push(output);
  }

  /** Takes over what an answer inside this one means, but for its text. */
  adopt(answer: DecodedResponse): void {
    if (answer.thought !== undefined) {
      this.beginThought();
      this.addThought(answer.thought);
    }
    for (const keyword of answer.keywords) this.addKeyword(keyword);
    for (const action of answer.actions) this.addAction(action);
    this.providers.push(...(answer.providers ?? []));
    if (!answer.complete) this.hasGap = true;
  }

  takeEvents(): readonly DecoderEvent[] {
    this.#tellTexts();
    const events = this.#events;
    this.#events = null;
    return events ?? nothingNew;
  }

  toResponse(isComplete: boolean): DecodedResponse {
    const thought = this.#thought.finish();
    return {
      ...(thought !== "" && { thought }),
      text: this.#text.finish(),
      actions: [...this.actions],
      ...(this.providers.length > 0 && { providers: [...this.providers] }),
      ...(this.outputs.length > 0 && { outputs: [...this.outputs] }),
      keywords: [...this.keywords],
      complete: isComplete && !this.hasGap,
    };
  }

  /** Most pieces tell one thing: an array of one is not grown. */
  #tell(event: DecoderEvent): void {
    if (this.#events === null) this.#events = [event];
    else this.#events.push(event);
  }

  #tellTexts(): void {
    if (this.#thought.isFresh) this.#tellThought();
    if (this.#text.isFresh) this.#tellText();
  }

  #tellText(): void {
    const delta = this.#text.take();
    if (delta !== "") this.#tell({ type: "text", delta });
  }

  #tellThought(): void {
    const delta = this.#thought.take();
    if (delta !== "") this.#tell({ type: "thought", delta });
  }
}
