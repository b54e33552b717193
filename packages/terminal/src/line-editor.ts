import type { Key } from "./keys.ts";
import { boundaryAfter, boundaryBefore } from "./text-width.ts";

/** A message being typed. `at` is the entry of the history on show; at its end stands what is being typed, kept in `draft`. */
export type LineState = {
  readonly text: string;
  /** UTF-16 units before the cursor; always between two characters. */
  readonly cursor: number;
  readonly history: readonly string[];
  readonly at: number;
  readonly draft: string;
  /** What was cut last, for ctrl+y. */
  readonly cut: string;
};

/** What the program has to do after a key. */
export type LineEffect =
  | { readonly type: "none" }
  | { readonly type: "submit"; readonly text: string }
  | { readonly type: "interrupt" }
  | { readonly type: "end" }
  | { readonly type: "clear-screen" }
  | { readonly type: "complete" }
  | { readonly type: "suspend" };

/** The editor after a key, and what the key asks for. */
export type LineStep = { readonly state: LineState; readonly effect: LineEffect };

/** An empty line over a history, oldest entry first. */
export function emptyLine(history: readonly string[], cut = ""): LineState {
  return { text: "", cursor: 0, history, at: history.length, draft: "", cut };
}

type Edit = (state: LineState) => LineState;

const edits: Readonly<Record<string, Edit>> = {
  left: (state) => ({ ...state, cursor: boundaryBefore(state.text, state.cursor) }),
  right: (state) => ({ ...state, cursor: boundaryAfter(state.text, state.cursor) }),
  home: (state) => ({ ...state, cursor: lineStart(state) }),
  end: (state) => ({ ...state, cursor: lineEnd(state) }),
  "alt+left": (state) => ({ ...state, cursor: wordStart(state) }),
  "alt+right": (state) => ({ ...state, cursor: wordEnd(state) }),
  backspace: (state) => remove(state, boundaryBefore(state.text, state.cursor), state.cursor),
  delete: (state) => remove(state, state.cursor, boundaryAfter(state.text, state.cursor)),
  "ctrl+k": (state) => cut(state, state.cursor, lineEnd(state)),
  "ctrl+u": (state) => cut(state, lineStart(state), state.cursor),
  "ctrl+w": (state) => cut(state, wordStart(state), state.cursor),
  "alt+d": (state) => cut(state, state.cursor, wordEnd(state)),
  "ctrl+y": (state) => insert(state, state.cut),
  "alt+enter": (state) => insert(state, "\n"),
  up: (state) => moveRow(state, -1) ?? recall(state, state.at - 1),
  down: (state) => moveRow(state, 1) ?? recall(state, state.at + 1),
  "ctrl+p": (state) => recall(state, state.at - 1),
  "ctrl+n": (state) => recall(state, state.at + 1),
};

const otherNames: Readonly<Record<string, string>> = {
  "ctrl+a": "home",
  "ctrl+e": "end",
  "ctrl+b": "left",
  "ctrl+f": "right",
  "alt+b": "alt+left",
  "alt+f": "alt+right",
  "ctrl+left": "alt+left",
  "ctrl+right": "alt+right",
  "alt+backspace": "ctrl+w",
  "ctrl+delete": "alt+d",
  "shift+enter": "alt+enter",
  "ctrl+enter": "alt+enter",
};

const none: LineEffect = { type: "none" };

/** The editor after one key; the same keys always give the same line. */
export function pressKey(state: LineState, key: Key): LineStep {
  switch (key.type) {
    case "text":
    case "paste":
      return { state: insert(state, key.text), effect: none };
    case "press":
      return press(state, otherNames[key.name] ?? key.name);
  }
}

function press(state: LineState, name: string): LineStep {
  switch (name) {
    case "enter":
      return enter(state);
    case "ctrl+c":
      if (state.text === "") return { state, effect: { type: "interrupt" } };
      return { state: emptyLine(state.history, state.cut), effect: none };
    case "ctrl+d":
      if (state.text === "") return { state, effect: { type: "end" } };
      return { state: edits.delete?.(state) ?? state, effect: none };
    case "ctrl+l":
      return { state, effect: { type: "clear-screen" } };
    case "ctrl+z":
      return { state, effect: { type: "suspend" } };
    case "tab":
      return { state, effect: { type: "complete" } };
    default:
      return { state: edits[name]?.(state) ?? state, effect: none };
  }
}

/** A backslash at the very end asks for one more line. */
function enter(state: LineState): LineStep {
  if (state.text.endsWith("\\") && state.cursor === state.text.length) {
    const text = `${state.text.slice(0, -1)}\n`;
    return { state: { ...state, text, cursor: text.length }, effect: none };
  }
  if (state.text.trim() === "") return { state: emptyLine(state.history, state.cut), effect: none };
  const isRepeated = state.history.at(-1) === state.text;
  const history = isRepeated ? state.history : [...state.history, state.text];
  return { state: emptyLine(history, state.cut), effect: { type: "submit", text: state.text } };
}

/** Puts text in at the cursor. */
export function insert(state: LineState, text: string): LineState {
  const before = state.text.slice(0, state.cursor) + text;
  return { ...state, text: before + state.text.slice(state.cursor), cursor: before.length };
}

function remove(state: LineState, from: number, to: number): LineState {
  return { ...state, text: state.text.slice(0, from) + state.text.slice(to), cursor: from };
}

function cut(state: LineState, from: number, to: number): LineState {
  return from === to ? state : { ...remove(state, from, to), cut: state.text.slice(from, to) };
}

function lineStart({ text, cursor }: LineState): number {
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

function lineEnd({ text, cursor }: LineState): number {
  const end = text.indexOf("\n", cursor);
  return end === -1 ? text.length : end;
}

/** Made at its first use. */
let words: Intl.Segmenter | undefined;

function wordsOf(text: string): Intl.Segments {
  words ??= new Intl.Segmenter("und", { granularity: "word" });
  return words.segment(text);
}

function wordStart({ text, cursor }: LineState): number {
  let start = 0;
  for (const { index, isWordLike } of wordsOf(text.slice(0, cursor))) if (isWordLike) start = index;
  return start;
}

function wordEnd({ text, cursor }: LineState): number {
  for (const { index, segment, isWordLike } of wordsOf(text.slice(cursor))) {
    if (isWordLike) return cursor + index + segment.length;
  }
  return text.length;
}

/** One line up or down within the text; null when there is none. */
function moveRow(state: LineState, by: 1 | -1): LineState | null {
  const start = lineStart(state);
  const end = lineEnd(state);
  if (by === -1 ? start === 0 : end === state.text.length) return null;
  const target = { ...state, cursor: by === -1 ? start - 1 : end + 1 };
  const column = state.cursor - start;
  const cursor = Math.min(lineStart(target) + column, lineEnd(target));
  return { ...state, cursor: boundaryBefore(state.text, boundaryAfter(state.text, cursor)) };
}

/** Shows another entry of the history, or what was being typed. */
function recall(state: LineState, at: number): LineState {
  if (at < 0 || at > state.history.length || at === state.at) return state;
  const draft = state.at === state.history.length ? state.text : state.draft;
  const text = state.history[at] ?? draft;
  return { ...state, text, cursor: text.length, at, draft };
}
