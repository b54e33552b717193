import type { Clock } from "../clock.ts";
import { TroupeError } from "../errors.ts";
import type { Inbound } from "../inbox/inbound.ts";
import type { Store } from "../store/store.ts";
import type { Task } from "../store/tasks.ts";
import type { TaskTurn, TaskWorker } from "./task-worker.ts";
import { type Placing, placedInbound, toldInbound } from "./told.ts";
import { describeMoment } from "./zone.ts";

/** What the house's own workers work with. */
export type OwnWorkerParts = {
  readonly agentId: string;
  readonly store: Pick<Store, "rooms">;
  readonly clock: Pick<Clock, "now">;
  readonly receive: (inbound: Inbound) => Promise<void>;
};

/** Tells the task's room the payload's `text`, to its person by name, exactly once a turn. */
export function createRemindWorker(parts: OwnWorkerParts): TaskWorker {
  const { agentId, store, receive } = parts;
  return {
    async run(task, turn) {
      const { entityId } = task;
      const [person] = entityId === undefined ? [] : await store.rooms.entities(agentId, [entityId]);
      const { timeZone } = task.payload;
      const zone = typeof timeZone === "string" ? timeZone : "UTC";
      const late = turn.isLate ? ` (${describeMoment(turn.at, zone)})` : "";
      const text = `⏰ ${person ? `${person.name}: ` : ""}${textOf(task)}${late}`;
      await receive(await toldInbound({ text }, placing(parts, task, turn), store));
    },
  };
}

/** Puts the payload's `text` into the task's room as a question to the character, which answers it there once a turn. */
export function createAskWorker(parts: OwnWorkerParts): TaskWorker {
  const { store, receive } = parts;
  return {
    async run(task, turn) {
      const text = textOf(task);
      const command = { name: "ask", parameters: { question: text } };
      await receive(await placedInbound({ text, command }, placing(parts, task, turn), store));
    },
  };
}

function placing({ agentId, clock }: OwnWorkerParts, { roomId, entityId }: Task, { id }: TaskTurn): Placing {
  return { agentId, roomId, entityId, eventId: id, at: clock.now() };
}

function textOf({ payload: { text }, kind }: Task): string {
  if (typeof text === "string" && text.trim() !== "") return text;
  throw new TroupeError(
    "invalid",
    `the payload of a task of kind ${kind} has no text; plan it anew with { "text": "…" }`,
  );
}
