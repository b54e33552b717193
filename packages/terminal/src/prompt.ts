import type { Segment } from "./ansi.ts";
import type { TerminalApi } from "./api.ts";
import { excerpt } from "./clean-text.ts";
import type { History } from "./history.ts";
import type { Key } from "./keys.ts";
import { emptyLine, insert, type LineEffect, pressKey } from "./line-editor.ts";
import type { Screen } from "./screen.ts";

/** What a prompt is made of. */
export type PromptParts = {
  readonly api: Pick<TerminalApi, "listenKeys" | "suspend">;
  readonly screen: Screen;
  readonly history: History;
  readonly userName: string;
  /** What Tab may complete: `/commands` and `@names`. */
  readonly completions: () => readonly string[];
  /** Prints what was typed, before it is handed over. */
  readonly echo: (segments: readonly Segment[]) => Promise<void>;
  onSubmit(text: string): void;
  onInterrupt(): void;
  onEnd(): void;
  /** The screen could not be written. */
  onBroken(error: unknown): void;
};

/** The line where a person types. */
export type Prompt = {
  /** Begins to listen; returns what ends it. */
  open(): () => void;
  /** Shows who is thinking, above the line; an empty text for nobody. */
  setStatus(status: string): void;
};

const longestEcho = 4_000;

/** Makes the line; nothing is shown before it is opened. */
export function createPrompt(parts: PromptParts): Prompt {
  const { api, screen, history } = parts;
  const label = `${parts.userName}> `;
  const labelStyle = { type: "dim" } as const;
  let state = emptyLine([...history.entries]);
  let status = "";
  let isOpen = false;

  const supervise = (work: Promise<unknown>): void => void work.catch(parts.onBroken);
  const redraw = (): void => {
    if (!isOpen) return;
    const { text, cursor } = state;
    supervise(screen.setFooter({ status, prompt: label, promptStyle: labelStyle, text, cursor }));
  };

  const submit = (text: string): void => {
    history.add(text);
    redraw();
    const shown = text.length > longestEcho ? `${excerpt(text, 200)} (${text.length} characters)` : text;
    supervise(
      parts.echo([
        { text: label, style: labelStyle },
        { text: shown, style: { type: "plain" } },
      ]),
    );
    parts.onSubmit(text);
  };

  const act = (effect: LineEffect): void => {
    switch (effect.type) {
      case "none":
        return redraw();
      case "submit":
        return submit(effect.text);
      case "interrupt":
        return parts.onInterrupt();
      case "end":
        return parts.onEnd();
      case "clear-screen":
        return supervise(screen.clear());
      case "complete":
        state = insert(state, completion(state.text.slice(0, state.cursor), parts.completions()));
        return redraw();
      case "suspend":
        return api.suspend(redraw);
    }
  };

  return {
    open() {
      isOpen = true;
      const close = api.listenKeys({
        onKey(key: Key) {
          const step = pressKey(state, key);
          state = step.state;
          act(step.effect);
        },
        onResize: () => supervise(screen.resize()),
        onEnd: () => parts.onEnd(),
      });
      redraw();
      return () => {
        if (!isOpen) return;
        isOpen = false;
        close();
        supervise(screen.setFooter(null));
      };
    },
    setStatus(next) {
      status = next;
      redraw();
    },
  };
}

/** What Tab adds: the rest of the only candidate, or as much as all candidates share. */
function completion(before: string, candidates: readonly string[]): string {
  const word = /[/@][^\n]*$/u.exec(before)?.[0] ?? "";
  if (word === "" || (word.startsWith("/") && word !== before)) return "";
  const fitting = candidates.filter((candidate) => candidate.toLowerCase().startsWith(word.toLowerCase()));
  const [first = "", ...others] = fitting.map((candidate) => candidate.slice(word.length));
  if (fitting.length === 1) return `${first} `;
  let shared = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, shared))) shared -= 1;
  return first.slice(0, shared).toWellFormed() === first.slice(0, shared) ? first.slice(0, shared) : "";
}
