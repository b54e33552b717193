import type { WireAnswer, WireRequest } from "./request.ts";

/** What goes wrong with a request. */
export type Fault =
  /** This is answered. `isApplied`: the server has done what was asked all the same; false when absent. */
  | { readonly type: "answer"; readonly answer: WireAnswer; readonly isApplied?: boolean }
  /** The connection is cut without an answer, before or after the server did what was asked. */
  | { readonly type: "drop"; readonly when: "before" | "after" }
  /** The answer comes this much later. */
  | { readonly type: "delay"; readonly ms: number }
  /** No answer ever comes, and the connection stays open. */
  | { readonly type: "hang"; readonly when: "before" | "after" }
  /** The server does what was asked twice and answers once. */
  | { readonly type: "duplicate" };

/**
 * Which requests are meant: `METHOD /path`, where `*` stands for anything within one part of the path and `**` for anything;
 * or a question asked of each request.
 */
export type FaultMatch = string | ((request: WireRequest) => boolean);

/** A fault that is waiting for its requests. */
export type PlannedFault = {
  readonly match: FaultMatch;
  readonly fault: Fault;
  /** How many requests it hits; 1 when absent, `Infinity` for all. */
  readonly times?: number;
  /** How many matching requests pass unharmed before; 0 when absent. */
  readonly after?: number;
};

/** Faults to come, first planned first used. */
export type Faults = {
  /** Plans one; the function it returns takes it back. */
  add(planned: PlannedFault): () => void;
  /** Forgets everything planned. */
  clear(): void;
  /** The fault that hits this request, used up by asking. */
  take(request: WireRequest): Fault | null;
};

type Waiting = { readonly planned: PlannedFault; times: number; after: number };

/** Makes an empty list of faults. */
export function createFaults(): Faults {
  let waiting: Waiting[] = [];
  return {
    add(planned) {
      const own = { planned, times: planned.times ?? 1, after: planned.after ?? 0 };
      waiting.push(own);
      return () => {
        waiting = waiting.filter((other) => other !== own);
      };
    },
    clear() {
      waiting = [];
    },
    take(request) {
      for (const own of waiting) {
        if (!matches(own.planned.match, request)) continue;
        if (own.after > 0) {
          own.after -= 1;
          continue;
        }
        own.times -= 1;
        if (own.times <= 0) waiting = waiting.filter((other) => other !== own);
        return own.planned.fault;
      }
      return null;
    },
  };
}

function matches(match: FaultMatch, request: WireRequest): boolean {
  if (typeof match === "function") return match(request);
  const parts = match.split(/(\*\*|\*)/);
  const source = parts.map((part) => (part === "**" ? ".*" : part === "*" ? "[^/]*" : RegExp.escape(part))).join("");
  return new RegExp(`^${source}$`).test(`${request.method} ${request.path}`);
}
