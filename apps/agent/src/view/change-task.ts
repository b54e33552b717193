import { systemClock } from "@troupe/core/clock";
import { printableLine } from "@troupe/core/explain";
import type { CommandContext } from "../commands/context.ts";
import { askAgent } from "../control/ask-agent.ts";
import { bookIn, changeTask, type TaskRequest } from "../control/change-tasks.ts";
import type { ChangedTask, ControlRequest } from "../control/protocol.ts";
import { holdHome } from "../home/lock.ts";
import { openData } from "./data.ts";
import { formatLocalTime } from "./local-time.ts";
import { findTask } from "./tasks.ts";
import { writeJson } from "./write.ts";

/** What an operator wants done with a task. */
export type TaskVerdict = {
  readonly as: Extract<ControlRequest, { type: "tasks.set" }>["as"];
  /** Its id, a beginning of it, or its name. */
  readonly wanted: string;
};

/**
 * Pauses, resumes, runs or removes a task: through the running agent when there is one, else in the data itself.
 * @throws TroupeError when there is none, or that cannot be done with it; ConfigError when somebody holds the home.
 */
export async function setTask(
  context: CommandContext,
  { as, wanted }: TaskVerdict,
  flags: { readonly json?: boolean },
): Promise<void> {
  const { player, task } = await findTask(await openData(context), wanted.trim());
  const request = { type: "tasks.set", agentId: player.agentId, id: task.id, as } as const;
  const { changed, isRunning } = await requestChange(context, request, `tasks ${as}`);
  if (flags.json) return writeJson(context, { ...changed, character: player.name });
  context.out.write(`${printableLine(task.name)} ${outcome(as, changed)}${as === "run" ? whenRun(isRunning) : ""}\n`);
}

function outcome(as: TaskVerdict["as"], { nextAt }: ChangedTask): string {
  switch (as) {
    case "pause":
      return "is held back";
    case "resume":
      return nextAt === undefined ? "goes on" : `goes on; its next turn is ${formatLocalTime(nextAt)}`;
    case "remove":
      return "is taken away";
    case "run":
      return "is done once more";
  }
}

function whenRun(isRunning: boolean): string {
  return isRunning ? " now" : " when the agent runs: npm start";
}

/** Has the running agent change a task; without one it is changed in the data, which nobody else may hold then. */
export async function requestChange(
  context: CommandContext,
  request: TaskRequest,
  command: string,
): Promise<{ readonly changed: ChangedTask; readonly isRunning: boolean }> {
  const asked = await askAgent(context.home.socketPath, request);
  if (asked.type === "answered") return { changed: asked.answer, isRunning: true };
  const { home, log } = context;
  const startedAt = new Date(systemClock.now()).toISOString();
  const lock = holdHome(home, { pid: process.pid, startedAt, characters: [], command });
  try {
    const { createSqliteStore } = await import("@troupe/store");
    const store = await createSqliteStore({ path: home.databasePath, log });
    try {
      const book = bookIn(request.agentId, { store, clock: systemClock });
      return { changed: await changeTask(book, request), isRunning: false };
    } finally {
      await store.admin.close();
    }
  } finally {
    lock.release();
  }
}
