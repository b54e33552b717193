import { mayBecomeEntity, readEntity } from "./entities.ts";
import { cdataOpening, TagMatcher, type TagVocabulary } from "./tag-matcher.ts";

type State = "text" | "tag" | "entity" | "cdata";

/** How an element is read. */
export type ElementTextOptions = {
  /** The closing tags that end it; with `![cdata[` among them such sections are unwrapped. */
  readonly ends: TagVocabulary;
  /** Replace `&lt;` and its like. */
  readonly hasEntities: boolean;
  readonly write: (text: string) => void;
};

/**
 * The character data of an element whose opening tag was read. Everything up to one of its closing tags is text, other
 * tags included: models do not escape what they write.
 */
export class ElementText {
  /** The element whose closing tag ended it, once one did. */
  endedBy: string | null = null;
  #state: State = "text";
  #pending = "";
  readonly #tag = new TagMatcher();
  readonly #ends: TagVocabulary;
  readonly #hasEntities: boolean;
  readonly #write: (text: string) => void;

  constructor(options: ElementTextOptions) {
    this.#ends = options.ends;
    this.#hasEntities = options.hasEntities;
    this.#write = options.write;
  }

  /** Not in what may be a tag or a reference. */
  get isInText(): boolean {
    return this.#state === "text" && this.endedBy === null;
  }

  /** Reads on from `from`; returns where it stopped: behind the closing tag, or at the chunk's end. */
  feed(chunk: string, from: number): number {
    let index = from;
    while (index < chunk.length && this.endedBy === null) {
      switch (this.#state) {
        case "text":
          index = this.#readText(chunk, index);
          break;
        case "tag":
          index = this.#readTag(chunk, index);
          break;
        case "entity":
          index = this.#readEntity(chunk, index);
          break;
        case "cdata":
          index = this.#readCdata(chunk, index);
          break;
      }
    }
    return index;
  }

  /** The input ended inside. What may be the beginning of a tag or reference is dropped. */
  finish(): void {
    this.#pending = "";
  }

  #readText(chunk: string, from: number): number {
    let index = from;
    let code = 0;
    for (; index < chunk.length; index++) {
      code = chunk.charCodeAt(index);
      if (code === 60 || (code === 38 && this.#hasEntities)) break;
    }
    if (index > from) this.#write(chunk.slice(from, index));
    if (index === chunk.length) return index;
    if (code === 60) {
      this.#tag.start();
      this.#state = "tag";
    } else {
      this.#pending = "&";
      this.#state = "entity";
    }
    return index + 1;
  }

  #readTag(chunk: string, index: number): number {
    const outcome = this.#tag.push(chunk.charAt(index), this.#ends);
    if (outcome === "more") return index + 1;
    this.#state = "text";
    if (outcome === "failed") {
      this.#write(this.#tag.raw);
      return index;
    }
    const { name } = this.#tag.tag;
    if (name === cdataOpening) this.#state = "cdata";
    else this.endedBy = name;
    return index + 1;
  }

  #readEntity(chunk: string, index: number): number {
    const character = chunk.charAt(index);
    if (character === ";") {
      const reference = `${this.#pending};`;
      this.#state = "text";
      this.#pending = "";
      this.#write(readEntity(reference) ?? reference);
      return index + 1;
    }
    if (mayBecomeEntity(this.#pending + character)) {
      this.#pending += character;
      return index + 1;
    }
    this.#write(this.#pending);
    this.#pending = "";
    this.#state = "text";
    return index;
  }

  /** `#pending` is the part of `]]>` just seen. */
  #readCdata(chunk: string, from: number): number {
    const character = chunk.charAt(from);
    if (this.#pending === "]]" && character === ">") {
      this.#pending = "";
      this.#state = "text";
      return from + 1;
    }
    if (character === "]") {
      if (this.#pending === "]]") this.#write("]");
      else this.#pending += "]";
      return from + 1;
    }
    const bracket = chunk.indexOf("]", from);
    const end = bracket === -1 ? chunk.length : bracket;
    this.#write(this.#pending + chunk.slice(from, end));
    this.#pending = "";
    return end;
  }
}
