import type { JsonObject } from "../json.ts";

/** When a task is to be done. */
export type Schedule =
  | { readonly type: "once"; readonly at: number }
  /** At `from`, then every `everyMs`. */
  | { readonly type: "every"; readonly everyMs: number; readonly from: number }
  /** Five fields, or six with seconds first; by the clocks of `timeZone`, an IANA name. */
  | { readonly type: "cron"; readonly expression: string; readonly timeZone: string };

/** What is done about the times that passed while nothing ran: nothing, one turn for all of them, or each. */
export type CatchUp = "skip" | "once" | "all";

/** Something to be done at a time, again and again or once. `active` → `done`; `paused` by a person or after too many failures. */
export type Task = {
  /** Derived from what put it, so that a repeated action plans once. */
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  /** Says who does it. */
  readonly kind: string;
  readonly payload: JsonObject;
  readonly schedule: Schedule;
  readonly catchUp: CatchUp;
  readonly state: "active" | "paused" | "done";
  /** The next turn, epoch milliseconds; absent when there is none. */
  readonly nextAt?: number;
  readonly lastAt?: number;
  /** Failures in a row. */
  readonly failures: number;
  readonly lastError?: string;
  /** Whose it is and where it was asked for. */
  readonly roomId?: string;
  readonly entityId?: string;
  readonly createdAt: number;
};

/** Tasks; changed by `task.put` and `task.remove`. */
export interface Tasks {
  get(agentId: string, id: string): Promise<Task | null>;
  /** By their next turn, those without one last. */
  list(
    agentId: string,
    query: {
      readonly limit: number;
      readonly states?: readonly Task["state"][];
      readonly kind?: string;
      readonly roomId?: string;
      readonly entityId?: string;
    },
  ): Promise<readonly Task[]>;
}
