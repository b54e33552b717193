/** Cuts a streamed text at the first of some words. */
export type StopCutter = {
  /** The text that may be passed on now; what could be the beginning of a stop word is held back. */
  push(text: string): string;
  /** What was held back when the stream ended. */
  end(): string;
  /** True once a stop word came; nothing is passed on from then on. */
  readonly hasStopped: boolean;
};

/** A cutter for vendors that know no stop words themselves. The words themselves are not passed on. */
export function createStopCutter(words: readonly string[]): StopCutter {
  const stops = words.filter((word) => word !== "");
  let held = "";
  let hasStopped = false;
  return {
    push(text) {
      if (hasStopped) return "";
      held += text;
      const cuts = stops.map((word) => held.indexOf(word)).filter((index) => index >= 0);
      hasStopped = cuts.length > 0;
      const safe = hasStopped ? Math.min(...cuts) : held.length - longestOpenEnd(held, stops);
      const passed = held.slice(0, safe);
      held = hasStopped ? "" : held.slice(safe);
      return passed;
    },
    end() {
      const rest = held;
      held = "";
      return rest;
    },
    get hasStopped() {
      return hasStopped;
    },
  };
}

/** Length of the longest end of `text` with which one of the words begins. */
function longestOpenEnd(text: string, words: readonly string[]): number {
  const longest = Math.max(0, ...words.map((word) => word.length - 1));
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (words.some((word) => word.startsWith(end))) return length;
  }
  return 0;
}
