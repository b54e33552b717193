import { type ReadCalls, readCallList, readNames } from "./action-calls.ts";
import { readActionElement } from "./action-elements.ts";
import type { AnswerContext, AnswerReader } from "./answer-reader.ts";
import { ElementBody } from "./element-body.ts";
import { ElementText } from "./element-text.ts";
import { decodeEntities } from "./entities.ts";
import { attributeOf, cdataOpening, type Tag, TagMatcher, tagVocabulary } from "./tag-matcher.ts";
import { thinkingEnds, thinkingNames } from "./text-channel.ts";

const elements = ["response", "text", "output", "actions", "action", "action_call", "providers", ...thinkingNames];
const known = tagVocabulary(elements.flatMap((name) => [name, `/${name}`]));
const textEnds = tagVocabulary(["/text", "/response", cdataOpening]);
const outputEnds = tagVocabulary(["/output", "/response", cdataOpening]);

/**
 * An answer written in tags, from its first tag on: one `<response>`, or its elements one after the other. Text and
 * thought are passed on as they come, actions at their closing tag. Unknown tags are looked through. A `<response>` with
 * nothing known in it is the reply itself.
 */
export class XmlAnswer implements AnswerReader {
  status: AnswerReader["status"] = "candidate";
  hasSubstance = false;
  /** It stood in one `<response>`, so that nothing follows it. */
  isWhole = false;
  readonly isLikely: boolean;
  readonly #context: AnswerContext;
  readonly #tag = new TagMatcher();
  #state: "between" | "tag" | "text" | "body" = "between";
  #isInResponse = false;
  #hasKnown = false;
  #loose = "";
  #names: string | null = null;
  #text: ElementText | null = null;
  #isVisible = false;
  #body: ElementBody | null = null;
  #opening: Tag | null = null;
  /** The output other than the message that is being read. */
  #output: { readonly tag: Tag; readonly name: string; text: string } | null = null;

  /** `isLikely`: nothing or a fresh fence stands before the first tag, so that it is hardly meant as text. */
  constructor(context: AnswerContext, first: Tag, isLikely: boolean) {
    this.#context = context;
    this.isLikely = isLikely;
    this.#open(first);
  }

  get isSpeaking(): boolean {
    return this.#state === "text" && this.#isVisible && this.#text?.isInText === true;
  }

  feed(chunk: string, from: number): number {
    let index = from;
    while (index < chunk.length && this.status !== "done") {
      switch (this.#state) {
        case "between":
          index = this.#readBetween(chunk, index);
          break;
        case "tag":
          index = this.#readTag(chunk, index);
          break;
        case "text":
          index = this.#readText(chunk, index);
          break;
        case "body":
          index = this.#readBody(chunk, index);
          break;
      }
    }
    return index;
  }

  cut(): void {
    const isOpen = this.#isInResponse || this.#state === "text" || this.#state === "body" || this.#names !== null;
    if (this.#names !== null) this.#addNames(wholeNames(this.#names));
    if (this.#state === "text" && this.#output === null) this.#context.text.close(true);
    if (!this.#hasKnown) this.#showLoose(true);
    if (isOpen) this.#context.record.hasGap = true;
  }

  #readBetween(chunk: string, from: number): number {
    const tag = chunk.indexOf("<", from);
    const end = tag === -1 ? chunk.length : tag;
    this.#passLoose(chunk.slice(from, end));
    if (tag === -1) return end;
    this.#tag.start();
    this.#state = "tag";
    return tag + 1;
  }

  /** Characters between the elements: names inside `<actions>`, the reply in a `<response>` of text alone, else nothing. */
  #passLoose(text: string): void {
    if (this.#names !== null) this.#names += text;
    else if (!this.#hasKnown) this.#loose += text;
  }

  #readTag(chunk: string, index: number): number {
    const outcome = this.#tag.push(chunk.charAt(index), known);
    if (outcome === "more") return index + 1;
    this.#state = "between";
    if (outcome === "failed") {
      this.#passLoose(this.#tag.raw);
      return index;
    }
    const { tag } = this.#tag;
    if (tag.isClosing) this.#close(tag.name);
    else this.#open(tag);
    return index + 1;
  }

  #open(tag: Tag): void {
    if (tag.name === "response") {
      this.#isInResponse = true;
      this.isWhole = true;
      if (tag.isSelfClosing) this.#close(tag.name);
      return;
    }
    this.#hasKnown = true;
    if (tag.name !== "action_call") this.#accept();
    if (thinkingNames.includes(tag.name)) this.#beginText(tag, thinkingEnds(tag.name));
    else if (tag.name === "text") this.#beginText(tag, textEnds);
    else if (tag.name === "output" && this.#context.inSteps && outputName(tag) !== "message") this.#beginOutput(tag);
    else if (tag.name === "output") this.#beginText(tag, outputEnds);
    else if (tag.name === "actions") this.#beginNames(tag);
    else this.#beginBody(tag);
  }

  #close(name: string): void {
    if (name === "actions" && this.#names !== null) {
      this.#addNames(this.#names);
      this.#names = null;
      this.#endElement();
    }
    if (name !== "response" || !this.#isInResponse) return;
    if (this.#names !== null) this.#addNames(this.#names);
    this.#names = null;
    this.#isInResponse = false;
    if (!this.#hasKnown) this.#showLoose(false);
    this.status = "done";
  }

  #accept(): void {
    if (this.status !== "candidate") return;
    this.status = "answer";
    this.#context.accept("xml");
  }

  #showLoose(isCut: boolean): void {
    this.#accept();
    this.hasSubstance = true;
    const { record, text, decodeNested } = this.#context;
    const loose = withoutWrapper(this.#loose);
    const answer = decodeNested(loose, isCut);
    text.begin();
    if (answer) {
      record.adopt(answer);
      text.feedRead(answer.text);
    } else text.feed(loose);
    text.close(isCut);
  }

  #beginNames(tag: Tag): void {
    this.hasSubstance = true;
    if (!tag.isSelfClosing) this.#names = "";
  }

  #addNames(list: string): void {
    this.#addCalls(readCallList(decodeEntities(list)));
  }

  #addCalls({ actions, isBroken }: ReadCalls): void {
    for (const action of actions) this.#context.record.addAction(action);
    if (isBroken) this.#context.record.hasGap = true;
  }

