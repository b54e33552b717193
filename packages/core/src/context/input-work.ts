import type { Clock } from "../clock.ts";
import { errorMessage, ValidationError } from "../errors.ts";
import type { Events } from "../event/event.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Log } from "../log.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { Planning } from "../task/planning.ts";
import type { TaskBook } from "../task/task-book.ts";
import type { TaskWorker } from "../task/task-worker.ts";
import type { ContextRef } from "./context-definition.ts";
import type { ContextDefinitions, InputTo } from "./context-definitions.ts";
import type { SentInput } from "./context-inbound.ts";
import type { InputSource, SendInput } from "./context-input.ts";
import { refTo } from "./context-ref.ts";
import { toPlainJson } from "./plain-json.ts";

/** The kind of the tasks by which schedules send. */
export const inputTaskKind = "context-input";

/** Where schedules are kept, and who does them. */
export type InputTasks = {
  readonly tasks: Pick<TaskBook, "put" | "list" | "remove">;
  readonly addTaskWorker: Planning["addTaskWorker"];
};

/** What inputs work with. */
export type InputWorkParts = {
  readonly agentId: string;
  readonly definitions: ContextDefinitions;
  /** Resolves when it is durable. */
  readonly send: (ref: ContextRef, input: SentInput) => Promise<unknown>;
  readonly events: Pick<Events, "on">;
  /** Absent: schedules cannot be kept. */
  readonly planning?: InputTasks;
  readonly clock: Clock;
  readonly log: Log;
};

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;

/** Inputs at work. */
export type InputWork = {
  /** Plans what comes at its time, and begins to listen. Resolves soon. */
  start(): Promise<void>;
  /** Ends the listening; resolves when every subscription that tells has ended. */
  stop(): Promise<void>;
};

/** Nothing listens before `start`. What fails is logged by name, and the other inputs go on. */
export function createInputWork(parts: InputWorkParts): InputWork {
  const over = new AbortController();
  const working = new Set<Promise<void>>();
  const closers: (() => void)[] = [];
  return {
    async start() {
      const { definitions, planning } = parts;
      const worker: TaskWorker = { run: (task, turn) => sendTurn(task.payload, turn.id, parts) };
      if (planning) closers.push(planning.addTaskWorker(inputTaskKind, worker, "contexts"));
      const planned = new Set<string>();
      for (const to of definitions.inputs()) {
        const send = sendTo(to, parts);
        for (const [at, source] of to.input.sources.entries()) {
          if (source.type === "subscription") {
            const work = listen(source, { to, send, signal: over.signal }, parts).finally(() => working.delete(work));
            working.add(work);
          } else if (source.type === "event") {
            closers.push(hear(source, { to, send }, parts));
          } else if (source.type === "schedule") {
            planned.add(await plan(source, { to, at }, parts));
          }
        }
      }
      await unplan(planned, parts);
    },
    async stop() {
      over.abort();
      for (const close of closers.splice(0)) close();
      await Promise.all(working);
    },
  };
}

/** How an input is given to a context by its arguments. */
export function sendTo(
  { context, input }: InputTo,
  { definitions, send }: Pick<InputWorkParts, "definitions" | "send">,
): SendInput {
  return async ({ args, value, eventId, from }) => {
    const ref = refTo(definitions.get(context.type) ?? context, args ?? undefined);
    await send(ref, {
      input: input.name,
      value,
      ...(eventId !== undefined && { eventId }),
      ...(from && { from }),
    });
  };
}

type Listening = { readonly to: InputTo; readonly send: SendInput; readonly signal: AbortSignal };

/** A subscription that fails is begun again, each time after a longer wait; one that ends by itself has ended. */
async function listen(
  { subscribe }: Extract<InputSource, { type: "subscription" }>,
  { to, send, signal }: Listening,
  { clock, log }: InputWorkParts,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      await subscribe(send, signal);
      return;
    } catch (error) {
      if (signal.aborted) return;
      const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** failures);
      const about = { type: to.context.type, input: to.input.name, waitMs, error: errorMessage(error) };
      log.error(about, "an input's subscription failed; it is begun again");
      // Aborted is the only way a sleep fails, and then the loop ends.
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }
}

function hear(
  source: Extract<InputSource, { type: "event" }>,
  { to, send }: Omit<Listening, "signal">,
  { events, log }: InputWorkParts,
): () => void {
  return events.on(async (happened) => {
    if (happened.type !== source.event) return;
    try {
      const given = source.read(happened);
      if (given) await send(given);
    } catch (error) {
      const about = { type: to.context.type, input: to.input.name, event: happened.type, error: errorMessage(error) };
      log.error(about, "an input could not take an event");
    }
  });
}

type Planned = { readonly to: InputTo; readonly at: number };

/** The same source of the same input is the same task, over restarts; another schedule plans it anew. */
async function plan(
  { schedule, catchUp, args, value }: Extract<InputSource, { type: "schedule" }>,
  { to, at }: Planned,
  { agentId, planning, log }: InputWorkParts,
): Promise<string> {
  const { context, input } = to;
  const id = deriveId("task", agentId, inputTaskKind, context.type, input.name, String(at));
  const about = { type: context.type, input: input.name };
  if (!planning) {
    log.error(about, "an input has a schedule, and nothing keeps schedules here; give the agent its tasks");
    return id;
  }
  try {
    const payload = toPlainJson({ type: context.type, input: input.name, args: args ?? null, value });
    if (!payload.ok) throw new ValidationError(`its args or value are no plain JSON: ${payload.problem}`);
    await planning.tasks.put({
      id,
      name: `${context.type}: ${input.name}`,
      kind: inputTaskKind,
      payload: objectOf(payload.value),
      schedule,
      ...(catchUp && { catchUp }),
    });
  } catch (error) {
    log.error({ ...about, error: errorMessage(error) }, "an input's schedule could not be planned");
  }
  return id;
}

const listed = 1_000;

/** What no input asks for any more is not done any more. */
async function unplan(planned: ReadonlySet<string>, { planning, log }: InputWorkParts): Promise<void> {
  if (!planning) return;
  try {
    const known = await planning.tasks.list({ kind: inputTaskKind, limit: listed });
    for (const { id } of known) if (!planned.has(id)) await planning.tasks.remove(id);
  } catch (error) {
    log.error({ error: errorMessage(error) }, "old schedules of inputs could not be looked at");
  }
}

/** @throws ValidationError when nothing takes it any more: the task tells. */
async function sendTurn(payload: JsonObject, eventId: string, parts: InputWorkParts): Promise<void> {
  const { type, input, args, value } = payload;
  const to = parts.definitions.inputs().find((one) => one.context.type === type && one.input.name === input);
  if (!to) {
    throw new ValidationError(`no context ${String(type)} has an input ${String(input)} any more; remove the task`);
  }
  await sendTo(to, parts)({ args: args ?? undefined, value: value ?? null, eventId });
}

function objectOf(value: JsonValue): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
