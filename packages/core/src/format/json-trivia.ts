import { isBlank } from "./trimmed-text.ts";

/** Skips white space and comments between the tokens of JSON, across pieces. A slash that begins no comment is skipped too. */
export class JsonTrivia {
  #comment: "none" | "slash" | "line" | "block" | "star" = "none";

  /** Returns the index of the first character that is neither, or the chunk's length. */
  skip(chunk: string, from: number): number {
    let index = from;
    while (index < chunk.length) {
      const code = chunk.charCodeAt(index);
      if (this.#comment === "none" && code !== 47 && !isBlank(code)) return index;
      if (this.#read(code)) index++;
    }
    return index;
  }

  /** False when the character is to be looked at again. */
  #read(code: number): boolean {
    switch (this.#comment) {
      case "none":
        if (code === 47) this.#comment = "slash";
        return true;
      case "slash":
        this.#comment = code === 47 ? "line" : code === 42 ? "block" : "none";
        return this.#comment !== "none";
      case "line":
        if (code === 10) this.#comment = "none";
        return true;
      case "block":
      case "star":
        if (code === 42) this.#comment = "star";
        else if (this.#comment === "star") this.#comment = code === 47 ? "none" : "block";
        return true;
    }
  }
}
