import type { RegisteredAction } from "../../action/action.ts";
import { normalizeActionName } from "../../action/resolve-action.ts";
import type { DecodedAction, DecodedOutput } from "../../format/decoded-response.ts";
import type { JsonObject } from "../../json.ts";
import { act, refuse } from "../act-effect.ts";
import { commandParameters } from "../commands.ts";
import type { CallTurn } from "../next-effect.ts";
import { unknownAction } from "../record-call.ts";
import type { Run } from "../run.ts";
import type { CallState } from "../run-state.ts";
import { type CallSignals, createCallSignals } from "./call-signals.ts";
import { fillReferences, type Referable, referencedCalls, refersToMemory } from "./references.ts";

/** The calls of one answer, taken up while the model still speaks: each is written down and begun at its closing tag. */
export type TakenCalls = {
  take(action: DecodedAction): void;
  /** Something put out elsewhere than in the conversation. */
  takeOutput(output: DecodedOutput): void;
  /** A call that was closed and says nothing readable. */
  takeUnreadable(name: string): void;
  /** A call that steers, or was asked for by a keyword: written down after everything else. */
  takeLast(call: {
    readonly name: string;
    readonly action: RegisteredAction | null;
    readonly origin: "named" | "keyword";
  }): void;
  /** No further calls come. */
  end(): void;
  /** How many actions of the answer were looked at, those that steer included; and the number of the next call. */
  isSteering(name: string): boolean;
  taken(): number;
  count(): number;
};

/** No calls yet. */
export function takeCalls(run: Run, step: number): TakenCalls {
  return new Taken(run, step);
}

class Taken implements TakenCalls {
  readonly #run: Run;
  readonly #step: number;
  readonly #signals: CallSignals;
  /** For whom each call waits, by number. */
  readonly #waitsFor: (readonly number[])[] = [];
  readonly #names: string[] = [];
  #taken = 0;
  #isEnded = false;
  #arrived: (() => void)[] = [];

  constructor(run: Run, step: number) {
    this.#run = run;
    this.#step = step;
    this.#signals = createCallSignals(run.signal);
  }

  isSteering(name: string): boolean {
    const action = this.#run.resolveAction(name);
    return action !== null && "control" in action;
  }

  taken(): number {
    return this.#taken;
  }

  count(): number {
    return this.#names.length;
  }

  take({ name, parameters }: DecodedAction): void {
    this.#taken += 1;
    const action = this.#run.resolveAction(name);
    if (this.isSteering(name)) return;
    const given = action && parameters ? commandParameters(action, parameters) : parameters;
    const n = this.#record(action?.name ?? name, "named", given);
    if (!action) return this.#refuse(n, unknownAction(this.#run, name));
    if (n > 0 && !this.#run.parts.settings.actionPlanning) {
      const error = "Not run: only the first action of an answer runs (settings.actionPlanning).";
      return this.#refuse(n, { refused: "chain-ended", error });
    }
    this.#waitsFor[n] = [...referencedCalls(given), ...this.#dependencies(action, n)];
    const circle = this.#circle(n);
    if (circle) return this.#refuse(n, { refused: "reference", error: circle });
    this.#start(n, given);
  }

  takeOutput({ name, attributes, text }: DecodedOutput): void {
    const output = this.#run.framed?.outputOf(name);
    const parameters = { attributes, content: text };
    const n = this.#record(output?.name ?? name, "output", parameters);
    if (output) return this.#start(n, parameters, true);
    const names = ["message", ...(this.#run.framed?.others ?? []).map((other) => other.name)].join(", ");
    this.#refuse(n, { refused: "unknown", error: `There is no output ${name}. There are: ${names}.` });
  }

  takeUnreadable(name: string): void {
    const n = this.#record(this.#run.resolveAction(name)?.name ?? name, "named");
    const error = "Not run: its parameters could not be read. Write them as one JSON object.";
    this.#refuse(n, { refused: "unreadable", error });
  }

  takeLast({ name, action, origin }: Parameters<TakenCalls["takeLast"]>[0]): void {
    const n = this.#record(action?.name ?? name, origin);
    if (!action) return this.#refuse(n, unknownAction(this.#run, name));
    if ("control" in action) {
      this.#run.recorder.add({ type: "action_result", callId: this.#callId(n), success: true });
      return;
    }
    this.#start(n, undefined);
  }

  end(): void {
    this.#isEnded = true;
    this.#tellArrived();
  }

  #callId(n: number): string {
    return `${this.#step}.${n}`;
  }

  #record(name: string, origin: "named" | "keyword" | "output", parameters?: JsonObject): number {
    const n = this.#names.push(name) - 1;
    this.#waitsFor[n] = [];
    const callId = this.#callId(n);
    this.#run.recorder.add({ type: "action_call", callId, name, origin, ...(parameters && { parameters }) });
    this.#tellArrived();
    return n;
  }

