import type { ActionControl } from "../action/action.ts";
import { noLongerNeeded } from "../clock.ts";
import { errorMessage, isAbort, StoreError, TroupeError } from "../errors.ts";
import { evaluateJobs } from "../evaluate/evaluate-job.ts";
import type { ModelUse } from "../plugin/ask-model.ts";
import type { Lease } from "../store/store.ts";
import { act } from "./act-effect.ts";
import { takeCommand } from "./command-effect.ts";
import { isAskable } from "./compose-step.ts";
import { decide } from "./decide-effect.ts";
import { deliverOne } from "./deliver-effect.ts";
import type { RunOutcome } from "./entry.ts";
import { generate } from "./generate.ts";
import { type Effect, nextEffect, type RunRules } from "./next-effect.ts";
import { type Begun, begin, prepare } from "./prepare-run.ts";
import type { Run, RunParts } from "./run.ts";
import { fatalWhere } from "./run-state.ts";
import { joinInputs } from "./steps/join-inputs.ts";
import { mayGoOn } from "./steps/next-step.ts";
import { generateStep } from "./steps/perform-step.ts";
import {
  actInTurn,
  coveredSeqs,
  cutStep,
  deliverInTurn,
  endCalls,
  endStep,
  tellRunEnded,
} from "./steps/step-effects.ts";
import { maxStepsOf, needFrame } from "./steps/step-frame.ts";

/**
 * Answers the inputs of a lease together in one run, from the beginning or from where its journal ends, and returns the lease
 * on what is waiting next, or null when the context was given back.
 * @throws StoreError when nothing can be committed: the run goes on from the journal later.
 * @throws the signal's reason when the agent stops: the run is parked. When `calledOff` aborts, the run fails visibly.
 */
export async function performRun(
  lease: Lease,
  parts: RunParts,
  stopSignal: AbortSignal,
  calledOff?: AbortSignal,
): Promise<Lease | null> {
  const begun = await begin(lease, parts);
  const timeout = startTimeout(parts);
  const { contexts } = parts.inMode("steps");
  const given = contexts?.signalsOf(begun.recorder.state().inputs.map(({ memoryId }) => memoryId)) ?? [];
  const off = given.length === 0 ? calledOff : AbortSignal.any([...given, ...(calledOff ? [calledOff] : [])]);
  const signal = AbortSignal.any([stopSignal, timeout.signal, ...(off ? [off] : [])]);
  try {
    const run = await prepare(begun, parts, { signal, stopSignal, ...(off && { calledOff: off }) });
    if (!run) return await endWithout(begun, parts);
    return await follow(run, begun, parts);
  } finally {
    timeout.cancel();
  }
}

/** The room or the messages are gone: forgotten between accept and run. */
async function endWithout(begun: Begun, parts: RunParts): Promise<Lease | null> {
  const { recorder, lease, isResumed, startedAt } = begun;
  const reason = "The message was removed before it could be answered.";
  const outcome = "ignored";
  const memoryIds = recorder.state().inputs.map(({ memoryId }) => memoryId);
  const about = { runId: recorder.runId, roomId: lease.fence.contextId, memoryIds };
  parts.events.emit({ type: "RUN_STARTED", ...about, isResumed });
  recorder.add({ type: "end", outcome, reason });
  const next = await close(begun, outcome, reason);
  parts.log.info({ runId: recorder.runId, outcome, reason }, "run ended");
  parts.events.emit({ type: "RUN_ENDED", ...about, outcome, reason, durationMs: parts.clock.now() - startedAt });
  return next;
}

function close({ recorder }: Begun, outcome: RunOutcome, reason?: string): Promise<Lease | null> {
  const seqs = coveredSeqs(recorder.state());
  return recorder.close({ seqs, outcome, ...(reason !== undefined && { reason }) });
}

/** One effect after the other until the run has ended. */
async function follow(run: Run, begun: Begun, parts: RunParts): Promise<Lease | null> {
  if (isInSteps(run)) await attempt(run, () => needFrame(run));
  const rules = rulesOf(run);
  const crashes = Math.max(0, ...begun.rows.map((row) => row.attempts));
  if (crashes >= parts.settings.maxAttempts) {
    fail(
      run,
      "exhausted",
      `The process ended ${crashes} times while answering this; given up so that the room goes on.`,
    );
  }
  const leave = parts.openRuns.enter(run.recorder.runId, (use) => recordUse(run, use));
  try {
    for (;;) {
      if (isInSteps(run) && run.recorder.state().failure === null) await attempt(run, () => endStep(run));
      const effect = nextEffect(run.recorder.state(), rules);
      if (effect.type === "end") {
        if (await goesOn(run, rules)) continue;
        leave();
        return await end(run, begun, effect);
      }
      await attempt(run, () => perform(run, effect));
    }
  } finally {
    leave();
    await Promise.allSettled(run.running.values());
    await cleanUp(run);
  }
}

const isInSteps = ({ recorder }: Run): boolean => recorder.state().mode === "steps";

