import { cleanPaste, cleanText } from "./clean-text.ts";

/** What a person did: typed text, pasted text, or pressed a key such as `enter`, `ctrl+a`, `alt+left`. */
export type Key =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "press"; readonly name: string };

/** Reads keys from what a terminal sends, however it is cut. */
export type KeyDecoder = {
  push(chunk: string): readonly Key[];
  /** Nothing followed for a while: a lone escape was the key of that name. */
  flush(): readonly Key[];
  /** Whether something is begun that more input could complete. */
  isWaiting(): boolean;
};

const pasteStart = "\u001b[200~";
const pasteEnd = "\u001b[201~";
const sequence = /\u001b(?:\[([0-9;:?<>=]*)([@-~])|O([A-Za-z])|([^\u001b[O]))/uy;
const begun = /^\u001b(?:\[[0-9;:?<>=]*|O)?$/;
const plain = /[^\u0000-\u001f\u007f-\u009f]+/y;

const finals: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  Z: "shift+tab",
};
const numbers: Readonly<Record<string, string>> = {
  "1": "home",
  "3": "delete",
  "4": "end",
  "7": "home",
  "8": "end",
};
const codes: Readonly<Record<string, string>> = { "9": "tab", "13": "enter", "27": "escape", "127": "backspace" };

/** Makes a decoder for the keys of one terminal in raw mode, with bracketed paste. */
export function createKeyDecoder(): KeyDecoder {
  let pending = "";
  let pasted: string[] | null = null;

  const paste = (parts: string[], text: string): { readonly key: Key | null; readonly rest: string } => {
    const end = text.indexOf(pasteEnd);
    if (end !== -1) {
      parts.push(text.slice(0, end));
      pasted = null;
      return { key: { type: "paste", text: cleanPaste(parts.join("")) }, rest: text.slice(end + pasteEnd.length) };
    }
    const escape = text.lastIndexOf("\u001b");
    const isEndBegun = escape !== -1 && pasteEnd.startsWith(text.slice(escape));
    pending = isEndBegun ? text.slice(escape) : "";
    parts.push(isEndBegun ? text.slice(0, escape) : text);
    return { key: null, rest: "" };
  };

  return {
    push(chunk) {
      let text = pending + chunk;
      pending = "";
      const keys: Key[] = [];
      while (text !== "") {
        if (pasted) {
          const { key, rest } = paste(pasted, text);
          if (key) keys.push(key);
          text = rest;
          continue;
        }
        if (begun.test(text)) {
          pending = text;
          break;
        }
        const { key, length } = readKey(text);
        if (text.startsWith(pasteStart)) pasted = [];
        else if (key) keys.push(key);
        text = text.slice(length);
      }
      return keys;
    },
    flush() {
      if (pasted || pending === "") return [];
      pending = "";
      return [{ type: "press", name: "escape" }];
    },
    isWaiting: () => pasted === null && pending !== "",
  };
}

function readKey(text: string): { readonly key: Key | null; readonly length: number } {
  plain.lastIndex = 0;
  const typed = plain.exec(text)?.[0];
  if (typed !== undefined) {
    const clean = cleanText(typed);
    return { key: clean === "" ? null : { type: "text", text: clean }, length: typed.length };
  }
  sequence.lastIndex = 0;
  const found = sequence.exec(text);
  if (found) {
    const name = nameSequence(found);
    return { key: name === null ? null : { type: "press", name }, length: found[0].length };
  }
  const code = text.charCodeAt(0);
  return { key: code < 0x80 ? { type: "press", name: nameControl(code) } : null, length: 1 };
}

function nameControl(code: number): string {
  if (code === 0x0d || code === 0x0a) return "enter";
  if (code === 0x09) return "tab";
  if (code === 0x08 || code === 0x7f) return "backspace";
  if (code === 0x1b) return "escape";
  return `ctrl+${String.fromCharCode(code + 0x60)}`;
}

function nameSequence(found: RegExpExecArray): string | null {
  const [, parameters = "", final = "", ss3, alt] = found;
  if (alt !== undefined) {
    const code = alt.charCodeAt(0);
    return `alt+${code < 0x20 || code === 0x7f ? nameControl(code) : alt.toLowerCase()}`;
  }
  if (ss3 !== undefined) return ss3 === "M" ? "enter" : (finals[ss3] ?? null);
  const [first = "", second = "", third = ""] = parameters.split(";");
  if (final === "~" && first === "27") return modified(codes[third], second);
  if (final === "~") return modified(numbers[first], second);
  if (final === "u") return modified(codes[first] ?? letter(first), second);
  return modified(finals[final], second);
}

function letter(code: string): string | undefined {
  const number = Number(code);
  return number > 0x20 && number < 0x7f ? String.fromCharCode(number) : undefined;
}

/** Terminals say 1 + shift (1) + alt (2) + ctrl (4). */
function modified(name: string | undefined, modifier: string): string | null {
  if (name === undefined) return null;
  const bits = Math.max(0, Number.parseInt(modifier || "1", 10) - 1);
  if (bits & 4) return `ctrl+${name}`;
  if (bits & 2) return `alt+${name}`;
  return bits & 1 ? `shift+${name}` : name;
}
