import { TroupeError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { CatchUp, Schedule, Task } from "../store/tasks.ts";
import { checkSchedule, nextTurn } from "./schedule.ts";

/** A schedule as it is asked for: an interval may leave out its beginning, which is one interval from now then. */
export type DraftSchedule =
  | Exclude<Schedule, { type: "every" }>
  | { readonly type: "every"; readonly everyMs: number; readonly from?: number };

/** A task to be planned. */
export type TaskDraft = {
  /** The same id again is the same task: as it was if nothing changed, else planned anew. */
  readonly id: string;
  /** What people call it, 1..200 characters. */
  readonly name: string;
  /** Says which worker does it. */
  readonly kind: string;
  readonly payload?: JsonObject;
  readonly schedule: DraftSchedule;
  /** `once` when absent. */
  readonly catchUp?: CatchUp;
  readonly roomId?: string;
  readonly entityId?: string;
};

/** A turn that comes later than this was missed. */
export const lateMs = 60_000;

const longestName = 200;
const catchUps: readonly CatchUp[] = ["skip", "once", "all"];

/**
 * The task of a draft, and whether it is any different from what was there. @throws TroupeError `invalid` naming what is wrong with
 * the draft and the remedy.
 */
export async function toTask(
  draft: TaskDraft,
  { now, earlier }: { readonly now: number; readonly earlier: Task | null },
): Promise<{ readonly task: Task; readonly isNew: boolean }> {
  const { id, name, kind, payload = {}, catchUp = "once", roomId, entityId } = draft;
  const shown = name.slice(0, 60) || id;
  const refuse = (why: string): never => {
    throw new TroupeError("invalid", `The task ${shown} cannot be planned. ${why}`);
  };
  if (id === "" || id.length > 200) refuse("Give it an id of 1 to 200 characters.");
  if (name.trim() === "" || name.length > longestName) refuse(`Give it a name of 1 to ${longestName} characters.`);
  if (kind === "") refuse("Say with its kind which worker does it.");
  if (!catchUps.includes(catchUp)) refuse(`Its catchUp is one of ${catchUps.join(", ")}.`);
  const schedule = withBeginning(draft.schedule, now, earlier);
  const problem = await checkSchedule(schedule);
  if (problem !== null) refuse(problem);
  const whole = {
    name,
    kind,
    payload,
    schedule,
    catchUp,
    ...(roomId !== undefined && { roomId }),
    ...(entityId !== undefined && { entityId }),
  };
  if (earlier && isSame(earlier, whole)) return { task: earlier, isNew: false };
  const turn = await firstTurn(schedule, now);
  if (turn === null) return refuse("Its time has passed already; give a time to come.");
  const nextAt = Math.max(turn, now);
  const createdAt = earlier?.createdAt ?? now;
  const { lastAt } = earlier ?? {};
  const task: Task = {
    id,
    ...whole,
    state: "active",
    nextAt,
    failures: 0,
    createdAt,
    ...(lastAt !== undefined && { lastAt }),
  };
  return { task, isNew: true };
}

/** A single time that has only just passed is meant all the same; an interval may begin at once. */
function firstTurn(schedule: Schedule, now: number): Promise<number | null> {
  switch (schedule.type) {
    case "once":
      return nextTurn(schedule, now - lateMs);
    case "every":
      return nextTurn(schedule, now - 1);
    case "cron":
      return nextTurn(schedule, now);
  }
}

function withBeginning(schedule: DraftSchedule, now: number, earlier: Task | null): Schedule {
  if (schedule.type !== "every") return schedule;
  const { type, everyMs, from } = schedule;
  if (from !== undefined) return { type, everyMs, from };
  const before = earlier?.schedule;
  const isKept = before?.type === "every" && before.everyMs === everyMs;
  return { type, everyMs, from: isKept ? before.from : now + everyMs };
}

type Definition = Pick<Task, "name" | "kind" | "payload" | "schedule" | "catchUp" | "roomId" | "entityId">;

/** Rooms may have moved since: a task stays where it went. */
function isSame(earlier: Task, wanted: Definition): boolean {
  return definitionOf(earlier) === definitionOf(wanted);
}

function definitionOf({ name, kind, payload, schedule, catchUp, entityId }: Definition): string {
  return stable([name, kind, payload, schedule, catchUp, entityId ?? null]);
}

/** JSON with the members of objects in the order of their names. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
