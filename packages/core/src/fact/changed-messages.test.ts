import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { ModelError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { ModelRequest } from "../model/model.ts";
import { createRecallCapability } from "../recall/recall-capability.ts";
import { createScriptedModel, type ScriptedModel } from "../testing/scripted-model.ts";
import { createStages, type Stage } from "../testing/stage.ts";
import { type Fact, fromMemory } from "./fact.ts";
import { createFactCapability } from "./fact-capability.ts";
import { mergeClaims } from "./merge-facts.ts";
import { withdrawSource } from "./withdraw-source.ts";

const stages = createStages();
afterEach(() => stages.close());

type Noting = Stage & { readonly noted: ScriptedModel; readonly sky: { isAway: boolean } };

/** Notes every "I live in …" it is shown, and every "the well is …". */
function note(request: ModelRequest): string {
  const text = request.messages.at(-1)?.content ?? "";
  const homes = [...text.matchAll(/number="(\d+)" by="(P\d)"[^>]*>[^<]*I live in (\w+)/g)].map(
    ([, from, about, city]): JsonObject => ({
      ...{ about: about ?? "", claim: `They live in ${city}.`, key: "city", value: city ?? "" },
      ...{ confidence: 0.9, from: Number(from) },
    }),
  );
  const wells = [...text.matchAll(/number="(\d+)"[^>]*>[^<]*the well is (\w+)/g)].map(
    ([, from, how]): JsonObject => ({
      about: "world",
      claim: `The well is ${how}.`,
      confidence: 0.9,
      from: Number(from),
    }),
  );
  return JSON.stringify({ facts: [...homes, ...wells], relationships: [] });
}

async function open(): Promise<Noting> {
  const sky = { isAway: false };
  const noted = createScriptedModel((request) =>
    sky.isAway ? { error: new ModelError("unavailable", "away") } : note(request),
  );
  const stage = await stages.open({
    script: () => '{"text":"I see."}',
    small: () => "[RESPOND]",
    capabilities: [createFactCapability, createRecallCapability],
    models: { OBJECT_SMALL: noted },
  });
  return { ...stage, noted, sky };
}

async function kept({ store, agent }: Stage): Promise<readonly Fact[]> {
  const memories = await store.memories.list(agent.agentId, { types: ["fact"], limit: 50 });
  return memories.flatMap((memory) => fromMemory(memory) ?? []);
}

const claims = async (stage: Stage): Promise<readonly string[]> => (await kept(stage)).map(({ text }) => text);

async function edit(
  { agent }: Stage,
  heard: { readonly memory: { readonly id: string; readonly roomId: string } },
  text: string,
) {
  await agent.receive({ kind: "edited", roomId: heard.memory.roomId, memoryId: heard.memory.id, content: { text } });
  await agent.idle();
}

async function remove({ agent }: Stage, heard: { readonly memory: { readonly id: string; readonly roomId: string } }) {
  await agent.receive({ kind: "removed", roomId: heard.memory.roomId, memoryIds: [heard.memory.id] });
  await agent.idle();
}

async function hear(stage: Stage, text: string, at: number) {
  const heard = await stage.client.hear(text, { at });
  await stage.agent.idle();
  return heard;
}

describe("a message that is removed", () => {
  it("takes the facts with it that it alone told, and is found no more", async () => {
    const stage = await open();
    const heard = await hear(stage, "I live in Rome now", 1);
    expect(await claims(stage)).toEqual(["They live in Rome."]);
    await remove(stage, heard);
    expect(await kept(stage)).toEqual([]);
    const found = await stage.store.memories.search(stage.agent.agentId, { text: "Rome", limit: 9 });
    expect(found).toEqual([]);
    await stage.say("Where do I live?");
    expect(
      stage.model.requests
        .at(-1)
        ?.messages.map(({ content }) => content)
        .join("\n"),
    ).not.toContain("Rome");
  });

  it("leaves what was said elsewhere too", async () => {
    const stage = await open();
    const heard = await hear(stage, "I live in Rome now", 1);
    const again = await hear(stage, "As I said, I live in Rome", 2);
    await remove(stage, heard);
    expect(await kept(stage)).toMatchObject([
      { text: "They live in Rome.", times: 1, sourceMemoryId: again.memory.id, sourceIds: [again.memory.id] },
    ]);
  });

  it("gives back what held before it", async () => {
    const stage = await open();
    await hear(stage, "I live in Rome now", 1);
    const moved = await hear(stage, "I live in Oslo now", 2);
    expect((await kept(stage)).find(({ value }) => value === "Rome")?.validUntil).toBe(2);
    await remove(stage, moved);
    const [rome, ...others] = await kept(stage);
    expect(others).toEqual([]);
    expect(rome).toMatchObject({ value: "Rome" });
    expect(rome).not.toHaveProperty("validUntil");
    expect(rome).not.toHaveProperty("supersededBy");
  });

  it("is nothing when it is not known", async () => {
    const stage = await open();
    await stage.agent.receive({ kind: "removed", roomId: "nowhere", memoryIds: ["nothing"] });
    await stage.agent.idle();
    expect(await stage.store.jobs.list(stage.agent.agentId, { limit: 9 })).toEqual([]);
  });
});

describe("a message that is edited", () => {
  it("tells what it says now, and no longer what it said", async () => {
    const stage = await open();
    const heard = await hear(stage, "I live in Rome now", 1);
    await edit(stage, heard, "I live in Oslo now");
    expect(await claims(stage)).toEqual(["They live in Oslo."]);
    await edit(stage, heard, "Never mind where I stay");
    expect(await claims(stage)).toEqual([]);
    await edit(stage, heard, "I live in Rome now");
    await stage.say("Anything new?");
    expect(await claims(stage)).toEqual(["They live in Rome."]);
  });

  it("costs nothing when its words are the same", async () => {
    const stage = await open();
    const heard = await hear(stage, "I live in Rome now", 1);
    const asked = stage.noted.requests.length;
    await edit(stage, heard, "I live in Rome now");
    expect(stage.noted.requests).toHaveLength(asked);
    expect(await claims(stage)).toEqual(["They live in Rome."]);
  });

  it("is read with the next exchange when it told nothing before", async () => {
    const stage = await open();
    const heard = await hear(stage, "Nothing much to say", 1);
    await edit(stage, heard, "I live in Oslo now");
    expect(await claims(stage)).toEqual([]);
    await stage.say("How are you?");
    expect(await claims(stage)).toEqual(["They live in Oslo."]);
  });

  it("loses its facts at once, and is read when the model is back", async () => {
    const stage = await open();
    const heard = await hear(stage, "I live in Rome now", 1);
    stage.sky.isAway = true;
    await edit(stage, heard, "I live in Oslo now");
    expect(await claims(stage)).toEqual([]);
    stage.sky.isAway = false;
    await stage.clock.advance(10_000);
    await stage.agent.idle();
    expect(await claims(stage)).toEqual(["They live in Oslo."]);
  });
});

describe("a room that gets another id", () => {
  it("keeps what is known of its world, and reads nothing twice", async () => {
    const stage = await open();
    const heard = await hear(stage, "You know, the well is deep", 1);
    const asked = stage.noted.requests.length;
    const room = { ...heard.room, id: "new-room", platformId: "new" };
    await stage.agent.receive({ kind: "moved", fromRoomId: heard.room.id, room });
    await stage.client.hear("And so is the lake", { room: "lobby", at: 2 });
    await stage.agent.idle();
    expect(await kept(stage)).toMatchObject([{ text: "The well is deep.", roomId: "new-room", subjectId: "new-room" }]);
    const read = stage.noted.requests.slice(asked).map(({ messages }) => messages.at(-1)?.content);
    expect(read).toHaveLength(1);
    expect(read[0]).not.toContain(">You know");
  });
});

describe("withdrawing a source", () => {
  const claim = (n: number, value: string) => ({
    ...{ id: `fact-${n}`, roomId: "room", subjectId: "bo", text: `Bo lives in ${value}.`, key: "home city", value },
    ...{ confidence: 0.8, salience: 0.5, saidById: "bo", saidAt: n, isPrivate: false, sourceRunId: "run" },
    sourceMemoryId: `message-${n}`,
  });

  it("leaves what would be known if the message had never been said", () => {
    const values = fc.array(fc.constantFrom("Rome", "Oslo", "Bonn"), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(values, fc.nat(), (said, at) => {
        const all = said.map((value, n) => claim(n, value));
        const gone = at % all.length;
        const { facts } = mergeClaims([], all);
        const { changed, goneIds } = withdrawSource(facts, `message-${gone}`);
        const now = new Map([...facts, ...changed].map((fact) => [fact.id, fact]));
        for (const id of goneIds) now.delete(id);
        for (const fact of now.values()) {
          expect(fact.sourceIds).not.toContain(`message-${gone}`);
          expect(fact.supersedes === undefined || now.has(fact.supersedes)).toBe(true);
          expect(fact.supersededBy === undefined || now.has(fact.supersededBy)).toBe(true);
        }
        const holding = [...now.values()].filter(({ validUntil }) => validUntil === undefined);
        expect(holding).toHaveLength(now.size === 0 ? 0 : 1);
      }),
    );
  });
});
