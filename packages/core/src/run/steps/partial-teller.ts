import { textCallId } from "../record-text.ts";
import type { Run } from "../run.ts";
import type { PartialEntry } from "./context-feed.ts";

/** Tells those who follow the context what grows while the model speaks. */
export type PartialTeller = {
  thought(delta: string): void;
  text(delta: string): void;
  /** An output other than the message grows. */
  output(number: number, name: string, delta: string): void;
  /** A call's element was opened. */
  call(number: number, name: string): void;
  /** The answer is at its end. */
  end(): void;
};

/** For one answer. Where nobody follows, nothing is done. */
export function createPartialTeller(run: Run, step: number): PartialTeller {
  const { feed } = run.parts;
  const { contextId } = run.lease.fence;
  const { runId } = run.recorder;
  const open = new Map<string, Omit<PartialEntry, "delta" | "isDone">>();
  const tell = (kind: PartialEntry["kind"], own: string, delta: string, name?: string): void => {
    if (!feed.isFollowed(contextId)) return;
    const about = { runId, step, id: `${runId}/${own}`, kind, ...(name !== undefined && { name }) };
    open.set(own, about);
    feed.partial(contextId, { ...about, delta, isDone: false });
  };
  return {
    thought: (delta) => tell("thought", `${step}.thought`, delta),
    text: (delta) => tell("output", textCallId(step), delta, "message"),
    output: (number, name, delta) => tell("output", `${step}.${number}`, delta, name),
    call: (number, name) => tell("call", `${step}.${number}`, "", name),
    end() {
      for (const about of open.values()) feed.partial(contextId, { ...about, delta: "", isDone: true });
      open.clear();
    },
  };
}
