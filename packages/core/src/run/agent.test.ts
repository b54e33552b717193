import { afterEach, describe, expect, it } from "vitest";
import type { RegisteredAction } from "../action/action.ts";
import { ModelError, StoreError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createScriptedClient, type ScriptedClient } from "../testing/scripted-client.ts";
import { createStages, type Setting, type Stage, stageCharacter } from "../testing/stage.ts";

const stages = createStages();
afterEach(() => stages.close());
const stage = (setting: Setting): Promise<Stage> => stages.open(setting);

const saying = (text: string, ...actions: string[]): string => JSON.stringify({ thought: "so", actions, text });

describe("an agent", () => {
  it("answers a direct message once, with one model call", async () => {
    const { agent, client, model, texts, store } = await stage({ script: [saying("Hello Bo.", "REPLY")] });
    const { memory } = await client.hear("hi");
    await agent.idle();
    expect(texts()).toEqual(["Hello Bo."]);
    expect(model.requests).toHaveLength(1);
    expect(await store.inbox.find(agent.agentId, memory.id)).toMatchObject({ state: "done", outcome: "answered" });
  });

  it("does nothing when the same event is offered again", async () => {
    const { agent, client, texts } = await stage({ script: [saying("Once.")] });
    await client.hear("hi", { eventId: "e1" });
    await client.hear("hi", { eventId: "e1" });
    await agent.idle();
    await client.hear("hi", { eventId: "e1" });
    await agent.idle();
    expect(texts()).toEqual(["Once."]);
  });

  it("answers the messages of a room one after the other, in order", async () => {
    const { agent, client, texts } = await stage({
      script: (request) => saying(`to ${lastLine(request.messages.at(-1)?.content)}`),
    });
    await Promise.all([client.hear("one"), client.hear("two"), client.hear("three")]);
    await agent.idle();
    expect(texts()).toEqual(["to one", "to two", "to three"]);
  });

  it("shows the model what was said before, and itself as the assistant", async () => {
    const { agent, client, model } = await stage({ script: [saying("First."), saying("Second.")] });
    await client.hear("one");
    await agent.idle();
    await client.hear("two");
    await agent.idle();
    const roles = model.requests[1]?.messages.map(({ role, content }) => `${role}: ${content.split("\n")[0]}`);
    expect(roles?.slice(1)).toEqual([
      expect.stringMatching(/^user: <message from=".*">one<\/message>$/),
      "assistant: First.",
      expect.stringMatching(/^user: <message from=".*">two<\/message>$/),
    ]);
    expect(model.requests[1]?.messages[0]).toEqual(model.requests[0]?.messages[0]);
  });

  it("asks the small model whether to speak in group talk, and keeps silent when told so", async () => {
    const { agent, client, model, small, texts, store } = await stage({ script: [], small: ["[IGNORE]"] });
    const { memory } = await client.hear("nice weather", { channelType: "group" });
    await agent.idle();
    expect(texts()).toEqual([]);
    expect([small.requests.length, model.requests.length]).toEqual([1, 0]);
    expect(await store.inbox.find(agent.agentId, memory.id)).toMatchObject({
      outcome: "ignored",
      reason: expect.stringContaining("said ignore"),
    });
  });

  it("takes an unreadable decision for silence", async () => {
    const { agent, client, texts } = await stage({ script: [], small: ["I am not sure."] });
    await client.hear("nice weather", { channelType: "group" });
    await agent.idle();
    expect(texts()).toEqual([]);
  });

  it("speaks by the character's own templates, with what nothing is known of left empty", async () => {
    const { agent, client, model, small } = await stage({
      script: [saying("Aye.")],
      character: {
        templates: {
          messageHandler: "Act as {{agentName}}, {{bio}} ({{{mood}}})",
          shouldRespond: "Should {{agentName}} talk?",
        },
      },
    });
    await client.hear("nice weather", { channelType: "group" });
    await agent.idle();
    expect(model.requests[0]?.messages[0]?.content).toMatch(/^Act as Ada, An engineer\. \(\)\n\n# Answer/);
    expect(small.requests[0]?.messages[0]?.content).toBe("Should Ada talk?");
  });

  it("keeps silent on [IGNORE], and until it is addressed again after [STOP]", async () => {
    const { agent, client, texts, small } = await stage({
      script: ["[STOP] bye", saying("Here again.")],
      small: ["[RESPOND]", "[RESPOND]"],
    });
    for (const text of ["Ada, be quiet", "so what else", "Ada?"]) {
      await client.hear(text, { channelType: "group" });
      await agent.idle();
    }
    expect(texts()).toEqual(["Here again."]);
    expect(small.requests).toHaveLength(0);
  });

  it("goes on after CONTINUE, at most three times", async () => {
    const { agent, client, texts, model } = await stage({
      script: (_request, call) => saying(`part ${call + 1}`, "CONTINUE"),
    });
    await client.hear("tell me everything");
    await agent.idle();
    expect(texts()).toEqual(["part 1", "part 2", "part 3", "part 4"]);
    expect(model.requests[1]?.messages.at(-2)).toEqual({ role: "assistant", content: "part 1" });
  });

  it("asks again when an answer says nothing, and fails visibly when it never does", async () => {
    const first = await stage({ script: ["", saying("Now.")] });
    await first.client.hear("hi");
    await first.agent.idle();
    expect(first.texts()).toEqual(["Now."]);
    const never = await stage({ script: () => "" });
    const { memory } = await never.client.hear("hi");
    await never.agent.idle();
    expect(never.model.requests).toHaveLength(3);
    expect(await never.store.inbox.find(never.agent.agentId, memory.id)).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("no usable answer in 3 attempts"),
    });
  });

  it("fails visibly when the model refuses, and answers the next message", async () => {
    const refused = new ModelError("unauthorized", "OpenAI refused the key; set OPENAI_API_KEY");
    const { agent, client, texts, events } = await stage({ script: [{ error: refused }, saying("Better.")] });
    await client.hear("hi");
    await agent.idle();
    await client.hear("again");
    await agent.idle();
    expect(texts()).toEqual(["Better."]);
    expect(events.filter(({ type }) => type === "RUN_ENDED")).toMatchObject([
      { outcome: "failed", reason: refused.message },
      { outcome: "answered" },
    ]);
  });

  it("sends what came of an answer that was cut, and runs none of its actions", async () => {
    const ran: string[] = [];
    const order: RegisteredAction = {
      name: "ORDER",
      description: "",
      similes: [],
      run: async () => (ran.push("ORDER"), { success: true }),
    };
    const { agent, client, texts } = await stage({
      script: [{ text: '{"actions":["ORDER"],"text":"I would buy ten sha', reason: "length" }],
      actions: [order],
    });
    await client.hear("buy");
    await agent.idle();
    expect(texts()).toEqual(["I would buy ten sha"]);
    expect(ran).toEqual([]);
  });

  it("gives every call one result, unknown and failing ones included", async () => {
    const broken: RegisteredAction = {
      name: "BREAK",
      description: "",
      similes: [],
      run: () => Promise.reject(new Error("no luck")),
    };
    const { agent, client, store } = await stage({
      script: [saying("Trying.", "FLY", "BREAK", "REPLY")],
      actions: [broken],
    });
    await client.hear("go");
    await agent.idle();
    const [run] = await store.journal.runs(agent.agentId, { limit: 1 });
    const entries = await store.journal.entries(agent.agentId, run?.id ?? "");
    const results = entries.flatMap(({ body }) =>
      body.type === "action_result" ? [[body.callId, body.success, body.error]] : [],
    );
    expect(results).toEqual([
      ["1.0", false, expect.stringContaining("There is no action FLY")],
      ["1.2", true, undefined],
      ["1.1", false, "no luck"],
    ]);
  });

  it("streams by edits and ends in the exact text", async () => {
    const text = "A longer answer that comes in many small pieces.";
    const { agent, client, texts, clock } = await stage({
      script: [saying(text)],
      client: { edits: { intervalMs: 0 } },
    });
    await client.hear("hi");
    await clock.advance(0);
    await agent.idle();
    expect(texts()).toEqual([text]);
  });

  it("takes back what it showed of an answer that turned out to be silence", async () => {
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const { agent, client, texts, clock } = await stage({
      script: [{ pieces: ["Well, I think that this is long enough to be shown. ".repeat(8), gate, " [IGNORE]"] }],
      client: { edits: { intervalMs: 0, canRemove: true } },
    });
    await client.hear("hi");
    await clock.advance(0);
    expect(texts()).toHaveLength(1);
    go();
    await agent.idle();
    expect(texts()).toEqual([]);
  });

  it("ends a run that takes too long, and goes on with the room", async () => {
    const { agent, client, texts, clock, events } = await stage({
      script: (_request, call) => (call === 0 ? { pieces: [new Promise(() => undefined)] } : saying("Next.")),
      character: { settings: { runTimeoutMs: 5_000 } },
    });
    await client.hear("hang");
    await client.hear("and now?");
    await clock.advance(5_000);
    await agent.idle();
    expect(texts()).toEqual(["Next."]);
    expect(events.some(({ type }) => type === "RUN_TIMEOUT")).toBe(true);
  });

  it("lets no slow room delay another", async () => {
    const { agent, client, texts, clock } = await stage({
      script: (request) =>
        lastLine(request.messages.at(-1)?.content) === "slow"
          ? { pieces: [new Promise(() => undefined)] }
          : saying("Quick."),
    });
    await client.hear("slow", { room: "a" });
    await client.hear("quick", { room: "b" });
    await clock.advance(0);
    expect(texts()).toEqual(["Quick."]);
    await agent.stop(0);
  });

  it("joins the adjacent messages of one person where the character says so", async () => {
    const { agent, client, model, clock } = await stage({
      script: [saying("Both."), saying("You.")],
      character: { settings: { coalesceMs: 500 } },
    });
    await client.hear("one");
    await client.hear("two");
    await client.hear("three", { from: "Eve" });
    await clock.advance(2_000);
    await agent.idle();
    expect(model.requests.map(({ messages }) => messages.at(-1)?.content.match(/>(\w+)</g))).toEqual([
      [">one<", ">two<"],
      [">three<"],
    ]);
  });

  it("parks what is under way when it stops, and another start goes on without a loss", async () => {
    const store = createMemoryStore();
    const first = await stage({ script: [{ pieces: [new Promise(() => undefined)] }], store });
    const { memory } = await first.client.hear("hi");
    await first.clock.advance(0);
    const stopping = first.agent.stop(1_000);
    await first.clock.advance(1_000);
    await stopping;
    expect(await store.inbox.find(first.agent.agentId, memory.id)).toMatchObject({ state: "waiting" });
    const second = await stage({ script: [saying("Late but here.")], store });
    await second.agent.idle();
    expect(second.texts()).toEqual(["Late but here."]);
    expect(second.events[0]).toMatchObject({ type: "RUN_STARTED" });
  });

  it("keeps the work while the store fails, and finishes it once it does not", async () => {
    const inner = createMemoryStore();
    let failures = 2;
    const journal: Store["journal"] = {
      ...inner.journal,
      append: (fence, append) =>
        failures-- > 0
          ? Promise.reject(new StoreError("exhausted", "the disk is full"))
          : inner.journal.append(fence, append),
    };
    const { agent, client, texts, clock } = await stage({
      script: () => saying("Done."),
      store: { ...inner, journal },
    });
    await client.hear("hi");
    await clock.advance(10_000);
    await agent.idle();
    expect(texts()).toEqual(["Done."]);
  });

  it("gives up an input on which the process died twenty times", async () => {
    const store = createMemoryStore();
    const seed = await stage({ script: [], store });
    await seed.agent.stop(0);
    const inbound = { ...(await captured()), eventId: "poison" };
    await store.inbox.accept(seed.agent.agentId, inbound, { at: 0, owner: "dead" });
    for (let death = 0; death < 20; death++) {
      await store.inbox.recover(seed.agent.agentId);
      await store.inbox.claim(seed.agent.agentId, "dead", 1);
    }
    const last = await stage({ script: [], store });
    await last.agent.idle();
    expect(last.events.at(-1)).toMatchObject({
      type: "RUN_ENDED",
      outcome: "failed",
      reason: expect.stringContaining("given up"),
    });
  });
});

/** An inbound as the scripted client makes it. */
async function captured(): Promise<Awaited<ReturnType<ScriptedClient["hear"]>>> {
  const client = createScriptedClient({ agentId: stageCharacter().id ?? "" });
  await client.start(async () => undefined, new AbortController().signal);
  return client.hear("boom");
}

function lastLine(content: string | undefined): string {
  return [...(content ?? "").matchAll(/>([^<]*)<\/message>/g)].at(-1)?.[1] ?? "";
}
