/** A tag as it was written. `name` is lower case. */
export type Tag = {
  readonly name: string;
  readonly isClosing: boolean;
  readonly isSelfClosing: boolean;
  readonly raw: string;
};

/** The tags a reader looks for: names, `/name` for closing ones. */
export type TagVocabulary = { readonly names: ReadonlySet<string>; readonly beginnings: ReadonlySet<string> };

/** Names are lower case; a closing tag is named `/name`; `![cdata[` is the one that ends without `>`. */
export function tagVocabulary(names: readonly string[]): TagVocabulary {
  const beginnings = names.flatMap((name) => Array.from(name, (_, length) => name.slice(0, length + 1)));
  return { names: new Set(names), beginnings: new Set(beginnings) };
}

/** The opening of a section in which nothing is markup. */
export const cdataOpening = "![cdata[";

/** A tag longer than this is text. */
const limitCharacters = 256;

/**
 * Recognises one tag, a character at a time: `<`, a known name, then attributes up to `>`. As soon as it cannot become a
 * tag any more it has failed, and what was read is text (the failing character not included).
 */
export class TagMatcher {
  #raw = "";
  #name = "";
  #isNameWhole = false;
  #quote = "";

  /** What was read so far, from the `<` on. */
  get raw(): string {
    return this.#raw;
  }

  get tag(): Tag {
    const isClosing = this.#name.startsWith("/");
    return {
      name: isClosing ? this.#name.slice(1) : this.#name,
      isClosing,
      isSelfClosing: this.#raw.endsWith("/>"),
      raw: this.#raw,
    };
  }

  /** Begins anew at a `<`. */
  start(): void {
    this.#raw = "<";
    this.#name = "";
    this.#isNameWhole = false;
    this.#quote = "";
  }

  push(character: string, vocabulary: TagVocabulary): "more" | "matched" | "failed" {
    if (!this.#isNameWhole) {
      const name = this.#name + character.toLowerCase();
      if (vocabulary.beginnings.has(name)) {
        this.#name = name;
        this.#raw += character;
        return name === cdataOpening ? "matched" : "more";
      }
      const isEnd = character === ">" || character === "/" || /^\s$/.test(character);
      if (!isEnd || !vocabulary.names.has(this.#name)) return "failed";
      this.#isNameWhole = true;
    }
    return this.#pushAttribute(character);
  }

  #pushAttribute(character: string): "more" | "matched" | "failed" {
    if (this.#raw.length >= limitCharacters) return "failed";
    if (this.#quote === "") {
      if (character === "<") return "failed";
      if (this.#name.startsWith("/") && character !== ">" && !/^\s$/.test(character)) return "failed";
      if ((character === '"' || character === "'") && this.#raw.endsWith("=")) this.#quote = character;
    } else if (character === this.#quote) {
      this.#quote = "";
      this.#raw += character;
      return "more";
    }
    this.#raw += character;
    return character === ">" && this.#quote === "" ? "matched" : "more";
  }
}

/** An attribute's value as written, entities and all; null when the tag lacks it. */
export function attributeOf(tag: Tag, name: string): string | null {
  const pattern = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>/]+))`, "i");
  const match = pattern.exec(tag.raw);
  return match ? (match[1] ?? match[2] ?? match[3] ?? "") : null;
}
