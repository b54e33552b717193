import type { z } from "zod";
import { ValidationError } from "../errors.ts";
import type { AgentEvent, AgentEventType } from "../event/event.ts";
import { eventTypes } from "../event/event.ts";
import type { Inbound } from "../inbox/inbound.ts";
import type { JsonValue } from "../json.ts";
import type { CatchUp } from "../store/tasks.ts";
import type { DraftSchedule } from "../task/task-draft.ts";
import type { ContextInput, InputSource, SendInput, WebhookRequest } from "./context-input.ts";
import { toPlainJson } from "./plain-json.ts";
import { isSchema, readKept } from "./zod-reading.ts";

/** An input as its author writes it. */
export type InputOptions<Schema extends z.ZodType> = {
  /** 1..64 of lower case letters, digits, `_` and `-`, the first a letter. */
  readonly name: string;
  /** What comes in; absent: any JSON. */
  readonly schema?: Schema;
  /** The words the model is shown; absent: a text as it is, anything else as JSON. */
  format?(value: z.output<Schema>): string;
  /** Listens until the signal aborts and sends what it hears. */
  subscribe?(send: SendInput, signal: AbortSignal): Promise<void> | void;
  /** Where it comes from beside: {@link messages}, {@link schedule}, {@link webhook}, {@link event}. */
  readonly source?: InputSource | readonly InputSource[];
};

const nameForm = /^[a-z][a-z0-9_-]{0,63}$/;

/**
 * A way for something to come to a context. Without a source it is only sent to by the program.
 * @throws ValidationError naming the input, everything that is wrong with it and the remedy.
 */
export function input<Schema extends z.ZodType = z.ZodType<JsonValue>>(options: InputOptions<Schema>): ContextInput {
  const { name, schema, format, subscribe, source = [] } = options;
  const given: unknown = source;
  const sources = Array.isArray(given) ? given : [given];
  const problems = [
    ...(typeof name === "string" && nameForm.test(name)
      ? []
      : ['its name must have lower case letters, digits, "_" or "-" only and begin with a letter, at most 64']),
    ...(schema === undefined || isSchema(schema) ? [] : ["its schema is none; write a zod schema"]),
    ...(format === undefined || typeof format === "function" ? [] : ["its format is no function"]),
    ...(subscribe === undefined || typeof subscribe === "function" ? [] : ["its subscribe is no function"]),
    ...sources.flatMap(sourceProblems),
  ];
  if (problems.length > 0) throw new ValidationError(`Input ${String(name)} cannot be used: ${problems.join("; ")}.`);
  const own: InputSource[] = subscribe ? [{ type: "subscription", subscribe }] : [];
  return {
    name,
    read: (value) => (schema ? readKept(schema, value) : toPlainJson(value)),
    // What is formatted was read by the schema, also when it comes from the store.
    format: (value) => (format ? format(value as z.output<Schema>) : plainText(value)),
    sources: [...own, ...sources],
  };
}

function plainText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function sourceProblems(source: unknown): readonly string[] {
  const type = typeof source === "object" && source !== null && "type" in source ? source.type : undefined;
  const known = ["subscription", "messages", "schedule", "webhook", "event"];
  if (known.includes(String(type))) return [];
  return ["its source is none; make one with messages, schedule, webhook or event"];
}

/** What clients hear, as an input: what `args` gives arguments for goes to this context, everything else to its room. */
export function messages(options: { args(inbound: Inbound): unknown }): InputSource {
  return { type: "messages", args: options.args };
}

/** A time, again and again or once, as an input. Also what passed while nothing ran is caught up with, as `catchUp` says. */
export function schedule(
  when: DraftSchedule,
  options: { readonly args?: unknown; readonly value?: unknown; readonly catchUp?: CatchUp } = {},
): InputSource {
  const { args, value = null, catchUp } = options;
  return { type: "schedule", schedule: when, args, value, ...(catchUp && { catchUp }) };
}

/** A request from outside, as an input: POST `/contexts/<type>/<path>`. @throws ValidationError when nothing verifies it. */
export function webhook(options: {
  /** Texts between slashes: letters, digits, `_`, `.`, `~`, `-`. */
  readonly path: string;
  /** Says whether the sender may: compare a secret or a signature. */
  verify(request: WebhookRequest): Promise<boolean> | boolean;
  /** What to send, or null for nothing. */
  read(request: WebhookRequest): Parameters<SendInput>[0] | null;
}): InputSource {
  const { path, verify, read } = options;
  if (typeof path !== "string" || !/^(?:[\w~-][\w.~-]*)(?:\/[\w~-][\w.~-]*)*$/.test(path)) {
    throw new ValidationError(
      `The webhook ${String(path)} has no usable path; write texts between slashes, as in orders/new.`,
    );
  }
  if (typeof verify !== "function" || typeof read !== "function") {
    throw new ValidationError(
      `The webhook ${path} has no verify or no read; give it both, so that not everybody may send.`,
    );
  }
  return { type: "webhook", path, verify, read };
}

/** Something that happens in the agent, as an input. @throws ValidationError for an event there is none of. */
export function event<Type extends AgentEventType>(
  type: Type,
  read: (happened: Extract<AgentEvent, { readonly type: Type }>) => Parameters<SendInput>[0] | null,
): InputSource {
  if (!Object.hasOwn(eventTypes, type)) {
    throw new ValidationError(`There is no event ${String(type)}; there are ${Object.keys(eventTypes).join(", ")}.`);
  }
  // It is only handed events of its type.
  return { type: "event", event: type, read: (happened) => read(happened as Extract<AgentEvent, { type: Type }>) };
}
