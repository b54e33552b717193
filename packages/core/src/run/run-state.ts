import type { JsonObject } from "../json.ts";
import type { Delivery, DeliveryState } from "../outbox/delivery.ts";
import type { DecisionKind, Entry, EntryBody, RunOutcome } from "./entry.ts";

/** A call of a step: asked for → started → has its one result. */
export type CallState = {
  readonly callId: string;
  readonly parentCallId?: string;
  readonly name: string;
  readonly parameters?: JsonObject;
  readonly keywords: readonly string[];
  /** A person asked for it by name, and no model was asked. */
  readonly isCommand?: true;
  readonly isStarted: boolean;
  /** What it did was taken back. */
  readonly isUndone?: true;
  readonly result: Extract<EntryBody, { type: "action_result" }> | null;
};

/** A delivery of a step; `state` is null until its receipt. */
type OutputState = {
  readonly key: Delivery["key"];
  readonly state: DeliveryState | null;
  readonly error?: string;
  readonly isWithdrawn?: true;
};

/** One model call and what followed from it. */
export type StepState = {
  readonly step: number;
  /** The model's answer is complete and its consequences are known; so they are where a command took its place. */
  readonly isAnswered: boolean;
  /** Providers the answer asked for. */
  readonly providers: readonly string[];
  readonly calls: readonly CallState[];
  readonly outputs: readonly OutputState[];
};

/** A run, as far as its entries tell. */
export type RunState = {
  readonly inputs: readonly { readonly seq: number; readonly memoryId: string }[];
  readonly decision: { readonly decision: DecisionKind; readonly reason: string; readonly command?: string } | null;
  readonly steps: readonly StepState[];
  /** Why an answer was held back before it was sent. */
  readonly silence?: string;
  /** The last error that ended the model's work, if one did. */
  readonly failure: string | null;
  readonly end: { readonly outcome: RunOutcome; readonly reason?: string } | null;
};

const nothingYet: RunState = { inputs: [], decision: null, steps: [], failure: null, end: null };

/** Where an error entry ends the model's work for the whole run. */
export const fatalWhere = "run";

/** Folds a run's entries into its state. Pure: the same entries give the same state, before a crash and after it. */
export function foldRun(entries: readonly Entry[]): RunState {
  return entries.reduce((state, entry) => foldEntry(state, entry.body), nothingYet);
}

/** The state after one more entry. */
export function foldEntry(state: RunState, body: EntryBody): RunState {
  switch (body.type) {
    case "input":
      return { ...state, inputs: [...state.inputs, ...body.inputs] };
    case "decision":
      return { ...state, decision: decisionOf(body) };
    case "state":
      return state.steps.some(({ step }) => step === body.step)
        ? state
        : {
            ...state,
            steps: [...state.steps, { step: body.step, isAnswered: false, providers: [], calls: [], outputs: [] }],
          };
    case "action_call":
      return lastStep(state, (step) => ({
        ...step,
        ...(body.origin === "command" && { isAnswered: true }),
        calls: [
          ...step.calls,
          {
            callId: body.callId,
            name: body.name,
            keywords: body.keywords ?? [],
            isStarted: false,
            result: null,
            ...(body.parameters && { parameters: body.parameters }),
            ...(body.parentCallId !== undefined && { parentCallId: body.parentCallId }),
            ...(body.origin === "command" && { isCommand: true as const }),
          },
        ],
      }));
    case "action_started":
      return eachCall(state, body.callId, (call) => ({ ...call, isStarted: true }));
    case "action_result":
      return eachCall(state, body.callId, (call) => ({ ...call, result: call.result ?? body }));
    case "output":
      return lastStep(state, (step) => ({ ...step, outputs: addOutputs(step.outputs, body.deliveries) }));
    case "receipt":
      return eachOutput(state, body);
    case "error":
      return body.where === fatalWhere ? { ...state, failure: body.message } : state;
    case "end":
      return { ...state, end: { outcome: body.outcome, ...(body.reason !== undefined && { reason: body.reason }) } };
    case "model_answer":
      return body.isUsable && body.purpose !== "decision"
        ? lastStep(state, (step) => ({ ...step, isAnswered: true, providers: body.providers ?? [] }))
        : state;
    case "review":
      return body.verdict === "veto"
        ? { ...state, silence: `Held back by ${body.evaluator}: ${body.reason ?? "no reason given"}` }
        : state;
    case "action_rolled_back":
      return body.success ? eachCall(state, body.callId, (call) => ({ ...call, isUndone: true as const })) : state;
    case "prompt":
    case "model_used":
    case "child_run":
      return state;
  }
}

function decisionOf({ decision, reason, command }: Extract<EntryBody, { type: "decision" }>): RunState["decision"] {
  return { decision, reason, ...(command !== undefined && { command }) };
}

function lastStep(state: RunState, change: (step: StepState) => StepState): RunState {
  return { ...state, steps: state.steps.map((step, at) => (at === state.steps.length - 1 ? change(step) : step)) };
}

function eachCall(state: RunState, callId: string, change: (call: CallState) => CallState): RunState {
  const steps = state.steps.map((step) => ({
    ...step,
    calls: step.calls.map((call) => (call.callId === callId ? change(call) : call)),
  }));
  return { ...state, steps };
}

function eachOutput(state: RunState, receipt: Extract<EntryBody, { type: "receipt" }>): RunState {
  const steps = state.steps.map((step) => ({
    ...step,
    outputs: step.outputs.map((output) =>
      output.key === receipt.key
        ? {
            key: output.key,
            state: receipt.state,
            ...(receipt.error !== undefined && { error: receipt.error }),
            ...(receipt.isWithdrawn && { isWithdrawn: true as const }),
          }
        : output,
    ),
  }));
  return { ...state, steps };
}

function addOutputs(outputs: readonly OutputState[], keys: readonly string[]): readonly OutputState[] {
  const known = new Set(outputs.map(({ key }) => key));
  return [...outputs, ...keys.filter((key) => !known.has(key)).map((key) => ({ key, state: null }))];
}
