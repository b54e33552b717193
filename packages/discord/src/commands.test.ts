import type { Command } from "@troupe/core";
import { createDelivery, createMemoryStore } from "@troupe/core/testing";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readCommand, toApplicationCommands, toSuggestions } from "./commands.ts";
import { type Hearing, openScene, type Scene } from "./testing/scene.ts";

const scenes: Scene[] = [];
afterEach(async () => {
  await Promise.all(scenes.splice(0).map((scene) => scene.close()));
});

const cities = Array.from({ length: 60 }, (_, n) => `City ${n}`);

const commands: readonly Command[] = [
  {
    name: "ask",
    description: "Ask a question.",
    parameters: [
      { name: "question", description: "What you want to know", required: true, schema: { type: "string" } },
    ],
  },
  {
    name: "travel",
    description: "Travel somewhere.",
    parameters: [
      { name: "howFar", description: "", schema: { type: "integer", minimum: 1, maximum: 9 } },
      { name: "city", description: "Where", required: true, schema: { type: "string", enum: cities } },
      { name: "by", description: "How", schema: { type: "string", enum: ["boat", "train"] } },
      { name: "with", description: "Whom", schema: { type: "array", items: { type: "string" } } },
      { name: "isReturn", description: "And back", schema: { type: "boolean" } },
    ],
  },
];

async function open(store = createMemoryStore()): Promise<Scene & Hearing> {
  const scene = await openScene();
  scenes.push(scene);
  return { ...scene, ...(await scene.hearing({ commands, store })) };
}

const until = (check: () => void | Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 5_000, interval: 5 });

