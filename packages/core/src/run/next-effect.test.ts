import { describe, expect, it } from "vitest";
import type { ActionControl } from "../action/action.ts";
import type { Entry, EntryBody } from "./entry.ts";
import { type Effect, nextEffect, type RunRules } from "./next-effect.ts";
import { foldRun } from "./run-state.ts";

const controls: Readonly<Record<string, ActionControl>> = { REPLY: "reply", CONTINUE: "continue", IGNORE: "ignore" };

const rules: RunRules = {
  maxSteps: 1,
  controlOf: (name) => controls[name] ?? null,
  hasProvider: (name) => name === "FACTS",
};

const next = (...bodies: readonly EntryBody[]): Effect =>
  nextEffect(foldRun(bodies.map((body, at): Entry => ({ seq: at + 1, runId: "run", at: 0, body }))), rules);

const input: EntryBody = { type: "input", inputs: [{ seq: 1, memoryId: "m1" }] };
const respond: EntryBody = {
  type: "decision",
  decision: "respond",
  rule: "direct-message",
  reason: "It is a direct message.",
};
const state: EntryBody = { type: "state", step: 1, providers: [] };
const answer = (isUsable = true): EntryBody => ({
  type: "model_answer",
  step: 1,
  purpose: "answer",
  part: "0",
  finishReason: "stop",
  isUsable,
  model: "m",
  usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
});
const call = (callId: string, name: string): EntryBody => ({ type: "action_call", callId, name, origin: "named" });
const result = (callId: string, success = true): EntryBody => ({ type: "action_result", callId, success });
const output = (...deliveries: readonly string[]): EntryBody => ({
  type: "output",
  callId: "1.text",
  kind: "message",
  deliveries,
  isFinal: true,
});
const receipt = (key: string, delivered: "sent" | "failed" | "uncertain"): EntryBody => ({
  type: "receipt",
  key,
  state: delivered,
});
const begun = [input, respond, state] as const;

