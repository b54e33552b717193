import type { AnswerRecord } from "./answer-record.ts";
import { CodePosition } from "./code-position.ts";
import { ElementText } from "./element-text.ts";
import { mayBecomeKeyword, readKeyword } from "./keywords.ts";
import { type Tag, TagMatcher, type TagVocabulary, tagVocabulary } from "./tag-matcher.ts";
import { type TextSink, TrimmedText } from "./trimmed-text.ts";

/** The elements a model thinks in. */
export const thinkingNames: readonly string[] = ["think", "thinking", "thought", "reasoning"];

/** The name of `<?xml … ?>`, which may stand before an answer and is no text. */
export const xmlDeclaration = "?xml";

const thinkingTags = tagVocabulary(thinkingNames.flatMap((name) => [name, `/${name}`]));
const sameThinking = tagVocabulary(["/think", "/thinking"]);

/** The closing tags that end thinking which began with `<name>`. */
export function thinkingEnds(name: string): TagVocabulary {
  return name === "think" || name === "thinking" ? sameThinking : tagVocabulary([`/${name}`]);
}

/** What the channel writes to and asks about. `Prose` answers for a text in which an answer may still begin. */
export interface TextTarget extends TextSink {
  readonly record: AnswerRecord;
  keyword(keyword: string): void;
  /** How much visible text there is; remembered where a run of backticks begins. */
  visibleLength(): number;
  /** A thinking tag closed that was never opened: what came before it was thinking, unless it was shown already. */
  strayThinking?(): void;
  /** A closing tag without its opening one, which is neither text nor anything else. */
  drops?(tag: Tag, code: CodePosition): boolean;
  /** The tags to look for here, beside those of thinking. */
  tags(code: CodePosition): TagVocabulary | null;
  /** True when an answer begins with this tag, or with a brace (null). The channel stops there. */
  isAnswerStart(tag: Tag | null, code: CodePosition): boolean;
  /** Whether to look at braces at all. */
  watchesBraces(): boolean;
}

type State = "plain" | "bracket" | "bracket-closed" | "tag" | "thinking";

const special = new Uint8Array(128);
for (const character of "\n`[<{") special[character.charCodeAt(0)] = 1;

/** The next character that may be more than text, or the chunk's length. */
function findSpecial(chunk: string, from: number, watchesBraces: boolean): number {
  for (let index = from; index < chunk.length; index++) {
    const code = chunk.charCodeAt(index);
    if (code <= 123 && special[code] === 1 && (code !== 123 || watchesBraces)) return index;
  }
  return chunk.length;
}

/**
 * What a reader will see, out of what the model wrote: keywords and thinking are taken out, the ends trimmed. Fed in
 * pieces; the outcome does not depend on where they were cut, and nothing is passed on that a later piece could undo.
 */
export class TextChannel {
  /** Set when an answer begins: `brace` at the index returned, or the tag just read. */
  stop: Tag | "brace" | null = null;
  readonly code = new CodePosition();
  readonly #target: TextTarget;
  readonly #trimmed: TrimmedText;
  readonly #tag = new TagMatcher();
  #vocabulary: TagVocabulary = thinkingTags;
  #state: State = "plain";
  #bracket = "";
  #thinking: ElementText | null = null;
  #isReplay = false;

  constructor(target: TextTarget) {
    this.#target = target;
    this.#trimmed = new TrimmedText(target);
  }

  /** Inside `<think>` that was not closed yet. */
  get isThinking(): boolean {
    return this.#thinking !== null;
  }

  /** Reads on from `from`; returns where it stopped: at the chunk's end, or where an answer begins (`stop`). */
  feed(chunk: string, from = 0): number {
    let index = from;
    while (index < chunk.length && this.stop === null) {
      switch (this.#state) {
        case "plain":
          index = this.#readPlain(chunk, index);
          break;
        case "bracket":
        case "bracket-closed":
          index = this.#readBracket(chunk, index);
          break;
        case "tag":
          index = this.#readTag(chunk, index);
          break;
        case "thinking":
          index = this.#readThinking(chunk, index);
          break;
      }
    }
    return index;
  }

  /** Reads what was looked at before and is text after all: no answer begins in it. */
  replay(raw: string): void {
    const isNested = this.#isReplay;
    this.#isReplay = true;
    this.feed(raw);
    this.#isReplay = isNested;
  }

  /** A new part of the same text begins, set apart by `separator`. */
  separate(separator: string): void {
    this.#trimmed.separate(separator);
    this.code.reset();
  }

  /** In plain text where letters that come next are only written. */
  get isSteady(): boolean {
    return this.#state === "plain" && this.code.isSteady;
  }

  /** Text that needs no reading: letters on a steady channel, or what went through a channel before. */
  writeRead(text: string): void {
    this.#trimmed.write(text, 0, text.length);
  }

  /** Forgets what it has seen of the text, after thinking that was not marked as such. */
  restart(): void {
    this.#trimmed.restart();
    this.code.reset();
  }

  /** What may be the beginning of a tag; empty when there is none. */
  get pendingTag(): string {
    return this.#state === "tag" ? this.#tag.raw : "";
  }

