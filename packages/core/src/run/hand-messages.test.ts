import { afterEach, describe, expect, it } from "vitest";
import type { HandledMessage } from "../action/handed-message.ts";
import type { Action } from "../plugin/action-shape.ts";
import type { Plugin } from "../plugin/plugin.ts";
import type { Runtime } from "../plugin/runtime.ts";
import type { Store } from "../store/store.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createStages, type Setting, type Stage } from "../testing/stage.ts";
import { createTestRuntime } from "../testing/test-runtime.ts";

const stages = createStages();
afterEach(() => stages.close());

const answer = (text: string, ...actions: readonly string[]): string => JSON.stringify({ actions, text });
const delegate = (handler: Action["handler"], more: Partial<Action> = {}): Plugin => ({
  name: "delegating",
  actions: [{ name: "DELEGATE", description: "Asks the agent itself.", validate: () => true, handler, ...more }],
});
const ask = (runtime: Runtime, text: string): Promise<HandledMessage> =>
  runtime.messageService.handleMessage({ content: { text } });
const lastSaid = ({ model }: Stage): string => String(model.requests.at(-1)?.messages.at(-1)?.content);
const runsOf = ({ store, agent }: Stage) => store.journal.runs(agent.agentId, { limit: 50 });

/** A stage with the runtime of a plugin that does nothing itself. */
async function outside(setting: Setting) {
  let runtime: Runtime | undefined;
  const plugin: Plugin = { name: "outsider", init: (_, given) => void (runtime = given) };
  const stage = await stages.open({ ...setting, plugins: [...(setting.plugins ?? []), plugin] });
  if (!runtime) throw new Error("init runs");
  const { memory } = await stage.client.hear("hello");
  await stage.agent.idle();
  return { stage, runtime, roomId: memory.roomId, entityId: memory.entityId };
}

