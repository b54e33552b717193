import type { NamedResult } from "../action/action.ts";
import type { JsonObject } from "../json.ts";
import type { Delivery, DeliveryState } from "../outbox/delivery.ts";
import type { DecisionKind, Entry, EntryBody, PartHash, RunOutcome } from "./entry.ts";

/** A call of a step: asked for → started → has its one result. */
export type CallState = {
  readonly callId: string;
  readonly parentCallId?: string;
  readonly name: string;
  readonly parameters?: JsonObject;
  readonly keywords: readonly string[];
  /** A person asked for it by name, and no model was asked. */
  readonly isCommand?: true;
  /** It is an output other than the message. */
  readonly isOutput?: true;
  readonly isStarted: boolean;
  /** What it did was taken back. */
  readonly isUndone?: true;
  readonly result: Extract<EntryBody, { type: "action_result" }> | null;
  /** `seq` of the result. */
  readonly resultSeq?: number;
};

/** A delivery of a step; `state` is null until its receipt. */
type OutputState = {
  readonly key: Delivery["key"];
  readonly state: DeliveryState | null;
  readonly error?: string;
  readonly isWithdrawn?: true;
  /** `seq` of the receipt. */
  readonly receiptSeq?: number;
};

/** One model call and what followed from it. */
export type StepState = {
  readonly step: number;
  /** The model's answer is complete and its consequences are known; so they are where a command took its place. */
  readonly isAnswered: boolean;
  /** `seq` of its first entry and of its last so far. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The part that holds the answer as the model wrote it. */
  readonly answerPart?: PartHash;
  /** `seq` of the answer that broke off, or of the note that none came. */
  readonly cutSeq?: number;
  /** What the contexts' hooks said to another step. */
  readonly verdict?: boolean;
  /** Providers the answer asked for. */
  readonly providers: readonly string[];
  readonly calls: readonly CallState[];
  readonly outputs: readonly OutputState[];
};

/** A run, as far as its entries tell. */
export type RunState = {
  /** `entrySeq` is the `seq` of the entry with which it came into the run. */
  readonly inputs: readonly { readonly seq: number; readonly memoryId: string; readonly entrySeq: number }[];
  /** How the run works, once that is decided. */
  readonly mode: "reply" | "steps";
  /** `seq` of the newest question to the model for an answer. */
  readonly promptSeq: number;
  /** In steps: everything up to this `seq` was shown to the model in a question that it answered completely. */
  readonly processed: number;
  /** In steps: what results left for later actions, and the results themselves in the order in which they came. */
  readonly values: JsonObject;
  readonly results: readonly (NamedResult & { readonly callId: string })[];
  readonly decision: { readonly decision: DecisionKind; readonly reason: string; readonly command?: string } | null;
  readonly steps: readonly StepState[];
  /** Why an answer was held back before it was sent. */
  readonly silence?: string;
  /** The last error that ended the model's work, if one did. */
  readonly failure: string | null;
  readonly failureCode?: string;
  readonly end: { readonly outcome: RunOutcome; readonly reason?: string } | null;
};

const nothingYet: RunState = {
  inputs: [],
  mode: "reply",
  promptSeq: 0,
  processed: 0,
  values: {},
  results: [],
  decision: null,
  steps: [],
  failure: null,
  end: null,
};

/** Where an error entry ends the model's work for the whole run. */
export const fatalWhere = "run";

/** Folds a run's entries into its state. Pure: the same entries give the same state, before a crash and after it. */
export function foldRun(entries: readonly Entry[]): RunState {
  return foldMore(nothingYet, entries);
}

/** The state after more entries. A list that grows by many of them is copied once, not for each. */
export function foldMore(state: RunState, entries: readonly Entry[]): RunState {
  const own: Own = { calls: new Map(), results: new Map() };
  return entries.reduce((before, entry) => foldEntry(before, entry, own), state);
}

/** Lists that were made for the state being folded, and that nobody has seen yet. */
type Own = { readonly calls: Owned<CallState>; readonly results: Owned<RunState["results"][number]> };
type Owned<T> = Map<readonly T[], T[]>;

function ownList<T>(list: readonly T[], owned: Owned<T>): T[] {
  const known = owned.get(list);
  if (known) return known;
  const copy = [...list];
  owned.set(copy, copy);
  return copy;
}

function appended<T>(list: readonly T[], item: T, owned: Owned<T>): readonly T[] {
  const own = ownList(list, owned);
  own.push(item);
  return own;
}

/** The state after one more entry. */
function foldEntry(state: RunState, { seq, body }: Pick<Entry, "seq" | "body">, own: Own): RunState {
  switch (body.type) {
    case "input":
      return { ...state, inputs: [...state.inputs, ...body.inputs.map((input) => ({ ...input, entrySeq: seq }))] };
    case "decision":
      return { ...state, decision: decisionOf(body), mode: body.mode ?? "reply" };
    case "state":
      return beginStep(state, body.step, seq);
    case "prompt":
      return body.purpose === "decision" ? state : { ...state, promptSeq: seq };
    case "action_call":
      return lastStep(state, seq, (step) => ({
        ...(body.origin === "command" ? { ...step, isAnswered: true } : step),
        calls: appended(step.calls, callOf(body), own.calls),
      }));
    case "action_started":
      return withCall(state, { callId: body.callId, seq, own }, (call) => ({ ...call, isStarted: true }));
    case "action_result":
      return takeResult(state, body, { seq, own });
    case "output":
      return lastStep(state, seq, (step) => ({ ...step, outputs: addOutputs(step.outputs, body.deliveries) }));
    case "receipt":
      return eachOutput(state, body, seq);
    case "error":
      return body.where === fatalWhere ? { ...state, failure: body.message, failureCode: body.code } : state;
    case "end":
      return { ...state, end: { outcome: body.outcome, ...(body.reason !== undefined && { reason: body.reason }) } };
    case "model_answer":
      return body.isUsable && body.purpose !== "decision" ? takeAnswer(state, body, seq) : state;
    case "step_cut":
      return lastStep(state, seq, (step) => ({ ...step, isAnswered: true, cutSeq: seq }));
    case "step_verdict":
      return lastStep(state, seq, (step) => ({ ...step, verdict: body.goesOn }));
    case "review":
      return body.verdict === "veto"
        ? { ...state, silence: `Held back by ${body.evaluator}: ${body.reason ?? "no reason given"}` }
        : state;
    case "action_rolled_back":
      return body.success ? takeBack(state, body.callId, { seq, own }) : state;
    case "model_used":
    case "child_run":
      return state;
  }
}

