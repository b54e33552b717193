import type { JsonValue } from "../json.ts";
import { isParametersKey, type ReadCalls, readCalls, readNames, withParameters } from "./action-calls.ts";
import type { AnswerContext } from "./answer-reader.ts";
import { parseLenientJson } from "./lenient-json.ts";

/** What is to be done with a member's value. */
export type MemberKind = "text" | "thought" | "calls" | "parameters" | "providers" | "ignored";

/** Keys that make an object an answer. */
const shapeKeys = new Set(["text", "thought", "action", "actions"]);

/** True when an object with this key (lower case) is an answer. */
export function isShapeKey(key: string): boolean {
  return shapeKeys.has(key);
}

/**
 * What the members of an answer object mean. The first of several equal keys counts. `"action": "NAME"` is told once it
 * is known that no parameters stand directly behind it.
 */
export class JsonMembers {
  hasSubstance = false;
  readonly #context: AnswerContext;
  readonly #seen = new Set<string>();
  #key = "";
  #loneName: string | null = null;
  #parameters: JsonValue | undefined;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  /** A member begins; its key in lower case. */
  open(key: string): MemberKind {
    this.#key = key;
    if (isParametersKey(key)) return "parameters";
    this.#tellLoneName();
    if (this.#seen.has(key)) return "ignored";
    switch (key) {
      case "text":
        this.hasSubstance = true;
        return "text";
      case "thought":
        return "thought";
      case "action":
      case "actions":
        this.hasSubstance = true;
        this.#seen.add(key);
        return "calls";
      case "providers":
        this.#seen.add(key);
        return "providers";
      default:
        return "ignored";
    }
  }

  /** The value of the open member is a string that is read as it comes. */
  beginText(kind: "text" | "thought"): void {
    this.#seen.add(this.#key);
    if (kind === "text") this.#context.text.begin();
    else this.#context.record.beginThought();
  }

  /** A whole value that was not read as it came. */
  take(kind: MemberKind, raw: string): void {
    const value = kind === "ignored" ? null : parseLenientJson(raw);
    if (value === undefined) {
      this.#context.record.hasGap = true;
      return;
    }
    switch (kind) {
      case "text":
      case "thought":
        this.#takeText(kind, value);
        break;
      case "calls":
        this.#takeCalls(value);
        break;
      case "parameters":
        this.#takeParameters(value);
        break;
      case "providers":
        this.#context.record.providers.push(...toStrings(value).flatMap(readNames));
        break;
      case "ignored":
        break;
    }
  }

  /** One item of a list of calls. */
  takeCall(raw: string): void {
    const value = parseLenientJson(raw);
    if (value === undefined) this.#context.record.hasGap = true;
    else this.#addCalls(readCalls(value));
  }

  close(): void {
    this.#tellLoneName();
  }

  /** The input ended, perhaps within what `unfinishedKey` began. A call whose parameters are missing is dropped. */
  cut(unfinishedKey: string | null, isInParameters: boolean): void {
    const isHalf = unfinishedKey !== null && unfinishedKey !== "" && "parameters".startsWith(unfinishedKey);
    if (isHalf || isInParameters) this.#loneName = null;
    this.#tellLoneName();
  }

  #takeText(kind: "text" | "thought", value: JsonValue): void {
    if (value === null) return;
    const text = toStrings(value).join("\n");
    this.beginText(kind);
    if (kind === "thought") this.#context.record.addThought(text);
    else {
      this.#context.text.feed(text);
      this.#context.text.close(false);
    }
  }

  #takeCalls(value: JsonValue): void {
    const calls = readCalls(value);
    const [first, ...others] = calls.actions;
    const isLone = first !== undefined && first.parameters === undefined && others.length === 0;
    if (!isLone || calls.isBroken || this.#isKnown(first.name)) this.#addCalls(calls);
    else if (this.#parameters === undefined) this.#loneName = first.name;
    else this.#addCalls(withParameters(first.name, this.#parameters));
  }

  #takeParameters(value: JsonValue): void {
    if (this.#loneName === null) this.#parameters ??= value;
    else this.#addCalls(withParameters(this.#loneName, value));
    this.#loneName = null;
  }

  #tellLoneName(): void {
    if (this.#loneName !== null) this.#context.record.addAction({ name: this.#loneName });
    this.#loneName = null;
  }

  #addCalls({ actions, isBroken }: ReadCalls): void {
    for (const action of actions) {
      if (action.parameters === undefined && this.#isKnown(action.name)) continue;
      this.#context.record.addAction(action);
    }
    if (isBroken) this.#context.record.hasGap = true;
  }

  /** `"action": "A", "actions": ["A"]` is one call. */
  #isKnown(name: string): boolean {
    if (!this.#seen.has("action") || !this.#seen.has("actions")) return false;
    return this.#context.record.actions.some((action) => action.name.toUpperCase() === name.toUpperCase());
  }
}

function toStrings(value: JsonValue): string[] {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(toStrings);
  return typeof value === "object" ? [] : [String(value)];
}
