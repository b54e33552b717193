import type { AnswerRecord } from "./answer-record.ts";
import type { CodePosition } from "./code-position.ts";
import { attributeOf, type Tag, type TagVocabulary, tagVocabulary } from "./tag-matcher.ts";
import { TextChannel, type TextTarget, thinkingNames, xmlDeclaration } from "./text-channel.ts";

/** This much visible text is held back in case an answer follows it; more than that is the answer itself. */
const limitHeldCharacters = 256;

const anywhere = ["response", "action_call"];
const onOwnLine = ["text", "output"];
const atStart = ["actions", "action", "providers"];
const answerTags = tagVocabulary([
  ...thinkingNames.flatMap((name) => [name, `/${name}`]),
  ...anywhere,
  ...onOwnLine,
  ...atStart,
  xmlDeclaration,
]);

const strays = [...anywhere, ...onOwnLine, ...atStart].map((name) => `/${name}`);
const stepTags = tagVocabulary([...answerTags.names, ...strays]);

/** How prose is read. */
export type ProseOptions = {
  readonly record: AnswerRecord;
  /** `Ada:` before the first word is dropped. */
  readonly agentName: string;
  /** Answers may begin in it. False for what follows an answer. */
  readonly mayHoldAnswer: boolean;
  /** Text and elements take turns: what was said stays said. */
  readonly inSteps: boolean;
  /** It follows something said or done: nothing need be held back. */
  readonly isReply: boolean;
};

/**
 * What stands outside any answer block. Held back while a block may still follow: then it was only an introduction and is
 * forgotten. Once it is longer than that, or the end comes, it is the reply.
 */
export class Prose implements TextTarget {
  readonly record: AnswerRecord;
  readonly channel: TextChannel;
  readonly #agentName: string;
  #mayHoldAnswer: boolean;
  readonly #inSteps: boolean;
  #isReply: boolean;
  #held = "";
  #keywords: string[] = [];

  constructor({ record, agentName, mayHoldAnswer, inSteps, isReply }: ProseOptions) {
    this.record = record;
    this.#inSteps = inSteps;
    this.#isReply = isReply;
    this.#agentName = agentName;
    this.#mayHoldAnswer = mayHoldAnswer;
    this.channel = new TextChannel(this);
  }

