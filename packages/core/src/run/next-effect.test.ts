import { describe, expect, it } from "vitest";
import type { Entry, EntryBody } from "./entry.ts";
import { type Effect, nextEffect, type RunRules } from "./next-effect.ts";
import { foldRun } from "./run-state.ts";

const rules: RunRules = {
  maxSteps: 4,
  asksForMore: (call) => call.name === "CONTINUE" && call.result?.success === true,
  isControl: (call) => ["REPLY", "CONTINUE", "IGNORE"].includes(call.name),
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
    expect(next(...answered)).toEqual({ type: "deliver", step: 1, key: "k0" });
    expect(next(...answered, receipt("k0", "sent"))).toEqual({ type: "deliver", step: 1, key: "k1" });
    expect(next(...answered, receipt("k0", "sent"), receipt("k1", "sent"))).toMatchObject({
      type: "act",
      callId: "1.0",
      isInterrupted: false,
    });
  });

  it("knows an action that a dead process had started", () => {
    expect(next(...begun, answer(), call("1.0", "ORDER"), { type: "action_started", callId: "1.0" })).toMatchObject({
      type: "act",
      isInterrupted: true,
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
    const steps = [2, 3, 4].map((step): EntryBody => ({ type: "state", step, providers: [] }));
    expect(next(...more, ...steps, answer(), call("4.0", "CONTINUE"), result("4.0"))).toEqual({
      type: "end",
      outcome: "answered",
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
});
