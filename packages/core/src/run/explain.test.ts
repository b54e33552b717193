import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { readCharacter } from "../character/read-character.ts";
import { silentLog } from "../log.ts";
import type { Store } from "../store/store.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createScriptedClient, type ScriptedClient } from "../testing/scripted-client.ts";
import { createScriptedModel, type ModelScript } from "../testing/scripted-model.ts";
import { createSetClock } from "../testing/set-clock.ts";
import { type Agent, createAgent } from "./agent.ts";
import type { Entry, EntryBody } from "./entry.ts";
import { type ExplainedRun, explainRun, memoriesOf, partsOf } from "./explain.ts";
import { explainMessage, type MessageFacts } from "./explain-message.ts";
import { renderMessage } from "./explain-message-render.ts";
import { formatCost, formatDuration, printable, printableLine } from "./explain-printable.ts";
import { type RenderOptions, renderRun } from "./explain-render.ts";

type Stage = { readonly agent: Agent; readonly client: ScriptedClient; readonly store: Store };

const formatTime = (at: number): string => `at ${at}`;
const started: Agent[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((agent) => agent.stop(0)));
});

async function staged(script: ModelScript): Promise<Stage> {
  const reading = readCharacter({ name: "Ada", bio: "An engineer." }, { source: "test" });
  if (!reading.ok) throw new Error("the character is not valid");
  const clock = createSetClock();
  const store = createMemoryStore({ clock });
  const model = createScriptedModel(script);
  const agentId = "agent";
  const character = { ...reading.character, id: agentId };
  const client = createScriptedClient({ agentId });
  const agent = createAgent({
    character,
    store,
    clock,
    models: { TEXT_LARGE: model, TEXT_SMALL: model },
    clients: [client],
    random: () => 0.5,
    log: silentLog,
    owner: "test",
  });
  started.push(agent);
  await agent.start();
  return { agent, client, store };
}

async function lastRun({ agent: { agentId }, store }: Stage): Promise<ExplainedRun> {
  const [run] = await store.journal.runs(agentId, { limit: 1 });
  if (!run) throw new Error("there is no run");
  const entries = await store.journal.entries(agentId, run.id);
  return explainRun({
    run,
    entries,
    parts: await store.journal.parts(agentId, partsOf(entries)),
    memories: await store.memories.get(agentId, memoriesOf(entries)),
    deliveries: await store.outbox.list(agentId, { limit: 100, runId: run.id }),
    agentName: "Ada",
    room: await store.rooms.room(agentId, run.contextId),
  });
}

const said = {
  text: JSON.stringify({ thought: "a greeting", actions: ["REPLY"], text: "Hello Bo." }),
  costMicrousd: 1_200,
};

