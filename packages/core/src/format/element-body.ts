import { ElementText } from "./element-text.ts";
import { JsonValueScanner } from "./json-value-scanner.ts";
import { cdataOpening, tagVocabulary } from "./tag-matcher.ts";
import { isBlank } from "./trimmed-text.ts";

/**
 * The body of an element that is read as a whole when it is closed. A body that is a JSON object ends behind its last
 * brace: a closing tag inside one of its strings is data. In steps, a tag outside of its strings ends it all the same: one
 * unreadable call must not swallow the rest of the answer.
 */
export class ElementBody {
  /** The body as written, CDATA unwrapped. */
  raw = "";
  readonly #text: ElementText;
  readonly #scanner: JsonValueScanner;
  #state: "beginning" | "object" | "rest" = "beginning";

  constructor(name: string, inSteps: boolean) {
    this.#scanner = new JsonValueScanner(true, inSteps);
    this.#text = new ElementText({
      ends: tagVocabulary([`/${name}`, "/response", cdataOpening]),
      hasEntities: false,
      write: (text) => {
        this.raw += text;
      },
    });
  }

  /** It began as a JSON object and is none. */
  get isBroken(): boolean {
    return this.#scanner.isBroken;
  }

  /** The element whose closing tag ended it, once one did. */
  get endedBy(): string | null {
    return this.#text.endedBy;
  }

  /** Reads on from `from`; returns where it stopped: behind the closing tag, or at the chunk's end. */
  feed(chunk: string, from: number): number {
    let index = from;
    if (this.#state === "beginning") {
      while (index < chunk.length && isBlank(chunk.charCodeAt(index))) index++;
      if (index === chunk.length) return index;
      this.#state = chunk.charAt(index) === "{" ? "object" : "rest";
    }
    if (this.#state === "object") {
      index = this.#scanner.feed(chunk, index);
      if (!this.#scanner.isDone) return index;
      this.raw = this.#scanner.raw;
      this.#state = "rest";
    }
    return this.#text.feed(chunk, index);
  }
}
