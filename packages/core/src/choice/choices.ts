import { TroupeError } from "../errors.ts";
import type { JobHandler } from "../job/job-handler.ts";
import type { Choice } from "../memory/memory.ts";
import type { JobToDo } from "../store/jobs.ts";
import type { Task } from "../store/tasks.ts";
import type { OwnWorkerParts } from "../task/own-workers.ts";
import type { OwnTaskBook } from "../task/task-book.ts";
import { toldInbound } from "../task/told.ts";
import {
  buttonValue,
  type ChoiceAnswer,
  choiceFamily,
  type Offer,
  type OfferedChoice,
  toChoice,
  toPayload,
} from "./choice.ts";

/** Choices that await people, and everything that may be done about them. Whatever is changed is durable when it resolves. */
export interface Choices {
  /** Asks the room, once. @throws TroupeError `invalid` naming what is wrong with the offer. */
  offer(offer: Offer): Promise<OfferedChoice>;
  get(id: string): Promise<OfferedChoice | null>;
  /** Takes an open one back, so that nobody can answer it any more, and says whether it was open. Its worker is told nothing. */
  withdraw(id: string): Promise<boolean>;
}

/** Choices with what only the house does with them. */
export type OwnChoices = Choices & {
  /** Keeps the first answer; null when it is not open any more. */
  answer(id: string, answer: ChoiceAnswer): Promise<OfferedChoice | null>;
  /** Those of a room in the order in which they were offered; only open ones unless `all`. */
  inRoom(roomId: string, which?: "open" | "all"): Promise<readonly OfferedChoice[]>;
};

/** What choices are kept with. */
export type ChoicesParts = OwnWorkerParts & { readonly book: OwnTaskBook };

/** The kind of the jobs in which rooms are asked. */
export const offerJobKind = "choice-offer";

const usualLifeMs = 7 * 86_400_000;
const longestText = 4_000;
const longestLabel = 80;
const longestValue = 200;
const mostOptions = 25;
const mostInRoom = 200;

/** The choices of an agent, each kept as a task whose one turn is its end. */
export function createChoices({ book, clock }: ChoicesParts): OwnChoices {
  return {
    async offer(offer) {
      const earlier = await book.get(offer.id);
      if (earlier) return asChoice(earlier);
      const now = clock.now();
      checkOffer(offer, now);
      const { id, kind, text, roomId, entityId, expiresAt = now + usualLifeMs } = offer;
      const name = [...text.replace(/\s+/gu, " ").trim()].slice(0, 80).join("");
      const task = await book.put(
        {
          id,
          name,
          kind: `${choiceFamily}/${kind}`,
          payload: toPayload(offer, expiresAt),
          schedule: { type: "once", at: expiresAt },
          catchUp: "once",
          roomId,
          ...(entityId !== undefined && { entityId }),
        },
        [{ type: "job.put", job: offerJob(id, now) }],
      );
      return asChoice(task);
    },
    async get(id) {
      const task = await book.get(id);
      return task && toChoice(task);
    },
    async withdraw(id) {
      const changed = await book.change(id, (task) => {
        if (toChoice(task)?.state !== "open") return null;
        const { nextAt: _, ...rest } = task;
        return { task: { ...rest, state: "done" } };
      });
      return changed !== null;
    },
    async answer(id, answer) {
      const changed = await book.change(id, (task) => {
        if (toChoice(task)?.state !== "open") return null;
        // Its one turn is now; the one in which it would have expired finds itself unwanted.
        const at = clock.now();
        const schedule = { type: "once", at } as const;
        return { task: { ...task, state: "active", payload: { ...task.payload, answer }, schedule, nextAt: at } };
      });
      return changed && toChoice(changed);
    },
    async inRoom(roomId, which = "open") {
      const tasks = await book.list({ roomId, limit: mostInRoom });
      return tasks
        .flatMap((task) => toChoice(task) ?? [])
        .filter(({ state }) => which === "all" || state === "open")
        .toSorted((a, b) => a.createdAt - b.createdAt);
    },
  };
}

function asChoice(task: Task): OfferedChoice {
  const choice = toChoice(task);
  if (choice) return choice;
  throw new TroupeError("conflict", `${task.id} is a task of kind ${task.kind}, no choice; give the choice another id`);
}

function offerJob(id: string, at: number): JobToDo {
  return { id: `choice/${id}/offer`, kind: offerJobKind, payload: { taskId: id }, runAt: at };
}

/** Asks rooms: the job that is put together with each choice. A second time it asks nothing. */
export function createOfferJob({ book, agentId, store, clock, receive }: ChoicesParts): JobHandler {
  return {
    async run({ taskId }) {
      const task = typeof taskId === "string" ? await book.get(taskId) : null;
      const choice = task && toChoice(task);
      if (choice?.state !== "open") return;
      const { id, text, options, roomId, entityId } = choice;
      const choices = options.map(({ label }, n): Choice => ({ label, value: buttonValue(id, n) }));
      const placing = { agentId, roomId, entityId, eventId: `choice/${id}/offer`, at: clock.now() };
      await receive(await toldInbound({ text, choices }, placing, store));
    },
  };
}

function checkOffer({ kind, text, options, expiresAt }: Offer, now: number): void {
  const refuse = (why: string): never => {
    throw new TroupeError("invalid", `The choice cannot be offered. ${why}`);
  };
  if (kind === "") refuse("Say with its kind which worker is told the answer.");
  if (text.trim() === "" || text.length > longestText) refuse(`Give it a text of 1 to ${longestText} characters.`);
  if (options.length < 1 || options.length > mostOptions) refuse(`Give it 1 to ${mostOptions} options.`);
  for (const { value, label } of options) {
    if (label.trim() === "" || label.length > longestLabel)
      refuse(`Give each option a label of 1 to ${longestLabel} characters.`);
    if (value === "" || value.length > longestValue)
      refuse(`Give each option a value of 1 to ${longestValue} characters.`);
  }
  const values = new Set(options.map(({ value }) => value));
  const labels = new Set(options.map(({ label }) => label.trim().toLowerCase()));
  if (values.size < options.length || labels.size < options.length) refuse("Give each option its own value and label.");
  if (expiresAt !== undefined && !(Number.isSafeInteger(expiresAt) && expiresAt > now)) {
    refuse("Its end is no moment to come; give expiresAt in epoch milliseconds.");
  }
}