describe("the account of a run", () => {
  it("tells who said what, the decision, the prompt, the answer and the delivery, in order", async () => {
    const at = await staged([said]);
    await at.client.hear("hi Ada", { from: "Bo" });
    await at.agent.idle();
    const text = renderRun(await lastRun(at), { formatTime });
    const places = [
      "answered in",
      "heard",
      "Bo: hi Ada",
      "responds",
      "rule direct-message",
      "composed",
      "asked",
      "thought: a greeting",
      "says: Hello Bo.",
      "$0.0012",
      "called",
      "REPLY",
      "sent as scripted-1",
      "ended",
    ].map((words) => text.indexOf(words));
    expect(places.filter((place) => place < 0)).toEqual([]);
    expect(text).not.toContain("You are");
  });

  it("shows prompts and raw answers whole when asked to", async () => {
    const at = await staged([said]);
    await at.client.hear("hi Ada");
    await at.agent.idle();
    const text = renderRun(await lastRun(at), { formatTime, prompt: true, raw: true });
    expect(text).toContain("── system");
    expect(text).toContain("An engineer.");
    expect(text).toContain('"thought":"a greeting"');
  });

  it("names an unknown action's result and counts every model call", async () => {
    const at = await staged([{ ...said, text: JSON.stringify({ actions: ["FLY"], text: "Up!" }) }]);
    await at.client.hear("fly");
    await at.agent.idle();
    const run = await lastRun(at);
    expect(renderRun(run, { formatTime })).toMatch(/result\s+FLY .*: failed: There is no action FLY/u);
    expect(run).toMatchObject({ models: ["scripted:model"], costMicrousd: 1_200, outcome: "answered" });
  });

  it("shows [forgotten] where a part or message is gone", async () => {
    const at = await staged([said]);
    await at.client.hear("hi Ada");
    await at.agent.idle();
    const [run] = await at.store.journal.runs("agent", { limit: 1 });
    if (!run) throw new Error("there is no run");
    const entries = await at.store.journal.entries("agent", run.id);
    const gone = explainRun({ run, entries, parts: new Map(), memories: [], deliveries: [], agentName: "Ada" });
    const text = renderRun(gone, { formatTime, prompt: true });
    expect(text.match(/\[forgotten\]/gu)?.length).toBeGreaterThanOrEqual(4);
    expect(text).toContain("not in the outbox");
  });

  it.each([
    ["input", "deciding whether to speak"],
    ["state", "composing the prompt of step 1"],
    ["prompt", "waiting for scripted:model (step 1)"],
    ["action_call", "delivering"],
    ["receipt", "about to end"],
  ])("says what a run is at whose journal ends with its %s", async (type, stage) => {
    const at = await staged([said]);
    await at.client.hear("hi Ada");
    await at.agent.idle();
    const [row] = await at.store.journal.runs("agent", { limit: 1 });
    if (!row) throw new Error("there is no run");
    const whole = await at.store.journal.entries("agent", row.id);
    const entries = whole.slice(0, whole.findLastIndex(({ body }) => body.type === type) + 1);
    const { id, contextId, startedAt } = row;
    const open = { ...run, id, contextId, startedAt };
    const account = explainRun({
      run: open,
      entries,
      parts: new Map(),
      memories: [],
      deliveries: [],
      agentName: "Ada",
    });
    expect(renderRun(account, { formatTime })).toContain(`not ended: ${stage}`);
  });
});

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom("\u001b", "\u0007", "\u009b", "\n", "\t", "\ud800", "\u202e", "["),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
  maxLength: 12,
});
const count = fc.oneof(fc.integer(), fc.double());
const step = fc.integer({ min: 0, max: 3 });
const purpose = fc.constantFrom("answer" as const, "decision" as const, "retry" as const);
const state = fc.constantFrom(
  "pending" as const,
  "sending" as const,
  "sent" as const,
  "uncertain" as const,
  "failed" as const,
);
const outcome = fc.constantFrom(
  "answered" as const,
  "ignored" as const,
  "failed" as const,
  "uncertain" as const,
  "aborted" as const,
);
const tag = <const Type extends EntryBody["type"]>(type: Type): fc.Arbitrary<Type> => fc.constant(type);
const optional = { noNullPrototype: true } as const;

const anyBody: fc.Arbitrary<EntryBody> = fc.oneof(
  fc.record({ type: tag("input"), inputs: fc.array(fc.record({ seq: step, memoryId: text })) }),
  fc.record({
    type: tag("decision"),
    decision: fc.constantFrom("respond" as const, "ignore" as const, "stop" as const),
    rule: text,
    reason: text,
  }),
  fc.record({
    type: tag("state"),
    step,
    providers: fc.array(fc.oneof(fc.record({ name: text }), fc.record({ name: text, failed: text }))),
  }),
  fc.record({
    type: tag("prompt"),
    step,
    purpose,
    model: text,
    parts: fc.array(
      fc.record({ role: fc.constantFrom("system" as const, "user" as const), part: fc.constantFrom("a", "b", "gone") }),
    ),
  }),
  fc.record({
    type: tag("model_answer"),
    step,
    purpose,
    part: fc.constantFrom("a", "b", "gone"),
    finishReason: fc.constantFrom("stop" as const, "length" as const, "error" as const),
    isUsable: fc.boolean(),
    model: text,
    usage: fc.record({ inputTokens: count, cachedInputTokens: count, outputTokens: count }),
    costMicrousd: count,
    notes: fc.array(fc.jsonValue() as fc.Arbitrary<string>),
  }),
  fc.record({
    type: tag("action_call"),
    callId: text,
    name: text,
    parameters: fc.dictionary(text, text, optional),
    origin: fc.constantFrom("named" as const, "keyword" as const),
    keywords: fc.array(text),
  }),
  fc.record({ type: tag("action_started"), callId: text }),
  fc.record({
    type: tag("action_result"),
    callId: text,
    success: fc.boolean(),
    text,
    data: fc.jsonValue() as fc.Arbitrary<string>,
    error: text,
  }),
  fc.record({
    type: tag("output"),
    callId: text,
    kind: fc.constantFrom("message" as const, "like" as const),
    deliveries: fc.array(text),
    isFinal: fc.boolean(),
  }),
  fc.record({ type: tag("receipt"), key: text, state, platformId: text, error: text }),
  fc.record({ type: tag("error"), where: text, code: text, message: text }),
  fc.record({ type: tag("end"), outcome, reason: text }),
);
const anyEntries: fc.Arbitrary<readonly Entry[]> = fc.array(
  fc.record({ seq: fc.integer(), runId: text, at: count, body: anyBody }),
  { maxLength: 8 },
);
const anyOptions: fc.Arbitrary<RenderOptions> = fc.record({
  formatTime: fc.constant(formatTime),
  prompt: fc.boolean(),
  raw: fc.boolean(),
});
const run = { id: "run", contextId: "room", startedAt: 0, inputTokens: 0, outputTokens: 0, costMicrousd: 0 };
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;

