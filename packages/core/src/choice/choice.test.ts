import { afterEach, describe, expect, it } from "vitest";
import type { Client } from "../client/client.ts";
import { entityIdOf, roomIdOf, worldIdOf } from "../memory/message-id.ts";
import type { Plugin } from "../plugin/plugin.ts";
import type { PluginChoices, Runtime } from "../plugin/runtime.ts";
import type { Store } from "../store/store.ts";
import { createTaskCapability } from "../task/task-capability.ts";
import type { TaskTurn } from "../task/task-worker.ts";
import { createInbound } from "../testing/create-inbound.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createStages, type Setting, type Stage } from "../testing/stage.ts";
import { buttonValue, type OfferedChoice } from "./choice.ts";

const stages = createStages();
afterEach(() => stages.close());

const hour = 3_600_000;
const person = (name: string): string => entityIdOf("scripted", "scripted", name);
const roomId = roomIdOf("scripted", "scripted", "lobby");

type Told = { readonly choice: OfferedChoice; readonly turn: TaskTurn };
type Bench = Stage & { readonly choices: PluginChoices; readonly told: Told[] };

/** An agent with a plugin that asks whether to post, in a room Bo has spoken in. */
async function open(more: Partial<Setting> = {}, worker?: (told: Told) => string | undefined): Promise<Bench> {
  const told: Told[] = [];
  const runtimes: Runtime[] = [];
  const plugin: Plugin = {
    name: "posts",
    init: (_config, runtime) => void runtimes.push(runtime),
    choiceWorkers: {
      post: (_runtime, choice, turn) => {
        told.push({ choice, turn });
        return worker?.({ choice, turn });
      },
    },
  };
  const stage = await stages.open({
    script: () => "Hello.",
    capabilities: [createTaskCapability],
    plugins: [plugin],
    ...more,
  });
  const [runtime] = runtimes;
  if (!runtime) throw new Error("the plugin was not installed");
  return { ...stage, choices: runtime.choices, told };
}

/** Jobs put words into rooms, and rooms put jobs. */
async function settled({ agent }: Stage): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await agent.idle();
}

async function withBo(more: Partial<Setting> = {}, worker?: (told: Told) => string | undefined): Promise<Bench> {
  const bench = await open(more, worker);
  await bench.client.hear("hi", { from: "Bo" });
  await settled(bench);
  return bench;
}

const offer = {
  id: "p1",
  kind: "post",
  roomId,
  text: "Post this?",
  options: [
    { value: "approve", label: "Approve" },
    { value: "reject", label: "Reject" },
  ],
  entityId: person("Bo"),
  payload: { draft: "Hello world" },
} as const;

/** Somebody answers by button, number or words; what they hear. */
async function choose(bench: Stage, parameters: Record<string, string>, from = "Bo"): Promise<string> {
  const eventId = `${from}-${bench.clock.now()}-${JSON.stringify(parameters)}`;
  await bench.client.hear("chosen", { from, eventId, command: { name: "choose", parameters } });
  await settled(bench);
  return (
    bench
      .texts()
      .filter((text) => !text.startsWith("⌛"))
      .at(-1) ?? ""
  );
}