  /** The text ends here. Half a keyword or tag is text, but not when the text was cut. */
  close(isCut: boolean): void {
    if (this.#state === "bracket-closed") this.#acceptKeyword();
    else if (this.#state === "bracket" && !isCut) this.#rejectBracket();
    else if (this.#state === "tag" && !isCut) this.#rejectTag();
    // A rejected tag's rest may have ended in half a bracket.
    if (this.#state === "bracket-closed") this.#acceptKeyword();
    else if (this.#state === "bracket" && !isCut) this.#rejectBracket();
    this.#thinking?.finish();
    this.#thinking = null;
    this.#state = "plain";
  }

  #write(chunk: string, from: number, to: number): void {
    if (from < to) this.#trimmed.write(chunk, from, to);
  }

  #readPlain(chunk: string, from: number): number {
    const watchesBraces = !this.#isReplay && this.#target.watchesBraces();
    let written = from;
    let passed = from;
    let index = findSpecial(chunk, from, watchesBraces);
    for (; index < chunk.length; index = findSpecial(chunk, index + 1, watchesBraces)) {
      this.code.pass(chunk, passed, index);
      const code = chunk.charCodeAt(index);
      passed = code === 10 || code === 96 ? index + 1 : index;
      if (code === 10) {
        this.code.newline();
        continue;
      }
      if (!this.code.isInRun || code !== 96) {
        this.#write(chunk, written, index);
        written = index;
      }
      if (code === 96) this.code.tick(this.#target.visibleLength());
      else if (this.#begins(code)) return code === 123 ? index : index + 1;
    }
    this.code.pass(chunk, passed, chunk.length);
    this.#write(chunk, written, chunk.length);
    return chunk.length;
  }

  /** Whether something other than text begins with this character, everything before it being written. */
  #begins(code: number): boolean {
    this.code.endRun();
    if (code === 91) {
      if (this.code.isCode) return false;
      this.#bracket = "[";
      this.#state = "bracket";
      return true;
    }
    if (code === 123) {
      if (!this.#target.isAnswerStart(null, this.code)) return false;
      this.stop = "brace";
      return true;
    }
    const vocabulary = this.#isReplay ? null : this.#target.tags(this.code);
    if (vocabulary === null && this.code.isCode) return false;
    this.#vocabulary = vocabulary ?? thinkingTags;
    this.#tag.start();
    this.#state = "tag";
    return true;
  }

  #readBracket(chunk: string, index: number): number {
    const character = chunk.charAt(index);
    if (this.#state === "bracket-closed") {
      if (character === "(") this.#rejectBracket();
      else this.#acceptKeyword();
      return index;
    }
    if (character === "]" && readKeyword(`${this.#bracket}]`) !== null) {
      this.#bracket += "]";
      this.#state = "bracket-closed";
      return index + 1;
    }
    if (!mayBecomeKeyword(this.#bracket + character)) {
      this.#rejectBracket();
      return index;
    }
    this.#bracket += character;
    return index + 1;
  }

  #acceptKeyword(): void {
    const keyword = readKeyword(this.#bracket);
    this.#state = "plain";
    this.#trimmed.dropSpacesLeft();
    if (keyword !== null) this.#target.keyword(keyword);
  }

  #rejectBracket(): void {
    this.#state = "plain";
    this.code.pass(this.#bracket, 0, this.#bracket.length);
    this.#write(this.#bracket, 0, this.#bracket.length);
  }

  #readTag(chunk: string, index: number): number {
    const outcome = this.#tag.push(chunk.charAt(index), this.#vocabulary);
    if (outcome === "more") return index + 1;
    if (outcome === "failed") {
      this.#rejectTag();
      return index;
    }
    if (!this.#acceptTag(this.#tag.tag)) this.#rejectTag();
    return index + 1;
  }

  /** Whether the tag means something here; if not it is text. */
  #acceptTag(tag: Tag): boolean {
    if (tag.name === xmlDeclaration) {
      this.#state = "plain";
      return true;
    }
    if (this.#target.drops?.(tag, this.code)) {
      this.#state = "plain";
      return true;
    }
    if (!thinkingNames.includes(tag.name)) {
      if (this.#isReplay || !this.#target.isAnswerStart(tag, this.code)) return false;
      this.#state = "plain";
      this.stop = tag;
      return true;
    }
    if (this.code.isCode && !this.code.isOpenerFresh) return false;
    this.#state = "plain";
    this.#trimmed.dropSpacesLeft();
    if (tag.isClosing) this.#target.strayThinking?.();
    else if (!tag.isSelfClosing) this.#beginThinking(tag.name);
    return true;
  }

  #beginThinking(name: string): void {
    const { record } = this.#target;
    record.beginThought();
    this.#thinking = new ElementText({
      ends: thinkingEnds(name),
      hasEntities: false,
      write: (text) => record.addThought(text),
    });
    this.#state = "thinking";
  }

  #readThinking(chunk: string, index: number): number {
    const next = this.#thinking?.feed(chunk, index) ?? index;
    if (this.#thinking?.endedBy !== null) {
      this.#thinking = null;
      this.#state = "plain";
    }
    return next;
  }

  /** What looked like a tag is text: its `<` as it is, the rest read again. */
  #rejectTag(): void {
    const raw = this.#tag.raw;
    this.#state = "plain";
    this.code.pass("<", 0, 1);
    this.#write("<", 0, 1);
    this.replay(raw.slice(1));
  }
}