describe("nextEffect", () => {
  it("decides first", () => expect(next(input)).toEqual({ type: "decide" }));

  it("ends where it was decided not to speak, with the reason", () => {
    expect(next(input, { ...respond, decision: "ignore", reason: "Muted." })).toEqual({
      type: "end",
      outcome: "ignored",
      reason: "Muted.",
    });
  });

  it("asks the model, and asks again for a step whose answer was never committed", () => {
    expect(next(input, respond)).toEqual({ type: "generate", step: 1 });
    expect(next(...begun)).toEqual({ type: "generate", step: 1 });
    expect(next(...begun, answer(false))).toEqual({ type: "generate", step: 1 });
    expect(next(...begun, output("k0"))).toEqual({ type: "generate", step: 1 });
  });

  it("delivers the text before it acts, piece by piece", () => {
    const answered = [...begun, answer(), output("k0", "k1"), call("1.0", "ORDER")] as const;
    expect(next(...answered)).toEqual({ type: "deliver", key: "k0" });
    expect(next(...answered, receipt("k0", "sent"))).toEqual({ type: "deliver", key: "k1" });
    expect(next(...answered, receipt("k0", "sent"), receipt("k1", "sent"))).toMatchObject({
      type: "act",
      call: { callId: "1.0" },
      turn: "next",
    });
  });

  it("knows an action that a dead process had started", () => {
    expect(next(...begun, answer(), call("1.0", "ORDER"), { type: "action_started", callId: "1.0" })).toMatchObject({
      type: "act",
      turn: "interrupted",
    });
  });

  it("goes on after CONTINUE, at most as often as allowed", () => {
    const more = [
      ...begun,
      answer(),
      output("k0"),
      call("1.0", "CONTINUE"),
      result("1.0"),
      receipt("k0", "sent"),
    ] as const;
    expect(next(...more)).toEqual({ type: "generate", step: 2 });
    const further = [2, 3, 4].flatMap((step): EntryBody[] => [
      { type: "state", step, providers: [] },
      answer(),
      call(`${step}.0`, "CONTINUE"),
      result(`${step}.0`),
    ]);
    expect(next(...more, ...further.slice(0, 8))).toEqual({ type: "generate", step: 4 });
    expect(next(...more, ...further)).toEqual({ type: "end", outcome: "answered" });
  });

  it("asks once more when parameters were wrong, and not a second time", () => {
    const wrong = (callId: string): EntryBody => ({
      type: "action_result",
      callId,
      success: false,
      refused: "parameters",
      error: "city: is required",
    });
    const first = [...begun, answer(), call("1.0", "ORDER"), wrong("1.0")] as const;
    expect(next(...first)).toEqual({ type: "generate", step: 2 });
    const second = [
      ...first,
      { ...state, step: 2 } as EntryBody,
      answer(),
      call("2.0", "ORDER"),
      wrong("2.0"),
    ] as const;
    expect(next(...second)).toMatchObject({ type: "end", outcome: "failed", reason: "ORDER: city: is required" });
  });

  it("shows results to the model while steps are left, and asks for known providers", () => {
    const acted = [...begun, answer(), call("1.0", "ORDER"), result("1.0")];
    const state = foldRun(acted.map((body, at): Entry => ({ seq: at + 1, runId: "run", at: 0, body })));
    expect(nextEffect(state, { ...rules, maxSteps: 3 })).toEqual({ type: "generate", step: 2 });
    const asked: EntryBody = { ...(answer() as Extract<EntryBody, { type: "model_answer" }>), providers: ["FACTS"] };
    expect(next(...begun, asked)).toEqual({ type: "generate", step: 2 });
    expect(next(...begun, { ...asked, providers: ["NOTHING"] })).toMatchObject({ type: "end" });
  });

  it("runs nothing after an action that ended the chain, and nothing within one that is over", () => {
    const ended: EntryBody = { type: "action_result", callId: "1.0", success: true, endsChain: true };
    expect(next(...begun, answer(), call("1.0", "ORDER"), call("1.1", "PAY"), ended)).toMatchObject({
      type: "act",
      turn: "chain-ended",
    });
    const inner: EntryBody = {
      type: "action_call",
      callId: "1.0.0",
      parentCallId: "1.0",
      name: "PAY",
      origin: "named",
    };
    expect(next(...begun, answer(), call("1.0", "ORDER"), inner, result("1.0"))).toMatchObject({
      type: "act",
      turn: "interrupted",
    });
  });

  it.each([
    ["sent", "answered"],
    ["uncertain", "uncertain"],
    ["failed", "failed"],
  ] as const)("ends a run whose delivery is %s as %s", (delivered, outcome) => {
    expect(next(...begun, answer(), output("k0"), receipt("k0", delivered))).toMatchObject({ type: "end", outcome });
  });

  it("ends a silent answer as ignored, and one that acted as answered", () => {
    expect(next(...begun, answer(), call("1.0", "IGNORE"), result("1.0"))).toMatchObject({
      type: "end",
      outcome: "ignored",
    });
    expect(next(...begun, answer(), call("1.0", "ORDER"), result("1.0"))).toMatchObject({
      type: "end",
      outcome: "answered",
    });
  });

  it("runs a command as it was asked for, once, and asks no model, however many steps there are", () => {
    const asked: EntryBody = { ...respond, rule: "command", command: "weather" };
    const called: EntryBody = { type: "action_call", callId: "1.0", name: "WEATHER", origin: "command" };
    const generous = { ...rules, maxSteps: 8 };
    const after = (...bodies: readonly EntryBody[]): Effect =>
      nextEffect(
        foldRun([input, asked, ...bodies].map((body, at) => ({ seq: at + 1, runId: "run", at: 0, body }))),
        generous,
      );
    expect(after()).toEqual({ type: "command", name: "weather" });
    expect(after(state, called)).toMatchObject({
      type: "act",
      turn: "next",
      call: { name: "WEATHER", isCommand: true },
    });
    expect(after(state, called, result("1.0"))).toMatchObject({ type: "end", outcome: "answered" });
  });
});