describe("any journal", () => {
  const explained = fc.tuple(anyEntries, text, text).map(([entries, a, b]) =>
    explainRun({
      run,
      entries,
      parts: new Map([
        ["a", a],
        ["b", b],
      ]),
      memories: [],
      deliveries: [],
      agentName: a,
    }),
  );

  it("is told without throwing and without a control character", () => {
    fc.assert(
      fc.property(explained, anyOptions, (account, options) => {
        const shown = renderRun(account, options);
        expect(shown).not.toMatch(controls);
        expect(shown.isWellFormed()).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("is told as it stands where a later release wrote more into it", () => {
    // What an older release cannot know the type of.
    const body = { type: "dream_noted", about: "sheep\u001b[2J" } as unknown as EntryBody;
    const entries: readonly Entry[] = [{ seq: 1, runId: "run", at: 0, body }];
    const account = explainRun({ run, entries, parts: new Map(), memories: [], deliveries: [], agentName: "Ada" });
    expect(renderRun(account, { formatTime })).toMatch(/noted +dream noted \{"about":"sheep.*"\}/u);
  });

  it("explains its messages without throwing and without a control character", () => {
    const memory = fc.record({
      id: text,
      agentId: fc.constant("agent"),
      roomId: text,
      entityId: fc.constantFrom("agent", "bo"),
      type: fc.constant("message" as const),
      content: fc.record({ text }),
      createdAt: count,
      metadata: fc.record({ entityName: text }),
    });
    const inbox = fc.record({
      seq: step,
      contextId: text,
      eventId: text,
      kind: fc.constant("message" as const),
      memoryId: text,
      entityId: text,
      acceptedAt: count,
      attempts: step,
      state: fc.constantFrom("waiting" as const, "done" as const),
      outcome,
      reason: text,
    });
    const facts: fc.Arbitrary<MessageFacts> = fc.record({
      wanted: text,
      agentName: text,
      memory: fc.option(memory),
      inbox: fc.option(inbox),
      run: fc.option(explained),
      delivery: fc.constant(null),
      waitingBefore: step,
      openRun: fc.option(explained),
      isAgentRunning: fc.boolean(),
      nearby: fc.array(memory, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(facts, (given) => {
        expect(renderMessage(explainMessage(given), { formatTime, now: 5 })).not.toMatch(controls);
      }),
      { numRuns: 300 },
    );
  });
});

describe("text for a terminal", () => {
  it.each([
    ["\u001b[31mred\u001b[0m", "red"],
    ["\u001b]0;title\u0007after", "after"],
    ["\u009b1mbold", "bold"],
    ["\u001b]never ends: seen", "never ends: seen"],
    ["a\r\nb\tc\u0000", "a\nb  c"],
    ["left \u202eright", "left right"],
    ["half \ud83d", "half \ufffd"],
    ["👩‍👩‍👧 שלום 漢字", "👩‍👩‍👧 שלום 漢字"],
  ])("turns %j into %j", (given, shown) => expect(printable(given)).toBe(shown));

  it("is put on one line", () => expect(printableLine(" a\n\n b \u2028c ")).toBe("a b c"));

  it("takes time in proportion to its length", () => {
    expect(printable("\u001b]".repeat(500_000))).toBe("");
    expect(printable("\u0090".repeat(500_000))).toBe("");
  });

  it("writes spans and amounts for people", () => {
    expect([3, 1_940, 59_960, 125_000, 3_700_000, 97_200_000].map(formatDuration)).toEqual([
      "3 ms",
      "1.9 s",
      "1 min",
      "2 min 5 s",
      "1 h 2 min",
      "1 d 3 h",
    ]);
    expect([0, 12, 1_234, 45_678, 2_500_000].map(formatCost)).toEqual([
      "$0",
      "$0.000012",
      "$0.001234",
      "$0.0457",
      "$2.50",
    ]);
  });
});
