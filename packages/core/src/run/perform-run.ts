import { errorMessage, isAbort, StoreError, TroupeError } from "../errors.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { InboxRow, Lease } from "../store/store.ts";
import { act } from "./act-effect.ts";
import { decide } from "./decide-effect.ts";
import { deliverOne } from "./deliver-effect.ts";
import type { RunOutcome } from "./entry.ts";
import { generate } from "./generate.ts";
import { type Effect, nextEffect, type RunRules } from "./next-effect.ts";
import { createRecorder, type Recorder } from "./recorder.ts";
import type { Run, RunParts } from "./run.ts";
import { fatalWhere } from "./run-state.ts";

/** CONTINUE is followed at most this often without the other side speaking. */
export const continueLimit = 3;

/**
 * Answers the inputs of a lease together in one run, from the beginning or from where its journal ends, and returns the lease
 * on what is waiting next, or null when the context was given back.
 * @throws StoreError when nothing can be committed: the run goes on from the journal later.
 * @throws the signal's reason when the agent stops: the run is parked.
 */
export async function performRun(lease: Lease, parts: RunParts, stopSignal: AbortSignal): Promise<Lease | null> {
  const begun = await begin(lease, parts);
  const timeout = startTimeout(parts);
  const signal = AbortSignal.any([stopSignal, timeout.signal]);
  try {
    const run = await prepare(begun, parts, { signal, stopSignal });
    if (!run) return await endWithout(begun, parts);
    return await follow(run, begun, parts);
  } finally {
    timeout.cancel();
  }
}

type Begun = {
  readonly lease: Lease;
  readonly rows: readonly InboxRow[];
  readonly recorder: Recorder;
  readonly isResumed: boolean;
  readonly startedAt: number;
};

/** Freezes the inputs in the first entry, or finds them there. */
async function begin(lease: Lease, parts: RunParts): Promise<Begun> {
  const { agentId, contextId } = lease.fence;
  const startedAt = parts.clock.now();
  const recorderParts = { journal: parts.store.journal, clock: parts.clock, parts: parts.partIndex };
  if (lease.openRunId !== undefined) {
    const entries = await parts.store.journal.entries(agentId, lease.openRunId);
    const recorder = createRecorder(lease, lease.openRunId, entries, recorderParts);
    const seqs = new Set(recorder.state().inputs.map(({ seq }) => seq));
    return { lease, rows: lease.inputs.filter(({ seq }) => seqs.has(seq)), recorder, isResumed: true, startedAt };
  }
  const rows = lease.inputs;
  const [first] = rows;
  if (!first) throw new TroupeError("internal", `context ${contextId} was leased without an input`);
  const recorder = createRecorder(lease, deriveId("run", agentId, contextId, String(first.seq)), [], recorderParts);
  recorder.add({ type: "input", inputs: rows.map(({ seq, memoryId }) => ({ seq, memoryId })) });
  return { lease, rows, recorder, isResumed: false, startedAt };
}

async function prepare(
  { lease, rows, recorder, isResumed }: Begun,
  parts: RunParts,
  signals: Pick<Run, "signal" | "stopSignal">,
): Promise<Run | null> {
  const { agentId, contextId } = lease.fence;
  const ids = recorder.state().inputs.map(({ memoryId }) => memoryId);
  const { memories, rooms } = parts.store;
  const limit = parts.settings.history.messages;
  const [room, found, earlier] = await Promise.all([
    rooms.room(agentId, contextId),
    memories.get(agentId, ids),
    memories.recent(agentId, { roomId: contextId, limit, withoutWaiting: true }),
  ]);
  const inputs = ids.flatMap((id) => found.find((memory) => memory.id === id) ?? []);
  const message = inputs.at(-1);
  if (!room || !message) return null;
  const { platform, account } = room.room;
  const client = parts.clientFor(platform, account);
  if (!client) {
    throw new TroupeError(
      "unavailable",
      `A message on ${platform} (account ${account}) waits for its answer, but that client is not running; start it with ${platform} configured.`,
    );
  }
  const log = parts.log.child({ runId: recorder.runId, roomId: contextId, platform });
  const about = { runId: recorder.runId, roomId: contextId };
  parts.events.emit({ type: "RUN_STARTED", ...about, memoryIds: ids, isResumed });
  const isCommand = rows.at(-1)?.kind === "command";
  return {
    parts,
    lease,
    recorder,
    room,
    client,
    inputs,
    message,
    isCommand,
    earlier,
    fresh: new Map(),
    log,
    ...signals,
  };
}

/** The room or the messages are gone: forgotten between accept and run. */
function endWithout(begun: Begun, parts: RunParts): Promise<Lease | null> {
  const reason = "The message was removed before it could be answered.";
  begun.recorder.add({ type: "end", outcome: "ignored", reason });
  parts.log.info({ runId: begun.recorder.runId, outcome: "ignored", reason }, "run ended");
  return close(begun, "ignored", reason);
}

