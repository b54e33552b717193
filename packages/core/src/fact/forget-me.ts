import type { ActionCall, ActionResult, RegisteredAction } from "../action/action.ts";
import type { Clock } from "../clock.ts";
import type { Events } from "../event/event.ts";
import type { JobHandler } from "../job/job-handler.ts";
import type { JsonObject } from "../json.ts";
import type { Log } from "../log.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { Forgetting } from "../store/forgetting.ts";
import type { JobToDo } from "../store/jobs.ts";
import type { Store } from "../store/store.ts";
import { accountsOf } from "./person.ts";

/** What forgetting people needs. */
export type ForgetParts = {
  readonly agentId: string;
  readonly store: Pick<Store, "memories" | "journal" | "keyValues" | "relationships" | "admin">;
  readonly events: Events;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  readonly wakeJobs: () => void;
};

/** The kind of the jobs that forget, once the run in which it was asked for is over. */
export const forgetKind = "forget";

const pendingNamespace = "forget-me";
/** A question whether to forget is answered within this, or it is asked anew. */
const pendingMs = 10 * 60_000;
/** How far back the last exchange is looked for. */
const lookedBack = 60;
const yes = /^(?:yes|y|ja|oui|sí|si|sim|tak|evet|да|はい|是|네|confirm|everything|all|me)(?![\p{L}\p{N}])/iu;

/** FORGET_ME: forgets everything about who asks, on all their accounts, once they confirmed it; or the last exchange alone. */
export function createForgetMe(parts: ForgetParts): RegisteredAction {
  return {
    name: "FORGET_ME",
    similes: ["DELETE_MY_DATA", "FORGET_EVERYTHING_ABOUT_ME"],
    description:
      "Forget everything about the person who speaks, when they ask for it; they are asked to confirm first.",
    command: "forget",
    parameters: [
      {
        name: "what",
        description: '"last" for the last exchange only, "yes" to confirm that everything is to be forgotten',
        schema: { type: "string" },
      },
      {
        name: "confirm",
        description: "True once the person confirmed that everything is to be forgotten",
        schema: { type: "boolean" },
      },
    ],
    policy: { idempotent: true },
    run: (call) => forgetMe(call, parts),
  };
}

const warning =
  "This forgets everything I keep about you, on all your linked accounts: what you said, what I answered, every note. It cannot be undone.";

async function forgetMe(call: ActionCall, parts: ForgetParts): Promise<ActionResult> {
  const { message, parameters } = call;
  const what = typeof parameters["what"] === "string" ? parameters["what"].trim() : "";
  if (/^(?:the )?last\b/iu.test(what)) return forgetLast(call, parts);
  const { agentId, store, clock } = parts;
  const pending = await store.keyValues.get(agentId, pendingNamespace, message.entityId);
  // A model may take anything for a yes: it counts only in another run than the one in which they were asked.
  const isAsked = pending !== null && pending.value !== call.runId;
  const isTheirYes = isAsked && yes.test(message.content.text.trim());
  const isSaidSo = parameters["confirm"] === true || yes.test(what) || isTheirYes;
  if (!isSaidSo || (call.isCommand !== true && !isAsked)) {
    const expiresAt = clock.now() + pendingMs;
    await store.keyValues.set(agentId, pendingNamespace, message.entityId, { value: call.runId, expiresAt });
    return { success: true, text: `${warning} To go ahead, say "Yes, forget me", or send /forget yes.` };
  }
  const accounts = await accountsOf(message.entityId, { agentId, relationships: store.relationships });
  // Their own account last: with it goes what is known of the others, and of this run.
  const order = accounts.toReversed();
  await put(
    call,
    order.map((entityId): Forgetting => ({ type: "entity", entityId })),
    parts,
  );
  const many = accounts.length > 1 ? ` on your ${accounts.length} accounts` : "";
  return { success: true, text: `I am forgetting everything about you${many}. It is gone in a moment.` };
}

async function forgetLast(call: ActionCall, parts: ForgetParts): Promise<ActionResult> {
  const { message } = call;
  const recent = await parts.store.memories.recent(parts.agentId, {
    roomId: message.roomId,
    limit: lookedBack,
    before: message.id,
  });
  const last = recent.findLast(({ entityId, type }) => entityId === message.entityId && type === "message");
  if (!last) return { success: false, error: "You have said nothing here lately that I could forget." };
  await put(call, [{ type: "memories", ids: [last.id, message.id] }], parts);
  return { success: true, text: "I am forgetting what you said last, and what I answered." };
}

async function put(
  { runId, callId }: ActionCall,
  forgettings: readonly Forgetting[],
  { agentId, store, clock, wakeJobs }: ForgetParts,
): Promise<void> {
  const runAt = clock.now();
  const jobs = forgettings.map(
    (forgetting, at): JobToDo => ({
      id: deriveId("context", forgetKind, runId, callId, String(at)),
      kind: forgetKind,
      payload: { ...toPayload(forgetting), runId },
      runAt,
      queue: deriveId("context", forgetKind, runId),
    }),
  );
  await store.admin.write(
    agentId,
    jobs.map((job) => ({ type: "job.put", job }) as const),
  );
  wakeJobs();
}

function toPayload(forgetting: Forgetting): JsonObject {
  return forgetting.type === "memories" ? { type: "memories", ids: [...forgetting.ids] } : { ...forgetting };
}

/** Forgets once the run in which it was asked for is over. What a first attempt finished, a second finds gone. */
export function createForgetHandler(parts: ForgetParts): JobHandler {
  return {
    run: (payload, signal) => forget(payload, parts, signal),
    attempts: 20,
    backoff: { initialMs: 1_000, multiplier: 2, maxMs: 60_000 },
  };
}

async function forget(payload: JsonObject, parts: ForgetParts, signal: AbortSignal): Promise<void> {
  const forgetting = fromPayload(payload);
  // Emptied by the forgetting itself: it was done, and the process ended before it could be told.
  if (!forgetting) return;
  await runOver(String(payload["runId"]), parts, signal);
  const forgotten = await parts.store.admin.forget(parts.agentId, forgetting);
  parts.log.info({ ...forgotten, what: forgetting.type }, "forgot what somebody asked to have forgotten");
}

function fromPayload({ type, entityId, ids }: JsonObject): Forgetting | null {
  if (type === "entity" && typeof entityId === "string") return { type, entityId };
  if (type !== "memories" || !Array.isArray(ids)) return null;
  return { type, ids: ids.filter((id) => typeof id === "string") };
}

/** Resolves when a run has ended; it is told so by the run's own end. */
async function runOver(runId: string, { agentId, store, events }: ForgetParts, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => reject(signal.reason);
  const stopListening = events.on((event) => {
    if (event.type === "RUN_ENDED" && event.runId === runId) resolve();
  });
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    const run = await store.journal.run(agentId, runId);
    if (run && run.endedAt === undefined) await promise;
  } finally {
    stopListening();
    signal.removeEventListener("abort", onAbort);
  }
}