describe("a choice", () => {
  it("is asked once, with numbered lines where there are no buttons", async () => {
    const bench = await withBo();
    await bench.choices.offer(offer);
    await bench.choices.offer(offer);
    await settled(bench);
    expect(bench.texts().slice(1)).toEqual(["Post this?\n1. Approve\n2. Reject"]);
  });

  it("comes with its choices for clients that have buttons", async () => {
    const bench = await withBo();
    Object.assign<Client, Pick<Client, "choices">>(bench.client, { choices: { limit: 5 } });
    await bench.choices.offer(offer);
    await settled(bench);
    expect(bench.texts().at(-1)).toBe("Post this?");
    const [row] = await bench.store.outbox.list(bench.agent.agentId, { limit: 1, newestFirst: true });
    expect(row?.delivery.content.choices).toEqual([
      { label: "Approve", value: buttonValue("posts/p1", 0) },
      { label: "Reject", value: buttonValue("posts/p1", 1) },
    ]);
  });

  it.each(["1", "1.", "approve", "APPROVE", buttonValue("posts/p1", 0)])(
    "is answered by %s, and its worker is told once",
    async (value) => {
      const bench = await withBo();
      await bench.choices.offer(offer);
      await settled(bench);
      expect(await choose(bench, { value, note: "Hello, world!" })).toBe("Chosen: Approve.");
      expect(bench.told.map(({ choice }) => choice)).toMatchObject([
        {
          state: "answered",
          payload: { draft: "Hello world" },
          answer: { value: "approve", entityId: person("Bo"), note: "Hello, world!" },
        },
      ]);
      await bench.clock.advance(10 * 24 * hour);
      expect(bench.told).toHaveLength(1);
      expect(await bench.choices.get("p1")).toMatchObject({ state: "answered" });
    },
  );

  it("is answered once", async () => {
    const bench = await withBo();
    await bench.choices.offer(offer);
    await choose(bench, { value: "1" });
    expect(await choose(bench, { value: buttonValue("posts/p1", 1) })).toBe(
      "That question was answered already: Approve.",
    );
    expect(await choose(bench, { value: "2" })).toBe("No question is open here.");
    expect(bench.told).toHaveLength(1);
  });

  it("is answered only by whom it is for", async () => {
    const bench = await withBo();
    await bench.choices.offer(offer);
    await settled(bench);
    expect(await choose(bench, { value: "1" }, "Cy")).toBe("This is for Bo to answer.");
    expect(bench.told).toEqual([]);
  });

  it("is told apart from others that are open", async () => {
    const bench = await withBo();
    await bench.choices.offer(offer);
    await bench.clock.advance(1);
    await bench.choices.offer({ ...offer, id: "p2", text: "Post that too?" });
    await settled(bench);
    expect(await choose(bench, { value: "1" })).toBe(
      "Several questions are open; say which one is meant as well:\n1. Post this?\n2. Post that too?",
    );
    expect(await choose(bench, { value: "1", question: "2" })).toBe("Chosen: Approve.");
    expect(bench.told[0]?.choice.id).toBe("posts/p2");
    expect(await choose(bench, { value: "maybe" })).toContain("none of the options:\n1. Approve\n2. Reject");
  });

  it("is known to the model, which answers it in the words of a conversation", async () => {
    const call = { name: "CHOOSE_OPTION", parameters: { value: "2" } };
    const bench = await withBo({ script: ["Hello.", JSON.stringify({ text: "Fine.", actions: [call] })] });
    await bench.choices.offer(offer);
    await settled(bench);
    await bench.client.hear("Rather not", { from: "Bo" });
    await settled(bench);
    expect(JSON.stringify(bench.model.requests[1]?.messages)).toContain(
      "question 1: “Post this?” 1) Approve 2) Reject",
    );
    expect(bench.told[0]?.choice.answer?.value).toBe("reject");
  });

  it("that is taken back cannot be answered", async () => {
    const bench = await withBo();
    await bench.choices.offer(offer);
    expect(await bench.choices.withdraw("p1")).toBe(true);
    expect(await bench.choices.withdraw("p1")).toBe(false);
    expect(await choose(bench, { value: buttonValue("posts/p1", 0) })).toBe("That question was taken back.");
    await bench.clock.advance(10 * 24 * hour);
    expect(bench.told).toEqual([]);
  });

  it.each([
    [{ options: [] }, "1 to 25 options"],
    [{ text: " " }, "a text"],
    [{ options: [offer.options[0], offer.options[0]] }, "its own value"],
    [{ expiresAt: 5 }, "expiresAt"],
  ])("is refused with a reason: %j", async (change, why) => {
    const bench = await withBo();
    await expect(bench.choices.offer({ ...offer, ...change })).rejects.toThrow(why);
  });
});

