import type { Clock } from "@troupe/core";

/** Who is thinking, as one moving line. */
export type Thinking = {
  /** Somebody thinks until the returned function is called; calls for one name nest. */
  start(name: string): () => void;
  /** What they thought is being said: the line stops naming them. */
  speak(name: string): void;
  /** Nobody thinks any more, whatever was started. */
  close(): void;
};

const frames = ["·", "··", "···"];
const frameMs = 300;

/** Shows the line through `show`, an empty text for none, and moves it by the clock as long as somebody thinks. */
export function createThinking(clock: Clock, show: (status: string) => void): Thinking {
  const counts = new Map<string, number>();
  const speaking = new Set<string>();
  let moving: AbortController | null = null;
  let frame = 0;
  let shown = "";

  const update = (): void => {
    const names = [...counts.keys()].filter((name) => !speaking.has(name));
    const status = names.length === 0 ? "" : `${names.join(", ")} ${frames[frame % frames.length]}`;
    if (status !== shown) show(status);
    shown = status;
    if (names.length === 0) {
      moving?.abort();
      moving = null;
    } else if (!moving) {
      moving = new AbortController();
      move(moving.signal);
    }
  };
  const move = (signal: AbortSignal): void => {
    clock.sleep(frameMs, signal).then(
      () => {
        if (signal.aborted) return;
        frame += 1;
        update();
        move(signal);
      },
      () => undefined,
    );
  };

  return {
    start(name) {
      let isOver = false;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      update();
      return () => {
        if (isOver) return;
        isOver = true;
        const left = (counts.get(name) ?? 0) - 1;
        if (left > 0) counts.set(name, left);
        else {
          counts.delete(name);
          speaking.delete(name);
        }
        update();
      };
    },
    speak(name) {
      if (!counts.has(name)) return;
      speaking.add(name);
      update();
    },
    close() {
      counts.clear();
      update();
    },
  };
}