/** At the end of a run in steps: ends what is still under way; else looks whether somebody said something meanwhile. */
async function goesOn(run: Run, rules: RunRules): Promise<boolean> {
  const state = run.recorder.state();
  if (state.mode !== "steps" || state.steps.length === 0) return false;
  if (state.failure !== null) await endCalls(run);
  if (!mayGoOn(state, rules)) return false;
  let hasNews = false;
  await attempt(run, async () => {
    run.signal.throwIfAborted();
    hasNews = await joinInputs(run);
  });
  return hasNews || run.recorder.state().failure !== null;
}

/** What a plugin spent within the run; committed with what comes next. */
function recordUse({ recorder }: Run, { plugin = "the program", callId, model, usage, costMicrousd }: ModelUse): void {
  recorder.add({
    type: "model_used",
    plugin,
    model,
    usage,
    ...(callId !== undefined && { callId }),
    ...(costMicrousd !== undefined && { costMicrousd }),
  });
}

/** Work that fails ends the run visibly; what cannot be written down, or is called off, parks it. */
async function attempt(run: Run, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof StoreError || run.stopSignal.aborted) {
      const reason = run.stopSignal.aborted ? {} : { reason: errorMessage(error) };
      run.parts.events.emit({ type: "RUN_PARKED", runId: run.recorder.runId, roomId: run.room.room.id, ...reason });
      throw error;
    }
    await failFrom(run, error);
  }
}

/** What actions asked for at the end, in their order; one that fails is logged and the others go on. */
async function cleanUp({ cleanups, log }: Run): Promise<void> {
  for (const { action, cleanup } of cleanups) {
    try {
      await cleanup();
    } catch (error) {
      log.warn({ action, error: errorMessage(error) }, "an action's cleanup failed");
    }
  }
}

function rulesOf(run: Run): RunRules {
  const { parts } = run;
  const controlOf = (name: string): ActionControl | null => {
    const action = run.resolveAction(name);
    return action && "control" in action ? action.control : null;
  };
  return {
    get maxSteps() {
      return maxStepsOf(run);
    },
    controlOf,
    hasProvider: (name) => isAskable(parts.registry.providers(), name),
  };
}

async function perform(run: Run, effect: Exclude<Effect, { type: "end" }>): Promise<void> {
  switch (effect.type) {
    case "decide":
      return decide(run);
    case "command":
      return takeCommand(run, effect.name);
    case "generate":
      return isInSteps(run) ? generateStep(run, effect.step) : generate(run, effect.step);
    case "cut":
      return cutStep(run, effect.step);
    case "deliver":
      if (isInSteps(run)) return deliverInTurn(run, effect.key);
      await deliverOne(run, effect.key);
      return;
    case "act":
      return isInSteps(run) ? actInTurn(run, effect) : act(run, effect.call, effect.turn);
    case "none":
      throw new TroupeError("internal", `run ${run.recorder.runId} had ended already`);
  }
}

async function failFrom(run: Run, error: unknown): Promise<void> {
  const code = error instanceof TroupeError ? error.code : "internal";
  if (run.calledOff?.aborted) {
    fail(
      run,
      "aborted",
      run.within.actions.length > 0 ? "Called off with the action that asked for it." : "Called off.",
    );
    return;
  }
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
  const finished = {
    runId: recorder.runId,
    roomId: run.room.room.id,
    messageId: run.message.id,
    hasAnswered: run.said.length > 0,
  };
  const isCommand = recorder.state().decision?.command !== undefined;
  // A command is no conversation: there is nothing to be learnt from it.
  const jobs = isCommand ? [] : evaluateJobs(finished, parts.registry.evaluators(), parts.clock.now());
  recorder.write(...jobs);
  recorder.add({ type: "end", outcome, ...(reason !== undefined && { reason }) });
  const next = await close(begun, outcome, reason);
  if (jobs.length > 0) parts.wakeJobs();
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
    memoryIds: run.inputs.map(({ id }) => id).filter((id) => !isLeft(run, id)),
    ...(reason !== undefined && { reason }),
  });
  if (isInSteps(run)) parts.workingMemory.keep(run.lease.fence.contextId, recorder.runId, recorder.state());
  await tellRunEnded(run, outcome, reason);
  return next;
}

/** It joined and was not seen: the next run answers it. */
function isLeft({ recorder }: Run, memoryId: string): boolean {
  const state = recorder.state();
  const seqs = coveredSeqs(state);
  return state.inputs.some((input) => input.memoryId === memoryId && !seqs.includes(input.seq));
}

function startTimeout({ clock, settings }: RunParts): { readonly signal: AbortSignal; cancel(): void } {
  const late = new AbortController();
  const cancelled = new AbortController();
  clock.sleep(settings.runTimeoutMs, cancelled.signal).then(
    () => late.abort(new TroupeError("timeout", "RUN_TIMEOUT")),
    () => undefined,
  );
  return { signal: late.signal, cancel: () => cancelled.abort(noLongerNeeded) };
}