describe("a choice nobody makes in time", () => {
  it("expires: its worker and the room are told, and it cannot be answered any more", async () => {
    const bench = await withBo();
    await bench.choices.offer({ ...offer, expiresAt: bench.clock.now() + hour });
    await bench.clock.advance(hour);
    expect(bench.texts().at(-1)).toBe("⌛ Nobody chose in time: Post this?");
    expect(bench.told.map(({ choice }) => [choice.state, choice.answer])).toEqual([["expired", undefined]]);
    expect(await choose(bench, { value: buttonValue("posts/p1", 0) })).toBe(
      "That question has expired; nothing was chosen.",
    );
  });

  it("may be told in the worker's own words", async () => {
    const bench = await withBo({}, ({ choice }) => `Not posted: ${choice.state}.`);
    await bench.choices.offer({ ...offer, expiresAt: bench.clock.now() + hour });
    await bench.clock.advance(hour);
    expect(bench.texts().at(-1)).toBe("Not posted: expired.");
  });
});

describe("in a server", () => {
  const world = {
    id: worldIdOf("scripted", "scripted", "w"),
    platform: "scripted",
    account: "scripted",
    platformId: "w",
  };

  const owned = { ...world, data: { ownerId: "Olga" } };

  /** Somebody chooses the first option of a choice offered in a channel of the server; what they hear. */
  async function answerOf(from: string, entityId?: string): Promise<string | undefined> {
    const bench = await withBo();
    const { agentId } = bench.agent;
    const { entityId: _, ...open } = offer;
    await bench.choices.offer({ ...open, ...(entityId !== undefined && { entityId }) });
    await settled(bench);
    const command = { name: "choose", parameters: { value: "1" } };
    const hearer = { agentId, platform: "scripted", account: "scripted" };
    const inbound = createInbound(hearer, { text: "chosen", eventId: "e9", from, channelType: "group", command });
    await bench.agent.receive({ ...inbound, world: owned, room: { ...inbound.room, worldId: world.id } });
    await settled(bench);
    return bench.texts().at(-1);
  }

  it.each([
    [undefined, "Bo", "Only an owner or admin may answer this."],
    [undefined, "Olga", "Chosen: Approve."],
    [person("Bo"), "Olga", "Chosen: Approve."],
    [person("Bo"), "Cy", "This is for Bo to answer, or an owner or admin."],
  ])("a choice for %s is answered to %s with: %s", async (entityId, from, answer) => {
    expect(await answerOf(from, entityId)).toBe(answer);
  });
});

describe("a choice and a process that ends", () => {
  it("survives: it is asked once, answered later, and its worker is told then", async () => {
    const store: Store = createMemoryStore();
    const first = await withBo({ store });
    await first.choices.offer(offer);
    await settled(first);
    await first.agent.stop(0);
    const second = await open({ store, startAt: first.clock.now() + hour });
    await settled(second);
    expect([...first.texts(), ...second.texts()].filter((text) => text.startsWith("Post this?"))).toHaveLength(1);
    await choose(second, { value: "1" });
    expect(second.told).toHaveLength(1);
  });

  it("tells a worker that was cut short again, with the same turn", async () => {
    let fails = 1;
    const bench = await withBo({}, () => {
      fails -= 1;
      if (fails >= 0) throw new Error("X is down");
      return "Posted.";
    });
    await bench.choices.offer(offer);
    await choose(bench, { value: "1" });
    await bench.clock.advance(hour);
    expect(bench.told.map(({ turn }) => turn.id)).toEqual([bench.told[0]?.turn.id, bench.told[0]?.turn.id]);
    expect(bench.texts().filter((text) => text === "Posted.")).toHaveLength(1);
  });
});
