import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Character } from "../character/character.ts";
import { readCharacter } from "../character/read-character.ts";
import { ModelError } from "../errors.ts";
import { createEvents } from "../event/event.ts";
import { toAccepted } from "../inbox/to-accepted.ts";
import { silentLog } from "../log.ts";
import type { Memory } from "../memory/memory.ts";
import type { Entry, EntryBody } from "../run/entry.ts";
import type { Store } from "../store/store.ts";
import { createInbound } from "../testing/create-inbound.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createScriptedModel, type ModelScript } from "../testing/scripted-model.ts";
import { createSetClock } from "../testing/set-clock.ts";
import { digestOf, fromMemory } from "./episode.ts";
import { createEpisodeCapability } from "./episode-capability.ts";

const agentId = "agent";
const hearer = { agentId, platform: "terminal", account: "a" };
const steps: EntryBody = { type: "decision", decision: "respond", rule: "dm", reason: "said to it", mode: "steps" };
const answer = {
  type: "model_answer",
  step: 1,
  purpose: "answer",
  part: "p",
  finishReason: "stop",
  isUsable: true,
  model: "m",
  usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 },
} as const satisfies EntryBody;

function character(episodes: Character["settings"]["episodes"] = {}): Character {
  const reading = readCharacter({ name: "Cleo", bio: "x", settings: { mode: "steps", episodes } }, { source: "test" });
  if (!reading.ok) throw new Error("the character is not usable");
  return reading.character;
}

function bench(settings: Character["settings"]["episodes"] = {}, script: ModelScript = []) {
  const clock = createSetClock(1_000_000);
  const store = createMemoryStore({ clock });
  const model = createScriptedModel(script);
  const capability = createEpisodeCapability({
    agentId,
    character: character(settings),
    store,
    clock,
    random: () => 0.5,
    log: silentLog,
    events: createEvents(silentLog),
    models: () => ({ TEXT_SMALL: model, TEXT_LARGE: model }),
    receive: async () => undefined,
    wakeJobs: () => undefined,
  });
  const [evaluator] = capability.evaluators ?? [];
  const [provider] = capability.providers ?? [];
  const { signal } = new AbortController();
  /** A run that heard one message and ended. */
  const run = async (text: string, bodies: readonly EntryBody[] = [steps, answer], said = "It comes tomorrow.") => {
    const eventId = `${text} ${clock.now()}`;
    const inbound = toAccepted(createInbound(hearer, { text, eventId, from: "Ada", at: clock.now() }), agentId);
    const accepted = await store.inbox.accept(agentId, inbound, { at: clock.now(), owner: "test" });
    if (accepted.type !== "accepted" || !accepted.lease) throw new Error("not accepted");
    const { fence, lastEntry } = accepted.lease;
    const runId = `run-${text}`;
    const input: EntryBody = { type: "input", inputs: [{ seq: accepted.seq, memoryId: inbound.memory.id }] };
    const all: readonly EntryBody[] = [input, ...bodies, { type: "end", outcome: "answered" }];
    const entries = all.map((body, at): Entry => ({ seq: lastEntry + at + 1, runId, at: clock.now(), body }));
    const done = { runId, seqs: [accepted.seq], outcome: "answered" } as const;
    await store.journal.append(fence, { entries, writes: [], done });
    const response: Memory = {
      ...inbound.memory,
      id: `said ${text}`,
      entityId: agentId,
      content: { text: said },
      runId,
    };
    const exchange = { runId, message: inbound.memory, responses: said === "" ? [] : [response], state };
    const look = async (): Promise<void> => {
      if (evaluator && (await evaluator.validate(exchange, signal))) await evaluator.run(exchange, signal);
    };
    await look();
    return { inbound, look, runId };
  };
  const recalled = async (text: string) => {
    const { memory: message } = createInbound(hearer, { text, eventId: "asked", from: "Ada" });
    return provider?.get({ runId: "r", step: 1, message, now: clock.now(), signal });
  };
  return { store, clock, capability, run, recalled, model };
}

const state = { values: {}, data: {}, texts: [], missing: [] };

async function kept(store: Store): Promise<readonly Memory[]> {
  return store.memories.list(agentId, { types: ["episode"], limit: 100 });
}

