import { afterEach, describe, expect, it } from "vitest";
import { createFactCapability } from "../fact/fact-capability.ts";
import type { ModelRequest } from "../model/model.ts";
import { createRecallCapability } from "../recall/recall-capability.ts";
import type { Room } from "../room/room.ts";
import { createSummaryCapability } from "../summary/summary-capability.ts";
import { createTaskCapability } from "../task/task-capability.ts";
import { createScriptedModel } from "../testing/scripted-model.ts";
import { createStages, type Stage } from "../testing/stage.ts";

const stages = createStages();
afterEach(() => stages.close());

const promptOf = (request: ModelRequest | undefined): string =>
  request?.messages.map(({ content }) => content).join("\n") ?? "";
const lastPrompt = (stage: Stage): string => promptOf(stage.model.requests.at(-1));

/** Notes that somebody has a boat, and checks no summary. */
function note(request: ModelRequest): string {
  const [, from, about] = /number="(\d+)" by="(P\d)"[^>]*>[^<]*my boat/.exec(promptOf(request)) ?? [];
  const facts = about ? [{ about, claim: "They have a boat called Otter.", confidence: 0.9, from: Number(from) }] : [];
  return JSON.stringify({ facts, relationships: [], items: [] });
}

const open = (): Promise<Stage> =>
  stages.open({
    script: () => '{"text":"I see."}',
    small: (request) => (promptOf(request).startsWith("# Sum up") ? "Summed up: a boat and the weather." : "[RESPOND]"),
    models: { OBJECT_SMALL: createScriptedModel(note) },
    capabilities: [createFactCapability, createSummaryCapability, createRecallCapability, createTaskCapability],
    character: { settings: { historyMessages: 8 } },
  });

type Saying = { readonly command?: { readonly name: string; readonly parameters: Record<string, string> } };

async function say(stage: Stage, room: string, text: string, saying: Saying = {}): Promise<void> {
  await stage.client.hear(text, { room, channelType: "group", mention: { mentionsAgent: true }, ...saying });
  await stage.agent.idle();
  await stage.clock.advance(1_000);
}

async function move(stage: Stage, from: Room): Promise<Room> {
  const room: Room = { ...from, id: "grown-room", platformId: "grown" };
  await stage.agent.receive({ kind: "moved", fromRoomId: from.id, room });
  await stage.agent.idle();
  return room;
}

describe("a room that the platform gave another id", () => {
  it("has everything of the old one: facts, summaries, what was said long ago, tasks, and how the agent stands in it", async () => {
    const stage = await open();
    const { store, agent } = stage;
    await say(stage, "small", "Listen, my boat is called Otter.");
    for (let at = 0; at < 6; at++) await say(stage, "small", `The weather of day ${at} was fine.`);
    await say(stage, "small", "/remind", {
      command: { name: "remind", parameters: { what: "paint", when: "in 2 hours" } },
    });
    const [old] = await store.rooms.rooms(agent.agentId, { limit: 1 });
    if (!old) throw new Error("there is no room");
    await store.admin.write(agent.agentId, [{ type: "room.stance", roomId: old.room.id, stance: "followed" }]);
    const room = await move(stage, old.room);
    await say(stage, "small", "What was the name of that boat, Otter?");
    expect(lastPrompt(stage)).toContain("They have a boat called Otter.");
    expect(lastPrompt(stage)).toContain("Summed up: a boat and the weather.");
    expect(lastPrompt(stage)).toMatch(/<earlier>[^]*my boat is called Otter/);
    expect(await store.rooms.room(agent.agentId, room.id)).toMatchObject({ stance: "followed" });
    await stage.clock.advance(2 * 3_600_000);
    expect(stage.client.shown().at(-1)).toMatchObject({ text: "⏰ user: paint", target: "grown" });
  });

  it("answers in the new one what waited in the old one", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let asked = 0;
    const stage = await stages.open({
      script: () => {
        asked += 1;
        return asked === 1 ? { pieces: [promise, '{"text":"First."}'] } : `{"text":"Answer ${asked}."}`;
      },
    });
    const said = { room: "small", channelType: "group", mention: { mentionsAgent: true } } as const;
    const first = await stage.client.hear("One", said);
    await stage.client.hear("Two", { ...said, from: "other" });
    const room: Room = { ...first.room, id: "grown-room", platformId: "grown" };
    await stage.agent.receive({ kind: "moved", fromRoomId: first.room.id, room });
    await stage.client.hear("Three", { ...said, from: "third" });
    resolve();
    await stage.agent.idle();
    expect(stage.texts()).toEqual(expect.arrayContaining(["First.", "Answer 2.", "Answer 3."]));
    const rooms = stage.client.shown().map(({ target }) => target);
    expect(rooms.filter((target) => target === "grown").length).toBe(2);
    const { waiting } = await stage.store.inbox.counts(stage.agent.agentId);
    expect(waiting).toBe(0);
  });
});
