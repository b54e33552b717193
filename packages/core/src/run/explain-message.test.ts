import { describe, expect, it } from "vitest";
import type { Memory } from "../memory/memory.ts";
import type { InboxRow } from "../store/store.ts";
import type { EntryBody, RunOutcome } from "./entry.ts";
import { type ExplainedRun, explainRun } from "./explain.ts";
import { explainMessage, type MessageFacts } from "./explain-message.ts";
import { renderMessage } from "./explain-message-render.ts";

const memory: Memory = {
  id: "memory-1",
  agentId: "agent",
  roomId: "room",
  entityId: "bo",
  type: "message",
  content: { text: "hi there" },
  createdAt: 1_000,
  platformId: "41",
  metadata: { entityName: "Bo" },
};
const inbox: InboxRow = {
  seq: 3,
  contextId: "room",
  eventId: "41",
  kind: "message",
  memoryId: "memory-1",
  entityId: "bo",
  acceptedAt: 1_000,
  attempts: 0,
  state: "waiting",
};
const nothing: MessageFacts = {
  wanted: "41",
  agentName: "Ada",
  memory: null,
  inbox: null,
  run: null,
  delivery: null,
  waitingBefore: 0,
  openRun: null,
  isAgentRunning: true,
  nearby: [],
};

function runOf(...bodies: readonly EntryBody[]): ExplainedRun {
  const all: readonly EntryBody[] = [{ type: "input", inputs: [{ seq: 3, memoryId: "memory-1" }] }, ...bodies];
  return explainRun({
    run: { id: "12345678-run", contextId: "room", startedAt: 2_000, inputTokens: 0, outputTokens: 0, costMicrousd: 0 },
    entries: all.map((body, n) => ({ seq: n + 1, runId: "12345678-run", at: 2_000 + n, body })),
    parts: new Map([["a", '{"thought":"be kind","text":"Hello Bo."}']]),
    memories: [memory],
    deliveries: [
      {
        delivery: {
          key: "k/1/0",
          agentId: "agent",
          runId: "12345678-run",
          roomId: "room",
          platform: "p",
          account: "a",
          target: "t",
          kind: "message",
          content: { text: "Hello Bo." },
          nonce: "n",
        },
        state: "sent",
        isOpen: false,
        attempts: 1,
        platformId: "42",
        createdAt: 0,
        updatedAt: 0,
      },
    ],
    agentName: "Ada",
  });
}

const decides = (decision: "respond" | "ignore", rule: string): EntryBody => ({
  type: "decision",
  decision,
  rule,
  reason: "Because.",
});
const answers: readonly EntryBody[] = [
  decides("respond", "direct-message"),
  {
    type: "model_answer",
    step: 1,
    purpose: "answer",
    part: "a",
    finishReason: "stop",
    isUsable: true,
    model: "m:x",
    usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 },
  },
  { type: "output", callId: "1.text", kind: "message", deliveries: ["k/1/0"], isFinal: true },
  { type: "end", outcome: "answered" },
];
const done = (outcome: RunOutcome, reason = "It is muted."): InboxRow => ({
  ...inbox,
  state: "done",
  outcome,
  reason,
  runId: "12345678-run",
});
const tell = (facts: Partial<MessageFacts>): string =>
  renderMessage(explainMessage({ ...nothing, ...facts }), { formatTime: (at) => `t${at}`, now: 5_000 });

describe("the account of a message", () => {
  it("says by which run, with what and by which decision a message was answered", () => {
    const text = tell({ memory, inbox: done("answered"), run: runOf(...answers) });
    expect(text).toMatch(/Bo: hi there\n.*41 on its platform[\s\S]*Answered by run 12345678 with:\n {2}Hello Bo\./u);
    expect(text).toMatch(/rule direct-message[\s\S]*m:x[\s\S]*be kind/u);
  });

  it("says what caused a message of our own", () => {
    const own: Memory = {
      ...memory,
      id: "own",
      entityId: "agent",
      runId: "12345678-run",
      content: { text: "Hello Bo." },
    };
    const text = tell({ memory: own, run: runOf(...answers) });
    expect(text).toMatch(/Ada: Hello Bo\.[\s\S]*in run 12345678, because of:\n {2}Bo: hi there\n {4}message 41/u);
  });

  it.each([
    ["ignored", decides("ignore", "muted"), /chose silence[\s\S]*rule muted[\s\S]*Remedy: {3}Mention the agent/u],
    [
      "failed",
      { type: "error", where: "run", code: "unauthorized", message: "401" },
      /run failed[\s\S]*Replace the key/u,
    ],
    ["uncertain", decides("respond", "name"), /Nobody knows[\s\S]*troupe deliveries/u],
    ["aborted", decides("respond", "name"), /called off[\s\S]*Say it again/u],
  ] as const)("says why a message was %s and what to do", (outcome, body, expected) => {
    const run = runOf(body, { type: "end", outcome });
    expect(tell({ memory, inbox: done(outcome), run })).toMatch(expected);
  });

  it("says where a waiting message stands and what is before it", () => {
    const openRun = runOf(decides("respond", "name"), { type: "state", step: 1, providers: [] });
    const text = tell({ memory, inbox, waitingBefore: 1, openRun });
    expect(text).toMatch(/waiting in the inbox for 4\.0 s, since t1000, number 2 in its room/u);
    expect(text).toMatch(/Before it, run 12345678 is at work for 3\.0 s: composing/u);
  });

  it("says what is being done about a message and how to go on when no agent runs", () => {
    const run = runOf(decides("respond", "name"), { type: "state", step: 1, providers: [] });
    const text = tell({ memory, inbox: { ...inbox, attempts: 2 }, run, isAgentRunning: false });
    expect(text).toMatch(/Being worked on in run 12345678 for 3\.0 s[\s\S]*ended 2 times[\s\S]*npm start/u);
  });

  it("names what is known near a message that was never heard", () => {
    const text = tell({ wanted: "40", nearby: [memory] });
    expect(text).toMatch(/Never heard: nothing named 40[\s\S]*41 {2}t1000 {2}Bo: hi there/u);
    expect(tell({ wanted: "40" })).toContain("No message is stored at all");
  });

  it("tells what was remembered without being put up for an answer", () => {
    expect(tell({ memory })).toContain("never put up for an answer");
  });
});
