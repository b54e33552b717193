import type { JsonObject, JsonValue } from "../json.ts";
import { isObject, type ReadCalls, readCallList, readCalls, withParameters } from "./action-calls.ts";
import { decodeEntities } from "./entities.ts";
import { parseLenientJson } from "./lenient-json.ts";
import { attributeOf, type Tag } from "./tag-matcher.ts";

/**
 * Reads `<action_call name="NAME">{…}</action_call>` or `<action>NAME</action>` and what is written between the two. With
 * `mayBeText`, the body of a named one may also be bare words, as its parameter `text`.
 */
export function readActionElement(tag: Tag, body: string, mayBeText = false): ReadCalls {
  const attribute = attributeOf(tag, "name");
  const name = attribute === null ? "" : decodeEntities(attribute).trim();
  const content = body.trim();
  if (name !== "") return content === "" ? withParameters(name, null) : readBody(name, content, mayBeText);
  if (content.startsWith("{")) {
    const call = readObject(content);
    return call ? readCalls(call) : broken;
  }
  if (!content.startsWith("<")) {
    return readCallList(decodeEntities(content));
  }
  const children = readChildren(content);
  return children ? readCalls(children) : broken;
}

const broken: ReadCalls = { actions: [], isBroken: true };

function readBody(name: string, content: string, mayBeText: boolean): ReadCalls {
  if (mayBeText && !/^[{["<]/.test(content)) return withParameters(name, { text: decodeEntities(content) });
  const parameters = content.startsWith("<") ? readChildren(content) : readObject(content);
  return parameters ? withParameters(name, parameters) : broken;
}

/** A JSON object; one whose quotes or angle brackets are all escaped was written as XML wants it. */
function readObject(content: string): JsonObject | null {
  const isEscaped = content.includes("&") && !/[<>]|&(?!#?[0-9A-Za-z]{1,7};)/.test(content);
  const value = parseLenientJson(content);
  if (isObject(value)) return isEscaped ? decodeStrings(value) : value;
  const decoded = isEscaped ? parseLenientJson(decodeEntities(content)) : undefined;
  return isObject(decoded) ? decoded : null;
}

function decodeStrings(object: JsonObject): JsonObject {
  const decode = (value: JsonValue | undefined): JsonValue | undefined => {
    if (typeof value === "string") return decodeEntities(value);
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => decode(item) ?? null);
    return isObject(value) ? decodeStrings(value) : value;
  };
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, decode(value)]));
}

/** Elements nested deeper than this are text. */
const limitDepth = 16;

/** `<a>1</a><b>{…}</b>` as an object of strings, JSON objects and lists; null when it is anything else. */
function readChildren(content: string, depth = 0): JsonObject | null {
  if (depth > limitDepth) return null;
  const members: [string, JsonValue][] = [];
  const opening = /\s*<([A-Za-z_][\w.-]*)(?:\s[^<>]*)?>/y;
  let index = 0;
  while (index < content.length) {
    opening.lastIndex = index;
    const name = opening.exec(content)?.[1];
    if (name === undefined) return null;
    const end = content.indexOf(`</${name}>`, opening.lastIndex);
    if (end === -1) return null;
    const value = readChild(content.slice(opening.lastIndex, end).trim(), depth + 1);
    if (name !== "__proto__") members.push([name, value]);
    index = end + name.length + 3;
    while (/\s/.test(content.charAt(index))) index++;
  }
  return Object.fromEntries(members);
}

function readChild(content: string, depth: number): JsonValue {
  if (content.startsWith("<")) return readChildren(content, depth) ?? decodeEntities(content);
  const isJson = content.startsWith("{") || content.startsWith("[");
  return isJson ? (parseLenientJson(content) ?? decodeEntities(content)) : decodeEntities(content);
}