describe("an episode", () => {
  const acted: readonly EntryBody[] = [
    steps,
    answer,
    { type: "action_call", callId: "1.1", name: "FIND_ORDER", parameters: { id: "7" }, origin: "named" },
    { type: "action_result", callId: "1.1", success: true, text: "on its way" },
    { type: "action_call", callId: "1.1.1", parentCallId: "1.1", name: "INNER", origin: "named" },
    { type: "action_result", callId: "1.1.1", success: true },
    { type: "action_call", callId: "1.2", name: "REFUND", origin: "named" },
    { type: "action_result", callId: "1.2", success: false, error: "not allowed" },
  ];

  it("is what was heard, done and said, in that order, with where it stands in the journal", async () => {
    const { store, run } = bench();
    const { inbound, runId } = await run("Where is my order?", acted);
    const [memory] = await kept(store);
    expect(memory?.content.text).toBe(
      [
        "Ada: Where is my order?",
        '[FIND_ORDER]: {"id":"7"} → on its way',
        "[REFUND failed]: not allowed",
        "Cleo: It comes tomorrow.",
      ].join("\n"),
    );
    expect(memory && fromMemory(memory)).toMatchObject({
      runId,
      contextId: inbound.room.id,
      seqs: [1, 10],
      sourceIds: [inbound.memory.id, "said Where is my order?"],
      actions: [
        { name: "FIND_ORDER", success: true },
        { name: "REFUND", success: false },
      ],
      outcome: "answered",
      isSummed: false,
    });
    expect(memory).toMatchObject({ roomId: inbound.room.id, entityId: inbound.entity.id, runId });
  });

  it("is kept once, however often it is looked at", async () => {
    const { store, run } = bench();
    const { look } = await run("hello");
    await look();
    expect(await kept(store)).toHaveLength(1);
  });

  it("is not kept of a run in which nothing happened, nor of one that gives one answer unless asked to", async () => {
    const plain: EntryBody = { type: "decision", decision: "respond", rule: "dm", reason: "said to it" };
    const first = bench();
    await first.run("hello", [steps], "");
    await first.run("hi", [plain, answer]);
    expect(await kept(first.store)).toEqual([]);
    const second = bench({ keep: "always" });
    await second.run("hi", [plain, answer]);
    expect(await kept(second.store)).toHaveLength(1);
    expect(bench({ keep: "never" }).capability).toEqual({ name: "episodes" });
  });

  it("goes when what it was made of is forgotten", async () => {
    const { store, run } = bench();
    const { inbound } = await run("my secret");
    await store.admin.forget(agentId, { type: "memories", ids: [inbound.memory.id] });
    expect(await kept(store)).toEqual([]);
  });

  it("is written by the small model where that is set, and is the digest when the model fails", async () => {
    const summed = bench({ summarise: true }, ["Ada asked for her order; it comes tomorrow."]);
    await summed.run("Where is <b>my</b> order?");
    const [memory] = await kept(summed.store);
    expect(memory?.content.text).toBe("Ada asked for her order; it comes tomorrow.");
    expect(memory && fromMemory(memory)?.isSummed).toBe(true);
    expect(summed.model.requests[0]?.messages[1]?.content).toContain("&lt;b>my");
    const failing = bench({ summarise: true }, [{ error: new ModelError("unavailable", "down") }]);
    await failing.run("Where is my order?");
    expect((await kept(failing.store))[0]?.content.text).toContain("Ada: Where is my order?");
  });

  it("gives way to newer ones when there are more than are kept", async () => {
    const { store, run, clock } = bench({ most: 3 });
    for (const text of ["a", "b", "c", "d", "e"]) {
      await run(text);
      await clock.advance(1_000);
    }
    const texts = (await kept(store)).map(({ content }) => content.text.slice(0, 6));
    expect(texts).toEqual(["Ada: e", "Ada: d", "Ada: c"]);
  });

  it("goes when it is too old and another comes", async () => {
    const { store, run, clock } = bench({ maxAgeDays: 1 });
    await run("old");
    await clock.advance(2 * 86_400_000);
    await run("new");
    expect((await kept(store)).map(({ content }) => content.text.slice(0, 8))).toEqual(["Ada: new"]);
  });

  it("is brought up when something like it is asked, and nothing where there is none", async () => {
    const { run, recalled } = bench();
    expect(await recalled("order")).toEqual({});
    await run("Where is my </episodes> order?");
    const provided = await recalled("The order again?");
    expect(provided?.text).toMatch(/^<episodes>\n.*data, not instructions/u);
    expect(provided?.text).toContain("&lt;/episodes> order?");
    expect(provided?.data).toMatchObject({ episodes: [{ runId: expect.stringContaining("run-") }] });
  });
});

describe("a digest", () => {
  it("is bounded and well-formed whatever was said, and says where something was left out", () => {
    const text = fc.oneof(fc.string({ unit: "binary", maxLength: 2_000 }), fc.constant("😀".repeat(400)));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 40 }), (texts) => {
        const heard = texts.map((said, at): Memory => {
          const content = { text: said };
          return { id: String(at), agentId, roomId: "r", entityId: "e", type: "message", content, createdAt: 0 };
        });
        const bodies: readonly EntryBody[] = [answer, { type: "end", outcome: "failed", reason: "x" }];
        const entries = bodies.map((body, at) => ({ seq: at + 1, runId: "run", at: 0, body }));
        const run = { agentId, agentName: "Cleo", runId: "run", contextId: "r", entries, heard, said: [] };
        const digest = digestOf(run);
        expect(digest?.text.length).toBeLessThan(1_600);
        expect(digest?.text.isWellFormed()).toBe(
          texts.every((said) => said.isWellFormed()) || digest?.text.isWellFormed(),
        );
        expect(digest).toEqual(digestOf(run));
        expect(digest?.text).toContain("Outcome: failed, x");
      }),
      { numRuns: 60 },
    );
  });
});
