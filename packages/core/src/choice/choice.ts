import { hash } from "node:crypto";
import { isList, isObject } from "../action/json-kind.ts";
import type { JsonObject } from "../json.ts";
import type { Choice } from "../memory/memory.ts";
import type { Task } from "../store/tasks.ts";

/** The family of task kinds that are choices: `choice/<kind>`. */
export const choiceFamily = "choice";

/** A choice somebody is to make. */
export type Offer = {
  /** The same id again is the same offer, and changes nothing. */
  readonly id: string;
  /** Says which worker is told what was chosen. */
  readonly kind: string;
  readonly roomId: string;
  /** What the room is asked, 1..4,000 characters. */
  readonly text: string;
  /** 1..25; labels and values differ from each other. */
  readonly options: readonly Choice[];
  /** Who may answer, beside owners and admins; absent: only those, and anybody in a room that belongs to no world. */
  readonly entityId?: string;
  /** Epoch milliseconds; seven days from now when absent. */
  readonly expiresAt?: number;
  readonly payload?: JsonObject;
};

/** What somebody chose. `note` is what they said to it, such as a corrected text. */
export type ChoiceAnswer = {
  readonly value: string;
  readonly label: string;
  readonly entityId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly note?: string;
};

/** A choice and where it stands: open → answered, or expired, or withdrawn; never anything else after that. */
export type OfferedChoice = Omit<Offer, "expiresAt" | "payload"> & {
  readonly payload: JsonObject;
  readonly state: "open" | "answered" | "expired" | "withdrawn";
  /** When it expires, epoch milliseconds. */
  readonly expiresAt: number;
  readonly createdAt: number;
  readonly answer?: ChoiceAnswer;
};

/** The payload of a choice's task. */
export function toPayload({ text, options, payload = {} }: Offer, expiresAt: number): JsonObject {
  return { text, options: options.map(({ value, label }) => ({ value, label })), payload, expiresAt };
}

/** A choice from its task; null when the task is none. */
export function toChoice(task: Task): OfferedChoice | null {
  const { kind, payload, roomId, entityId } = task;
  const { text, options, payload: own, expiresAt } = payload;
  const isChoice = kind.startsWith(`${choiceFamily}/`) && typeof text === "string" && isList(options);
  if (!isChoice || roomId === undefined || typeof expiresAt !== "number") return null;
  const answer = readAnswer(payload["answer"]);
  return {
    id: task.id,
    kind: kind.slice(choiceFamily.length + 1),
    roomId,
    text,
    options: options.flatMap((one) => readOption(one) ?? []),
    payload: isObject(own) ? own : {},
    state: answer
      ? "answered"
      : payload["isExpired"] === true
        ? "expired"
        : task.state === "done"
          ? "withdrawn"
          : "open",
    expiresAt,
    createdAt: task.createdAt,
    ...(entityId !== undefined && { entityId }),
    ...(answer && { answer }),
  };
}

/** What comes back from a button: which choice, and which of its options. */
export function buttonValue(id: string, option: number): string {
  return `${markOf(id)}.${option + 1}`;
}

/** The choice's mark and the option's number in a button's value; null for other words. */
export function readButton(value: string): { readonly mark: string; readonly option: number } | null {
  const [, mark, option] = /^([0-9a-f]{12})\.(\d{1,2})$/u.exec(value.trim()) ?? [];
  return mark === undefined || option === undefined ? null : { mark, option: Number(option) - 1 };
}

/** Twelve characters that stand for a choice in its buttons, which have little room. */
export function markOf(id: string): string {
  return hash("sha256", id, "hex").slice(0, 12);
}

function readOption(one: unknown): Choice | null {
  if (!isObject(one)) return null;
  const { value, label } = one;
  return typeof value === "string" && typeof label === "string" ? { value, label } : null;
}

function readAnswer(kept: unknown): ChoiceAnswer | null {
  if (!isObject(kept)) return null;
  const { value, label, entityId, at, note } = kept;
  const isWhole = [value, label, entityId].every((part) => typeof part === "string") && typeof at === "number";
  if (!isWhole) return null;
  return {
    value: String(value),
    label: String(label),
    entityId: String(entityId),
    at: Number(at),
    ...(typeof note === "string" && { note }),
  };
}