describe("a message handed over inside an action", () => {
  it("is answered in a run within the run, though the room is at another", async () => {
    const plugin = delegate(async (runtime) => {
      const { outcome, responses } = await ask(runtime, "How much is 6 × 7?");
      return { success: outcome === "answered", data: responses.map(({ content }) => content.text) };
    });
    const stage = await stages.open({ script: [answer("Let me see.", "DELEGATE"), answer("42")], plugins: [plugin] });
    await stage.say("hello");
    expect(stage.texts()).toEqual(["Let me see.", "42"]);
    expect(lastSaid(stage)).toContain("How much is 6 × 7?");
    const runs = await runsOf(stage);
    expect(runs.map(({ outcome }) => outcome)).toEqual(["answered", "answered"]);
    const parent = runs.at(-1);
    const entries = await stage.store.journal.entries(stage.agent.agentId, parent?.id ?? "");
    const child = runs.find(({ id }) => id !== parent?.id);
    const bodies = entries.map(({ body }) => body);
    expect(bodies).toContainEqual(
      expect.objectContaining({ type: "child_run", callId: "1.0", childRunId: child?.id, contextId: child?.contextId }),
    );
    expect(bodies).toContainEqual(expect.objectContaining({ type: "action_result", success: true, data: ["42"] }));
    expect(
      stage.events.filter(({ type }) => type === "RUN_STARTED" || type === "RUN_ENDED").map(({ type }) => type),
    ).toEqual(["RUN_STARTED", "RUN_STARTED", "RUN_ENDED", "RUN_ENDED"]);
    expect(new Set(stage.events.flatMap((event) => ("roomId" in event ? [event.roomId] : []))).size).toBe(1);
  });

  it("is part of what was said in the room afterwards", async () => {
    const script = [answer("Let me see.", "DELEGATE"), answer("42"), answer("Yes.")];
    const stage = await stages.open({
      script,
      plugins: [delegate(async (runtime) => void (await ask(runtime, "Six times seven?")))],
    });
    await stage.say("hello");
    await stage.say("sure?");
    const shown = JSON.stringify(stage.model.requests.at(-1)?.messages);
    for (const text of ["hello", "Let me see.", "Six times seven?", "42", "sure?"]) expect(shown).toContain(text);
  });

  it("cannot go in circles: an action does not run within its own run", async () => {
    const refusals: unknown[] = [];
    const plugin = delegate(async (runtime) => {
      const { runId, outcome } = await ask(runtime, "again");
      refusals.push([outcome, runId]);
    });
    const script = [answer("One.", "DELEGATE"), answer("Two.", "DELEGATE")];
    const stage = await stages.open({ script, plugins: [plugin] });
    await stage.say("hello");
    expect(stage.texts()).toEqual(["One.", "Two."]);
    const [, childId = ""] = (refusals[0] ?? []) as string[];
    const entries = await stage.store.journal.entries(stage.agent.agentId, childId);
    expect(entries.map(({ body }) => body)).toContainEqual(expect.objectContaining({ refused: "circle" }));
  });

  it("is bounded in depth", async () => {
    const names = ["A", "B", "C", "D", "E", "F"];
    const plugin: Plugin = {
      name: "deep",
      actions: names.map((name) => ({
        name: `GO_${name}`,
        description: "",
        validate: () => true,
        handler: async (runtime) => void (await ask(runtime, `from ${name}`)),
      })),
    };
    const script = [...names.map((name) => answer(name, `GO_${name}`)), answer("never")];
    const stage = await stages.open({ script, plugins: [plugin] });
    await stage.say("hello");
    expect(stage.texts()).toEqual(names);
    const [deepest] = await runsOf(stage);
    const entries = await stage.store.journal.entries(stage.agent.agentId, deepest?.id ?? "");
    expect(entries.map(({ body }) => body)).toContainEqual(expect.objectContaining({ refused: "depth" }));
  });

  it("is answered once, however often its action runs", async () => {
    const told: string[] = [];
    const plugin = delegate(
      async (runtime) => {
        const { runId } = await ask(runtime, "Ready?");
        told.push(runId);
        if (told.length === 1) throw new Error("not yet");
      },
      { retry: { attempts: 2, initialMs: 0, multiplier: 1, maxMs: 0 } },
    );
    const stage = await stages.open({ script: [answer("Well.", "DELEGATE"), answer("Ready.")], plugins: [plugin] });
    await stage.client.hear("hello");
    await stage.clock.advance(10);
    await stage.agent.idle();
    expect(stage.texts()).toEqual(["Well.", "Ready."]);
    expect(new Set(told).size).toBe(1);
    expect(told).toHaveLength(2);
  });

  it("is told apart from the same words said again", async () => {
    const plugin = delegate(async (runtime) => {
      await ask(runtime, "Again?");
      await ask(runtime, "Again?");
    });
    const stage = await stages.open({
      script: [answer("Well.", "DELEGATE"), answer("Once."), answer("Twice.")],
      plugins: [plugin],
    });
    await stage.say("hello");
    expect(stage.texts()).toEqual(["Well.", "Once.", "Twice."]);
  });

  it("is called off with its action, visibly, and the room goes on", async () => {
    const plugin = delegate(async (runtime) => void (await ask(runtime, "Take your time.")), { timeoutMs: 100 });
    const script = [answer("Well.", "DELEGATE"), { pieces: [new Promise<string>(() => undefined)] }, answer("Next.")];
    const stage = await stages.open({ script, plugins: [plugin] });
    await stage.client.hear("hello");
    await stage.clock.advance(100);
    await stage.agent.idle();
    const runs = await runsOf(stage);
    expect(runs.map(({ outcome, reason }) => [outcome, reason])).toContainEqual([
      "failed",
      "Called off with the action that asked for it.",
    ]);
    await stage.say("still there?");
    expect(stage.texts()).toEqual(["Well.", "Next."]);
  });

  it("reaches another room, of which nobody waits for its turn", async () => {
    let den = "";
    const plugin = delegate(async (runtime) => {
      await runtime.messageService.handleMessage({ content: { text: "What is new?" }, roomId: den });
    });
    const stage = await stages.open({
      script: [answer("Hi."), answer("I ask.", "DELEGATE"), answer("Nothing.")],
      plugins: [plugin],
    });
    den = (await stage.client.hear("hello", { room: "den" })).room.id;
    await stage.agent.idle();
    await stage.say("ask in the den");
    expect(stage.client.shown().map(({ target, text }) => [target, text])).toEqual([
      ["den", "Hi."],
      ["lobby", "I ask."],
      ["den", "Nothing."],
    ]);
  });

  it("goes on after a crash, and its action, when it may run again, is told what became of it", async () => {
    const store: Store = createMemoryStore();
    const told: string[] = [];
    const plugin = delegate(
      async (runtime) => {
        const { outcome, responses } = await ask(runtime, "Ready?");
        told.push(outcome, ...responses.map(({ content }) => content.text));
      },
      { idempotent: true },
    );
    const hanging = { pieces: [new Promise<string>(() => undefined)] };
    const first = await stages.open({ script: [answer("Well.", "DELEGATE"), hanging], plugins: [plugin], store });
    await first.client.hear("hello");
    await first.clock.advance(0);
    expect(first.model.requests).toHaveLength(2);
    await first.agent.stop(0);
    expect(told).toEqual([]);
    const second = await stages.open({ script: [answer("Ready.")], plugins: [plugin], store });
    await second.agent.idle();
    expect(second.texts()).toEqual(["Ready."]);
    expect(told).toEqual(["answered", "Ready."]);
    expect((await runsOf(second)).map(({ outcome }) => outcome)).toEqual(["answered", "answered"]);
  });
});

