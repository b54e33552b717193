import type { Happening } from "./stage.ts";

/** What happens on the stages, as lines for a person. */
export type Transcript = {
  /** Takes something that can be seen on a platform. */
  note(platform: string, happening: Happening): void;
  /** Prints what still waits for the rest of it. */
  flush(): void;
};

/** A transcript is made of what prints a line, and of timers. */
export type TranscriptParts = {
  readonly print: (line: string) => void;
  /** Runs something later; the function it returns takes that back. */
  readonly later: (delayMs: number, run: () => void) => () => void;
};

type Pending = {
  readonly platform: string;
  readonly place: string;
  readonly by: string;
  text: string;
  cancel: () => void;
};

/** Longer than the time between two edits of a text that grows. */
const settleMs = 1_500;
const rememberedMessages = 2_000;

/**
 * Prints a line for each message and reaction. What bots say may grow by edits: it is printed once it has not changed for a
 * while, and once more when it does afterwards.
 */
export function createTranscript({ print, later }: TranscriptParts): Transcript {
  const pending = new Map<string, Pending>();
  const printed = new Map<string, { readonly place: string; readonly by: string; readonly text: string }>();

  const say = (
    key: string,
    { platform, place, by, text }: Pick<Pending, "platform" | "place" | "by" | "text">,
  ): void => {
    const isAgain = printed.has(key);
    print(lineOf(platform, place, `${by}${isAgain ? " (changed)" : ""}: ${text}`));
    printed.set(key, { place, by, text });
    const [oldest] = printed.keys();
    if (printed.size > rememberedMessages && oldest !== undefined) printed.delete(oldest);
  };
  const settle = (key: string): void => {
    const found = pending.get(key);
    pending.delete(key);
    found?.cancel();
    if (found && printed.get(key)?.text !== found.text) say(key, found);
  };
  const wait = (key: string, message: Omit<Pending, "cancel">): void => {
    pending.get(key)?.cancel();
    pending.set(key, { ...message, cancel: later(settleMs, () => settle(key)) });
  };

  return {
    note(platform, happening) {
      switch (happening.type) {
        case "said": {
          const { place, by, text, account } = happening;
          const key = `${platform} ${happening.key}`;
          if (account === null) say(key, { platform, place, by, text });
          else wait(key, { platform, place, by, text });
          return;
        }
        case "changed": {
          const key = `${platform} ${happening.key}`;
          const known = pending.get(key) ?? printed.get(key);
          if (known && known.text !== happening.text)
            wait(key, { platform, place: known.place, by: known.by, text: happening.text });
          return;
        }
        case "removed": {
          const key = `${platform} ${happening.key}`;
          const known = pending.get(key) ?? printed.get(key);
          pending.get(key)?.cancel();
          pending.delete(key);
          if (known) print(lineOf(platform, known.place, `${known.by} takes a message back`));
          return;
        }
        case "did":
          return print(lineOf(platform, happening.place, `${happening.by} ${happening.what}`));
      }
    },
    flush() {
      for (const key of [...pending.keys()]) settle(key);
    },
  };
}

/** A line of the transcript: where, then who and what. */
export function lineOf(platform: string, place: string, text: string): string {
  return `${platform.padEnd(8)} ${place.padEnd(18)} ${text.replaceAll(/\s*\n\s*/g, " ⏎ ")}`;
}