  #refuse(n: number, refusal: Pick<Parameters<typeof refuse>[2], "refused" | "error">): void {
    refuse(this.#run, this.#state(n), refusal);
  }

  #state(n: number): CallState {
    const callId = this.#callId(n);
    const name = this.#names[n] ?? "";
    return { callId, name, keywords: [], isStarted: false, result: null };
  }

  #start(n: number, parameters: JsonObject | undefined, isOutput = false): void {
    const work = this.#perform(n, parameters, isOutput);
    // Whoever waits for the step is told.
    work.catch(() => undefined);
    this.#run.running.set(this.#callId(n), work);
  }

  async #perform(n: number, parameters: JsonObject | undefined, isOutput: boolean): Promise<void> {
    for (const other of this.#waitsFor[n] ?? []) await this.#finished(other);
    if (refersToMemory(parameters)) for (let other = 0; other < n; other++) await this.#finishedUnlessWaiting(other, n);
    const call = { ...this.#state(n), ...(parameters && { parameters }), ...(isOutput && { isOutput: true as const }) };
    // Calls that were closed together are all written down before the first begins.
    await null;
    const { signal, end } = this.#signals.derive();
    try {
      await actInStep(this.#run, call, "next", signal);
    } finally {
      end();
    }
  }

  /** Once the call of this number has its result, or it is certain that there is none. */
  async #finished(n: number): Promise<void> {
    while (n >= this.#names.length && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#arrived.push(resolve);
        this.#run.signal.addEventListener("abort", () => resolve(), { once: true });
      });
      this.#run.signal.throwIfAborted();
    }
    await this.#run.running.get(this.#callId(n));
  }

  async #finishedUnlessWaiting(other: number, n: number): Promise<void> {
    if (!this.#reaches(other, n)) await this.#finished(other);
  }

  #tellArrived(): void {
    for (const tell of this.#arrived.splice(0)) tell();
  }

  /** The earlier calls of the answer that this one's action depends on. */
  #dependencies({ policy }: RegisteredAction, n: number): readonly number[] {
    const wanted = (policy?.dependencies ?? []).map(normalizeActionName);
    if (wanted.length === 0) return [];
    return this.#names.flatMap((name, at) => (at < n && wanted.includes(normalizeActionName(name)) ? [at] : []));
  }

  #circle(n: number): string | null {
    const waits = this.#waitsFor[n] ?? [];
    if (waits.includes(n)) return `Not run: calls[${n}] refers to itself.`;
    const back = waits.find((other) => this.#reaches(other, n));
    if (back === undefined) return null;
    return `Not run: calls[${n}] refers to calls[${back}], which waits for calls[${n}]; neither would ever run.`;
  }

  #reaches(from: number, to: number): boolean {
    const seen = new Set<number>();
    const open = [from];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (at === to) return true;
      if (seen.has(at)) continue;
      seen.add(at);
      open.push(...(this.#waitsFor[at] ?? []));
    }
    return false;
  }
}

/** Runs one call of the newest step with its references looked up; see {@link act}. */
export async function actInStep(run: Run, call: CallState, turn: CallTurn, signal = run.signal): Promise<void> {
  const state = run.recorder.state();
  const step = state.steps.at(-1);
  const at = (index: number): Referable | null => {
    const found = step?.calls.find(({ callId }) => callId === `${step.step}.${index}`);
    if (!found) return null;
    const { name, result } = found;
    return result ? { ...result, name } : { name, success: false, error: "it has no result" };
  };
  const filled = fillReferences(call.parameters ?? {}, { call: at, shortTermMemory: state.values });
  if (!filled.ok) return refuse(run, call, { refused: "reference", error: `Not run: ${filled.error}` });
  await act(run, call.parameters ? { ...call, parameters: filled.parameters } : call, turn, signal);
}