  #beginText(tag: Tag, ends: typeof textEnds): void {
    const { record, text } = this.#context;
    this.#isVisible = !thinkingNames.includes(tag.name);
    if (this.#isVisible) {
      this.hasSubstance = true;
      text.begin();
    } else record.beginThought();
    const write = this.#isVisible ? (piece: string) => text.feed(piece) : (piece: string) => record.addThought(piece);
    this.#text = new ElementText({ ends, hasEntities: true, write });
    if (tag.isSelfClosing) this.#endText();
    else this.#state = "text";
  }

  #readText(chunk: string, from: number): number {
    const index = this.#text?.feed(chunk, from) ?? from;
    const endedBy = this.#text?.endedBy ?? null;
    if (endedBy !== null) {
      this.#endText();
      if (endedBy === "response") this.#close("response");
    }
    return index;
  }

  #endText(): void {
    if (this.#output) this.#addOutput(this.#output);
    else if (this.#isVisible) this.#context.text.close(false);
    this.#text = null;
    this.#state = "between";
    this.#endElement();
  }

  /** In steps an element that stands alone is read alone: what follows it may be text. */
  #endElement(): void {
    if (this.#context.inSteps && !this.#isInResponse && this.#names === null) this.status = "done";
  }

  #beginOutput(tag: Tag): void {
    const { record } = this.#context;
    const output = { tag, name: outputName(tag), text: "" };
    this.hasSubstance = true;
    this.#output = output;
    this.#isVisible = false;
    const write = (piece: string): void => {
      output.text += piece;
      record.addOutputText(output.name, piece);
    };
    this.#text = new ElementText({ ends: outputEnds, hasEntities: true, write });
    if (tag.isSelfClosing) this.#endText();
    else this.#state = "text";
  }

  #addOutput({ tag, name, text }: { readonly tag: Tag; readonly name: string; readonly text: string }): void {
    this.#output = null;
    this.#context.record.addOutput({ name, attributes: attributesOf(tag), text: text.trim().toWellFormed() });
  }

  #beginBody(tag: Tag): void {
    this.#opening = tag;
    this.#body = new ElementBody(tag.name, this.#context.inSteps);
    const name = attributeOf(tag, "name");
    if (this.#context.inSteps && name !== null && tag.name !== "providers") {
      this.#accept();
      this.#context.record.beginAction(decodeEntities(name).trim());
    }
    if (tag.isSelfClosing) this.#endBody();
    else this.#state = "body";
  }

  #readBody(chunk: string, from: number): number {
    const index = this.#body?.feed(chunk, from) ?? from;
    const endedBy = this.#body?.endedBy ?? null;
    if (endedBy !== null) {
      this.#endBody();
      if (endedBy === "response") this.#close("response");
    }
    return index;
  }

  #endBody(): void {
    const { record } = this.#context;
    const tag = this.#opening;
    const raw = this.#body?.raw ?? "";
    const isBroken = this.#body?.isBroken === true;
    this.#state = "between";
    this.#body = null;
    if (!tag) return;
    this.#accept();
    if (tag.name === "providers") {
      record.providers.push(...readNames(decodeEntities(raw)));
      this.#endElement();
      return;
    }
    this.hasSubstance = true;
    const calls = isBroken ? { actions: [], isBroken } : readActionElement(tag, raw, this.#context.inSteps);
    // What is told need not count as a gap: the answer itself is whole.
    if (calls.isBroken && this.#context.inSteps) record.addUnreadable(attributeOf(tag, "name") ?? "", raw);
    this.#addCalls({ ...calls, isBroken: calls.isBroken && !this.#context.inSteps });
    this.#endElement();
  }
}

/** The names of a list that was cut off, without its last, which may be half a name. */
function wholeNames(list: string): string {
  return /^\s*[[{]/.test(list) ? "" : list.slice(0, Math.max(list.lastIndexOf(","), list.lastIndexOf("\n")) + 1);
}

/** The name of an output; without one it is the message. */
function outputName(tag: Tag): string {
  return decodeEntities(attributeOf(tag, "name") ?? attributeOf(tag, "type") ?? "message").trim() || "message";
}

/** What an output's tag says beside its name. */
function attributesOf({ raw }: Tag): Readonly<Record<string, string>> {
  const found = raw.matchAll(/\s([A-Za-z_][\w.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>/]+))/g);
  const members = [...found].map(
    ([, key = "", double, single, bare]) => [key, double ?? single ?? bare ?? ""] as const,
  );
  return Object.fromEntries(
    members.flatMap(([key, value]) => (key === "name" || key === "__proto__" ? [] : [[key, decodeEntities(value)]])),
  );
}

/** `<message>hi</message>` is `hi`: a tag of the model's own making around everything. */
function withoutWrapper(text: string): string {
  return /^\s*<([A-Za-z][\w-]*)>([\s\S]*)<\/\1>\s*$/.exec(text)?.[2] ?? text;
}