describe("a message handed over outside any run", () => {
  it("waits its turn like any message, and what became of it is told", async () => {
    const { stage, runtime, roomId, entityId } = await outside({ script: [answer("Hi."), answer("It is late.")] });
    const handled = await runtime.messageService.handleMessage({
      content: { text: "What time is it?" },
      roomId,
      entityId,
    });
    expect(handled).toMatchObject({ outcome: "answered", responses: [{ roomId, content: { text: "It is late." } }] });
    expect(stage.texts()).toEqual(["Hi.", "It is late."]);
    const run = (await runsOf(stage)).find(({ id }) => id === handled.runId);
    expect(run?.contextId).toBe(roomId);
  });

  it("with the same id is answered once, and told the same again", async () => {
    const { stage, runtime, roomId, entityId } = await outside({ script: [answer("Hi."), answer("Done.")] });
    const message = { id: "tick-7", content: { text: "Tick." }, roomId, entityId };
    const [first, beside] = await Promise.all([
      runtime.messageService.handleMessage(message),
      runtime.messageService.handleMessage(message),
    ]);
    expect(await runtime.messageService.handleMessage(message)).toEqual(first);
    expect(beside).toEqual(first);
    expect(stage.texts()).toEqual(["Hi.", "Done."]);
  });

  it("may be ignored, with the reason", async () => {
    const { runtime, roomId, entityId } = await outside({ script: [answer("Hi.")] });
    const message = { content: { text: "" }, roomId, entityId };
    const { outcome, reason, responses } = await runtime.messageService.handleMessage(message);
    expect([outcome, reason, responses]).toEqual(["ignored", "The message has neither text nor attachments.", []]);
  });

  it("needs a room and somebody we know, a text, and a platform that is connected", async () => {
    const { stage, runtime, roomId, entityId } = await outside({ script: [answer("Hi.")] });
    const { handleMessage } = runtime.messageService;
    const content = { text: "x" };
    await expect(handleMessage({ content })).rejects.toThrow(/without roomId and entityId; say both/);
    await expect(handleMessage({ content, roomId: "nowhere", entityId })).rejects.toThrow(
      /room nowhere, which is not known/,
    );
    await expect(handleMessage({ content, roomId, entityId: "nobody" })).rejects.toThrow(
      /entity nobody, which is not known/,
    );
    await expect(handleMessage({ content: {} as never, roomId, entityId })).rejects.toThrow(/without a text/);
    const room = { id: "far", platform: "elsewhere", account: "a", platformId: "1", channelType: "dm" } as const;
    await stage.store.admin.write(stage.agent.agentId, [{ type: "room.put", room }]);
    await expect(handleMessage({ content, roomId: "far", entityId })).rejects.toThrow(/elsewhere .* is not connected/);
  });

  it("is refused before the start and after the end, and whoever waits is told of the end", async () => {
    let early: unknown;
    const eager: Plugin = {
      name: "eager",
      init: async (_, { messageService }) => {
        early = await messageService.handleMessage({ content: { text: "x" } }).catch((error: unknown) => error);
      },
    };
    const hanging = { pieces: [new Promise<string>(() => undefined)] };
    const { stage, runtime, roomId, entityId } = await outside({ script: [answer("Hi."), hanging], plugins: [eager] });
    expect(early).toMatchObject({ code: "unavailable", message: expect.stringContaining("not in init") });
    const message = { content: { text: "x" }, roomId, entityId };
    const waiting = runtime.messageService.handleMessage(message);
    const told = expect(waiting).rejects.toMatchObject({ code: "aborted" });
    await stage.clock.advance(0);
    await stage.agent.stop(0);
    await told;
    await expect(runtime.messageService.handleMessage(message)).rejects.toMatchObject({ code: "aborted" });
  });

  it("cannot come from what its room waits for", async () => {
    const told: string[] = [];
    const provider = {
      name: "NEWS",
      get: async (runtime: Runtime) => {
        await ask(runtime, "x").catch((error: Error) => told.push(error.message));
        return {};
      },
    };
    await outside({ script: [answer("Hi.")], plugins: [{ name: "p", providers: [provider] }] });
    expect(told[0]).toMatch(/^a provider, a check or a review cannot hand over a message/);
  });

  it("may come from an evaluator, for the room is free by then", async () => {
    const outcomes: string[] = [];
    const evaluator = {
      name: "FOLLOW_UP",
      description: "",
      validate: (_: Runtime, { message }: { message: { content: { text: string } } }) =>
        message.content.text === "hello",
      handler: async (
        runtime: Runtime,
        { message: { roomId, entityId } }: { message: { roomId: string; entityId: string } },
      ) => {
        const handled = await runtime.messageService.handleMessage({ content: { text: "And?" }, roomId, entityId });
        outcomes.push(handled.outcome);
      },
    };
    const { stage } = await outside({
      script: [answer("Hi."), answer("That is all.")],
      plugins: [{ name: "p", evaluators: [evaluator] }],
    });
    await stage.agent.idle();
    expect(stage.texts()).toEqual(["Hi.", "That is all."]);
    expect(outcomes).toEqual(["answered"]);
  });
});

it("a test runtime shows what is handed over, and answers when it is told how", async () => {
  const plugin = delegate(async (runtime) => {
    const { outcome, responses } = await ask(runtime, "ping");
    return { success: true, data: [outcome, ...responses.map(({ content }) => content.text)] };
  });
  const silent = await createTestRuntime({ plugins: [plugin] });
  expect((await silent.act("DELEGATE")).result.data).toEqual(["ignored"]);
  expect(silent.handed).toMatchObject([{ content: { text: "ping" }, roomId: expect.any(String) }]);
  await silent.close();
  const speaking = await createTestRuntime({ plugins: [plugin], answer: ({ content }) => `${content.text} pong` });
  expect((await speaking.act("DELEGATE")).result.data).toEqual(["answered", "ping pong"]);
  await speaking.close();
});