describe("slash commands", () => {
  it("are registered as actions describe them, and again only when they have changed", async () => {
    const scene = await openScene();
    scenes.push(scene);
    const store = createMemoryStore();
    const { simulator, bot, hearing } = scene;
    const puts = (): number => simulator.requests.filter(({ method }) => method === "PUT").length;
    (await hearing({ commands, store })).stop();
    expect(bot.commands().map(({ name }) => name)).toEqual(["ask", "travel"]);
    expect(bot.commands()[1]?.options).toMatchObject([
      { name: "city", type: 3, required: true, autocomplete: true },
      { name: "how_far", type: 4, min_value: 1, max_value: 9 },
      { name: "by", choices: [{ name: "boat" }, { name: "train" }] },
      { name: "with", type: 3 },
      { name: "is_return", type: 5 },
    ]);
    (await hearing({ commands, store })).stop();
    expect(puts()).toBe(1);
    await hearing({ commands: commands.slice(0, 1), store });
    expect(puts()).toBe(2);
    expect(bot.commands()).toHaveLength(1);
  });

  it("are acknowledged at once, heard with their parameters, and answered in their place", async () => {
    const { general, mira, heard, client, signal } = await open();
    const values = { city: "City 7", how_far: 3, with: "Bo, Cy", is_return: true };
    const used = mira.useCommand(general, "travel", values);
    expect(await used.acknowledged()).toBe(5);
    await until(() => expect(heard).toHaveLength(1));
    expect(heard[0]).toMatchObject({
      kind: "command",
      eventId: used.id,
      world: { name: "Harbour" },
      room: { platformId: general.id, name: "general" },
      entity: { name: "Mira" },
      memory: {
        content: {
          text: "/travel city: City 7 how_far: 3 with: Bo, Cy is_return: true"
            .replace("how_far", "howFar")
            .replace("is_return", "isReturn"),
          command: { name: "travel", parameters: { city: "City 7", howFar: 3, with: ["Bo", "Cy"], isReturn: true } },
        },
      },
    });
    const answer = { ...createDelivery(client, general.id, "On my way"), replyToPlatformId: used.id };
    expect(await client.send(answer, signal)).toMatchObject({ type: "sent" });
    expect((await used.reply()).content).toBe("On my way");
    const more = { ...createDelivery(client, general.id, "Arrived", 1), replyToPlatformId: used.id };
    expect(await client.send(more, signal)).toMatchObject({ type: "sent" });
    await client.send(answer, signal);
    expect(general.messages().map(({ content }) => content)).toEqual(["On my way", "Arrived"]);
  });

  it("are answered by growing text, too", async () => {
    const { general, mira, heard, client, signal } = await open();
    const used = mira.useCommand(general, "ask", { question: "why?" });
    await until(() => expect(heard[0]?.memory.content.text).toBe("why?"));
    const delivery = { ...createDelivery(client, general.id, "Be"), replyToPlatformId: used.id };
    const sent = await client.send({ ...delivery, isGrowing: true }, signal);
    if (sent.type !== "sent") throw new Error(JSON.stringify(sent));
    await client.edits?.edit(sent.platformId, { ...delivery, content: { text: "Because." } }, true);
    expect(general.messages().map(({ content }) => content)).toEqual(["Because."]);
  });

  it("are answered in the channel after a restart, when nobody remembers the token", async () => {
    const store = createMemoryStore();
    const { general, mira, heard, hearing, stop } = await open(store);
    const used = mira.useCommand(general, "ask", { question: "why?" });
    await until(() => expect(heard).toHaveLength(1));
    stop();
    const again = await hearing({ commands, store });
    const delivery = { ...createDelivery(again.client, general.id, "Because."), replyToPlatformId: used.id };
    expect(await again.client.send(delivery, again.signal)).toMatchObject({ type: "sent" });
    expect(await again.client.send(delivery, again.signal)).toMatchObject({ type: "sent" });
    expect(general.messages().filter(({ content }) => content === "Because.")).toHaveLength(1);
  });

  it("are completed from the values of their parameters", async () => {
    const { general, mira } = await open();
    const found = await mira.complete(general, { name: "travel", values: { city: "city 5" }, focused: "city" });
    expect(found.map(({ value }) => value)).toEqual(["City 5", ...Array.from({ length: 10 }, (_, n) => `City 5${n}`)]);
  });

  it("work in direct messages", async () => {
    const { bot, mira, heard } = await open();
    mira.useCommand(mira.directMessages(bot), "ask", { question: "psst?" });
    await until(() =>
      expect(heard[0]).toMatchObject({ room: { channelType: "dm" }, memory: { content: { text: "psst?" } } }),
    );
  });
});

describe("reading commands", () => {
  const anything = fc.anything();

  it("never throws, whatever comes", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom("name", "options", "type", "x"),
          fc.oneof(anything, fc.array(fc.dictionary(fc.constantFrom("name", "value", "focused"), anything))),
        ),
        (data) => {
          readCommand(data, commands);
          toSuggestions(data, commands);
        },
      ),
    );
  });

  it("makes what Discord takes of any parameters", () => {
    const schema = fc
      .constantFrom("string", "integer", "number", "boolean", "array", "object")
      .map((type) => ({ type }) as const);
    const parameter = fc.record({
      name: fc.string(),
      description: fc.string({ maxLength: 300 }),
      required: fc.boolean(),
      schema,
    });
    fc.assert(
      fc.property(fc.array(parameter, { maxLength: 40 }), (parameters) => {
        const [made] = toApplicationCommands([{ name: "x", description: "X", parameters }]);
        const options = made?.["options"] as { name: string; description: string; required: boolean }[];
        expect(options.length).toBeLessThanOrEqual(25);
        expect(new Set(options.map(({ name }) => name)).size).toBe(options.length);
        for (const { name, description } of options) {
          expect(name).toMatch(/^[-_'\p{L}\p{N}]{1,32}$/u);
          expect([...description].length).toBeGreaterThan(0);
          expect([...description].length).toBeLessThanOrEqual(100);
        }
        const isRequired = options.map(({ required }) => required);
        expect(isRequired).toEqual(isRequired.toSorted((a, b) => Number(b) - Number(a)));
      }),
    );
  });
});
