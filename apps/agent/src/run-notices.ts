import type { AgentEvent } from "@troupe/core";
import type { Player } from "./compose.ts";

/** Tells a person what became of their message when it was not answered, and counts. */
export type RunNotices = {
  listen(player: Player): void;
  /** Runs begun and not over. */
  underWay(): number;
  /** Runs that are over, whatever came of them. */
  ended(): number;
  /** Why runs failed, in their order. */
  failures(): readonly string[];
};

/** In a group most messages are meant for others; what these rules leave unanswered is told only when nobody answers. */
const quietRules: readonly string[] = ["mentions-only", "model", "other-addressed", "stopped"];

/** Makes the notices; `say` shows a line beside the conversation. */
export function createRunNotices(say: (text: string) => Promise<void>): RunNotices {
  const running = new Set<string>();
  const rules = new Map<string, string>();
  const failures: string[] = [];
  let ended = 0;
  const names: string[] = [];
  /** What became of the messages since everybody rested last. */
  const sinceRest = { answered: 0, quietly: 0 };

  const tellEnd = (name: string, event: Extract<AgentEvent, { type: "RUN_ENDED" }>): string | undefined => {
    const { outcome, reason = "no reason was given" } = event;
    switch (outcome) {
      case "answered":
        sinceRest.answered += 1;
        return undefined;
      case "ignored":
        if (names.length === 1 || !quietRules.includes(rules.get(event.runId) ?? "")) {
          return `(${name} said nothing: ${reason})`;
        }
        sinceRest.quietly += 1;
        return undefined;
      case "uncertain":
        return `(${name} answered, but nobody can know whether it arrived: ${reason})`;
      case "failed":
      case "aborted":
        failures.push(`${name} could not answer: ${reason}`);
        return `(${name} could not answer: ${reason})`;
    }
  };

  const tellRest = (): void => {
    if (running.size > 0) return;
    if (sinceRest.quietly > 0 && sinceRest.answered === 0) {
      void say(`(nobody felt addressed; @${names.join(" or @")} says whom you mean)`);
    }
    sinceRest.quietly = 0;
    sinceRest.answered = 0;
  };

  return {
    underWay: () => running.size,
    ended: () => ended,
    failures: () => failures,
    listen({ agent, character: { name } }) {
      names.push(name);
      agent.on((event) => {
        if (event.type === "RUN_STARTED") running.add(event.runId);
        if (event.type === "RUN_DECIDED") rules.set(event.runId, event.rule);
        if (event.type === "RUN_PARKED") {
          running.delete(event.runId);
          const why = event.reason === undefined ? "" : `; ${event.reason}`;
          void say(
            `(the answer of ${name} waits: it goes on as soon as it can, at the latest at the next start${why})`,
          );
        }
        if (event.type !== "RUN_ENDED") return;
        const text = tellEnd(name, event);
        running.delete(event.runId);
        rules.delete(event.runId);
        ended += 1;
        if (text !== undefined) void say(text);
        tellRest();
      });
    },
  };
}