function decisionOf({ decision, reason, command }: Extract<EntryBody, { type: "decision" }>): RunState["decision"] {
  return { decision, reason, ...(command !== undefined && { command }) };
}

function beginStep(state: RunState, step: number, seq: number): RunState {
  if (state.steps.some((known) => known.step === step)) return state;
  const begun = { step, isAnswered: false, firstSeq: seq, lastSeq: seq, providers: [], calls: [], outputs: [] };
  return { ...state, steps: [...state.steps, begun] };
}

function takeAnswer(state: RunState, body: Extract<EntryBody, { type: "model_answer" }>, seq: number): RunState {
  const answered = lastStep(state, seq, (step) => ({
    ...step,
    isAnswered: true,
    providers: body.providers ?? [],
    answerPart: body.part,
    ...(body.isCut && { cutSeq: seq }),
  }));
  return body.isCut ? answered : { ...answered, processed: state.promptSeq };
}

function callOf(body: Extract<EntryBody, { type: "action_call" }>): CallState {
  return {
    callId: body.callId,
    name: body.name,
    keywords: body.keywords ?? [],
    isStarted: false,
    result: null,
    ...(body.parameters && { parameters: body.parameters }),
    ...(body.parentCallId !== undefined && { parentCallId: body.parentCallId }),
    ...(body.origin === "command" && { isCommand: true as const }),
    ...(body.origin === "output" && { isOutput: true as const }),
  };
}

/** The first result of a call counts. */
function takeResult(
  state: RunState,
  body: Extract<EntryBody, { type: "action_result" }>,
  { seq, own }: { readonly seq: number; readonly own: Own },
): RunState {
  let name: string | undefined;
  const taken = withCall(state, { callId: body.callId, seq, own }, (call) => {
    if (call.result) return call;
    name = call.name;
    return { ...call, result: body, resultSeq: seq };
  });
  if (name === undefined || state.mode !== "steps") return taken;
  const { callId, success, text, values, data, error } = body;
  const result = {
    success,
    ...(text !== undefined && { text }),
    ...(values !== undefined && { values }),
    ...(data !== undefined && { data }),
    ...(error !== undefined && { error }),
  };
  return {
    ...taken,
    results: appended(state.results, { callId, action: name, result }, own.results),
    ...(values && { values: { ...state.values, ...values } }),
  };
}

function takeBack(
  state: RunState,
  callId: string,
  { seq, own }: { readonly seq: number; readonly own: Own },
): RunState {
  const undone = withCall(state, { callId, seq, own }, (call) => ({ ...call, isUndone: true as const }));
  return { ...undone, results: undone.results.filter((result) => result.callId !== callId) };
}

function lastStep(state: RunState, seq: number, change: (step: StepState) => StepState): RunState {
  const at = state.steps.length - 1;
  const step = state.steps[at];
  return step ? { ...state, steps: state.steps.with(at, { ...change(step), lastSeq: seq }) } : state;
}

/** Changes the one call of this id. The place is looked for where it most likely is, so that many calls cost little each. */
function withCall(
  state: RunState,
  { callId, seq, own }: { readonly callId: string; readonly seq: number; readonly own: Own },
  change: (call: CallState) => CallState,
): RunState {
  for (let at = state.steps.length - 1; at >= 0; at--) {
    const step = state.steps[at];
    if (!step) continue;
    const place = placeOf(step.calls, callId);
    const call = step.calls[place];
    if (!call) continue;
    const calls = ownList(step.calls, own.calls);
    calls[place] = change(call);
    return { ...state, steps: state.steps.with(at, { ...step, calls, lastSeq: seq }) };
  }
  return state;
}

function placeOf(calls: readonly CallState[], callId: string): number {
  const likely = Number(callId.slice(callId.indexOf(".") + 1));
  if (Number.isInteger(likely) && calls[likely]?.callId === callId) return likely;
  return calls.findIndex((call) => call.callId === callId);
}

function eachOutput(state: RunState, receipt: Extract<EntryBody, { type: "receipt" }>, seq: number): RunState {
  const steps = state.steps.map((step) => {
    const place = step.outputs.findIndex(({ key }) => key === receipt.key);
    if (place === -1) return step;
    const output: OutputState = {
      key: receipt.key,
      state: receipt.state,
      receiptSeq: seq,
      ...(receipt.error !== undefined && { error: receipt.error }),
      ...(receipt.isWithdrawn && { isWithdrawn: true as const }),
    };
    return { ...step, outputs: step.outputs.with(place, output), lastSeq: seq };
  });
  return { ...state, steps };
}

function addOutputs(outputs: readonly OutputState[], keys: readonly string[]): readonly OutputState[] {
  const known = new Set(outputs.map(({ key }) => key));
  return [...outputs, ...keys.filter((key) => !known.has(key)).map((key) => ({ key, state: null }))];
}