function close({ recorder }: Begun, outcome: RunOutcome, reason?: string): Promise<Lease | null> {
  const seqs = recorder.state().inputs.map(({ seq }) => seq);
  return recorder.close({ seqs, outcome, ...(reason !== undefined && { reason }) });
}

/** One effect after the other until the run has ended. */
async function follow(run: Run, begun: Begun, parts: RunParts): Promise<Lease | null> {
  const rules = rulesOf(parts);
  const crashes = Math.max(0, ...begun.rows.map((row) => row.attempts));
  if (crashes >= parts.settings.maxAttempts) {
    fail(
      run,
      "exhausted",
      `The process ended ${crashes} times while answering this; given up so that the room goes on.`,
    );
  }
  for (;;) {
    const effect = nextEffect(run.recorder.state(), rules);
    if (effect.type === "end") return end(run, begun, effect);
    try {
      await perform(run, effect);
    } catch (error) {
      if (error instanceof StoreError || run.stopSignal.aborted) {
        parts.events.emit({ type: "RUN_PARKED", runId: run.recorder.runId, roomId: run.room.room.id });
        throw error;
      }
      await failFrom(run, error);
    }
  }
}

function rulesOf(parts: RunParts): RunRules {
  const controlOf = (name: string): string | null => {
    const action = parts.resolveAction(name);
    return action && "control" in action ? action.control : null;
  };
  return {
    maxSteps: 1 + continueLimit,
    asksForMore: (call) => controlOf(call.name) === "continue" && call.result?.success === true,
    isControl: (call) => controlOf(call.name) !== null,
  };
}

async function perform(run: Run, effect: Exclude<Effect, { type: "end" }>): Promise<void> {
  switch (effect.type) {
    case "decide":
      return decide(run);
    case "generate":
      return generate(run, effect.step);
    case "deliver":
      return deliverOne(run, effect.key);
    case "act": {
      const calls = run.recorder.state().steps.flatMap((step) => step.calls);
      const call = calls.find(({ callId }) => callId === effect.callId);
      if (call) await act(run, call, effect.isInterrupted);
      return;
    }
    case "none":
      throw new TroupeError("internal", `run ${run.recorder.runId} had ended already`);
  }
}

async function failFrom(run: Run, error: unknown): Promise<void> {
  const code = error instanceof TroupeError ? error.code : "internal";
  const timedOut = run.signal.aborted;
  if (timedOut) {
    const { runTimeoutMs } = run.parts.settings;
    run.parts.events.emit({
      type: "RUN_TIMEOUT",
      runId: run.recorder.runId,
      roomId: run.room.room.id,
      timeoutMs: runTimeoutMs,
    });
    fail(run, "timeout", `RUN_TIMEOUT: the run took longer than ${runTimeoutMs} ms (settings.runTimeoutMs).`);
    return;
  }
  if (code === "internal" && !isAbort(error))
    run.log.error(
      { error: errorMessage(error), stack: error instanceof Error ? error.stack : undefined },
      "a run failed by a defect",
    );
  fail(run, code, errorMessage(error));
  await run.recorder.flush();
}

function fail(run: Run, code: string, message: string): void {
  run.recorder.add({ type: "error", where: fatalWhere, code, message });
}

async function end(run: Run, begun: Begun, effect: Extract<Effect, { type: "end" }>): Promise<Lease | null> {
  const { parts, recorder } = run;
  const { outcome, reason } = effect;
  recorder.add({ type: "end", outcome, ...(reason !== undefined && { reason }) });
  const next = await close(begun, outcome, reason);
  const durationMs = parts.clock.now() - begun.startedAt;
  const line = { outcome, durationMs, ...(outcome !== "answered" && reason !== undefined && { reason }) };
  if (outcome === "failed") run.log.error(line, "run ended");
  else run.log.info(line, "run ended");
  parts.events.emit({
    type: "RUN_ENDED",
    runId: recorder.runId,
    roomId: run.room.room.id,
    outcome,
    durationMs,
    memoryIds: run.inputs.map(({ id }) => id),
    ...(reason !== undefined && { reason }),
  });
  return next;
}

function startTimeout({ clock, settings }: RunParts): { readonly signal: AbortSignal; cancel(): void } {
  const late = new AbortController();
  const cancelled = new AbortController();
  clock.sleep(settings.runTimeoutMs, cancelled.signal).then(
    () => late.abort(new TroupeError("timeout", "RUN_TIMEOUT")),
    () => undefined,
  );
  return { signal: late.signal, cancel: () => cancelled.abort() };
}