  write(piece: string): void {
    if (this.#isReply) this.record.addText(piece);
    else this.#held += piece;
  }

  keyword(keyword: string): void {
    if (this.#isReply) this.record.addKeyword(keyword);
    else this.#keywords.push(keyword);
  }

  visibleLength(): number {
    return this.#held.length;
  }

  strayThinking(): void {
    if (!this.#isOpen() || this.#isReply || this.record.hasThought) return;
    this.record.addThought(this.#held);
    this.#held = "";
    this.#keywords = [];
    this.channel.restart();
  }

  tags(code: CodePosition): TagVocabulary | null {
    if (!this.#isOpen() || (code.isCode && !code.isOpenerFresh)) return null;
    return this.#inSteps ? stepTags : answerTags;
  }

  drops(tag: Tag, code: CodePosition): boolean {
    return this.#inSteps && tag.isClosing && !code.isCode && strays.includes(`/${tag.name}`);
  }

  isAnswerStart(tag: Tag | null, code: CodePosition): boolean {
    if (!this.#isOpen()) return false;
    if (this.#isReply) return tag !== null && this.#isElementStart(tag, code);
    if (this.#inSteps && tag !== null && !code.isOpenerFresh) return this.#isElementStart(tag, code);
    if (code.isOpenerFresh) return !tag?.isClosing;
    if (tag === null) return !code.isCode || /^`+$/.test(this.#held);
    if (code.isCode || tag.isClosing) return false;
    if (anywhere.includes(tag.name)) return true;
    return onOwnLine.includes(tag.name) ? code.isLineBlank : this.isAtStart;
  }

  /** In steps: where an element begins between words. */
  #isElementStart(tag: Tag, code: CodePosition): boolean {
    if (code.isCode || tag.isClosing) return false;
    const isCall = anywhere.includes(tag.name) || (tag.name === "action" && attributeOf(tag, "name") !== null);
    return isCall || (!this.#isReply && this.isAtStart) || (code.isLineBlank && tag.name !== xmlDeclaration);
  }

  watchesBraces(): boolean {
    return this.#mayHoldAnswer && !this.#isReply;
  }

  /** Nothing visible stands before this point, the opening of a fence aside. */
  get isAtStart(): boolean {
    return !this.#isReply && this.#length() === 0;
  }

  /** An answer that begins here is written as a string: nothing but its quote stands before. */
  get isQuoteOpen(): boolean {
    return this.isAtStart || this.#held === '"';
  }

  /** Nothing visible was seen at all, keywords aside. */
  get isEmpty(): boolean {
    return !this.#isReply && this.#held === "";
  }

  /** The channel, when letters that come next would only pass through it. */
  get steadyChannel(): TextChannel | null {
    return this.#isReply && this.channel.isSteady ? this.channel : null;
  }

  /** Shows what needs not be held back any more. */
  settle(): void {
    if (!this.#isReply) this.#isOpen();
  }

  /** An answer follows: what was held is forgotten, but for keywords that stand alone before it. */
  giveWay(staysSaid: boolean): void {
    this.#mayHoldAnswer = false;
    if (staysSaid) {
      if (!this.#isReply) this.#becomeReply();
      return;
    }
    if (this.isAtStart) for (const keyword of this.#keywords) this.record.addKeyword(keyword);
  }

  /** The keywords of a text that has nothing but keywords. */
  closeKeywords(): void {
    this.channel.close(true);
    if (this.isEmpty) for (const keyword of this.#keywords) this.record.addKeyword(keyword);
  }

  /** The end: what was held is the reply. The beginning of an answer that never came is not shown. */
  close(isCut: boolean): void {
    this.settle();
    const { channel } = this;
    const pending = channel.pendingTag.length;
    const isLost = (this.isAtStart && pending >= 2) || (channel.code.isOpenerFresh && pending > 0);
    const isTagLost = isLost && !this.#isReply;
    if (channel.isThinking || isTagLost) this.record.hasGap = true;
    channel.close(isCut || isTagLost);
    channel.code.endRun();
    const mark = channel.code.isOpenerFresh ? channel.code.mark : null;
    if (mark !== null && !this.#isReply) {
      this.#held = this.#held.slice(0, mark).trimEnd();
      this.record.hasGap = true;
    }
    if (!this.#isReply) this.#becomeReply();
  }

  /** Whether an answer may still begin here; if not, what is held is the reply. */
  #isOpen(): boolean {
    if (!this.#mayHoldAnswer || (this.#isReply && !this.#inSteps)) return false;
    if (this.#isReply || this.#length() <= limitHeldCharacters) return true;
    this.#becomeReply();
    return this.#inSteps;
  }

  /** Visible text so far; backticks that may open a fence are not counted. */
  #length(): number {
    return this.channel.code.mark ?? this.#held.length;
  }

  #becomeReply(): void {
    this.#isReply = true;
    for (const keyword of this.#keywords) this.record.addKeyword(keyword);
    const text = withoutLabel(this.#held, this.#agentName);
    this.#held = "";
    if (text !== "") this.record.addText(text);
  }
}

/** `Ada: hello` is `hello`; emphasis around the name does not matter. */
function withoutLabel(text: string, agentName: string): string {
  if (agentName === "") return text;
  const marks = /^[*_]{0,2}/.exec(text)?.[0] ?? "";
  const named = text.slice(marks.length, marks.length + agentName.length);
  if (named.toLowerCase() !== agentName.toLowerCase()) return text;
  const rest = text.slice(marks.length + agentName.length);
  const colon = /^(?:[*_]{1,2}:|:[*_]{0,2})(?=\s|$)/.exec(rest);
  if (!colon) return text;
  const isClosed = marks === "" || colon[0].includes(marks);
  return isClosed ? rest.slice(colon[0].length).trimStart() : text;
}
