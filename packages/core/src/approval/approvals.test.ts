import { afterEach, describe, expect, it } from "vitest";
import type { CreateCapability } from "../capability/capability.ts";
import { ConfigError } from "../errors.ts";
import { silentLog } from "../log.ts";
import { type Agent, createAgent } from "../run/agent.ts";
import { createTaskCapability } from "../task/task-capability.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createScriptedClient } from "../testing/scripted-client.ts";
import { createScriptedModel } from "../testing/scripted-model.ts";
import { createSetClock } from "../testing/set-clock.ts";
import { stageCharacter } from "../testing/stage.ts";
import { createApprovals } from "./approvals.ts";

const agents: Agent[] = [];
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.stop(0)));
});

const day = 86_400_000;

/** Ada on a feed where somebody must say yes, and in an office where Bo can. */
async function open(answer: string, given: { readonly approval?: unknown; readonly limit?: number } = {}) {
  const { approval = "everything", limit = 2_000 } = given;
  const clock = createSetClock();
  const store = createMemoryStore({ clock });
  const character = stageCharacter({ platforms: { feed: { approval, approvalRoom: "office:lobby" } } });
  const agentId = character.id ?? "";
  const feed = createScriptedClient({
    ...{ agentId, platform: "feed", social: ["like"], guarantee: "lookup" },
    limits: { textLength: limit, unit: "utf16" },
  });
  const office = createScriptedClient({ agentId, platform: "office" });
  const approvals = createApprovals({ agentId, character, store, clock, random: () => 0.5, log: silentLog });
  const capability: CreateCapability = async (parts) => {
    const tasks = await createTaskCapability(parts);
    if (tasks.planning) approvals.begin(tasks.planning);
    return tasks;
  };
  const agent = createAgent({
    ...{ character, store, clock, random: () => 0.5, log: silentLog, owner: "test" },
    models: { TEXT_LARGE: createScriptedModel(() => answer), TEXT_SMALL: createScriptedModel(() => "[RESPOND]") },
    clients: [feed, office].map((client) => approvals.guard(client)),
    capabilities: [capability],
  });
  agents.push(agent);
  await agent.start();
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await agent.idle();
  };
  const choose = async (parameters: Record<string, string>) => {
    await office.hear("chosen", { from: "Bo", command: { name: "choose", parameters } });
    await settled();
  };
  await office.hear("Ada, hi", { from: "Bo" });
  await settled();
  const before = office.shown().length;
  return {
    ...{ agent, store, clock, feed, settled, choose },
    shown: () => feed.shown().map(({ text }) => text),
    told: () =>
      office
        .shown()
        .map(({ text }) => text)
        .slice(before),
    rows: async () =>
      (await store.outbox.list(agentId, { limit: 50 }))
        .filter(({ delivery }) => delivery.platform === "feed")
        .map(({ state, delivery }) => [delivery.kind, state, delivery.content.text]),
    say: async () => {
      await feed.hear("Ada, say something");
      await settled();
    },
  };
}

const say = (text: string, actions: readonly string[] = []): string => JSON.stringify({ text, actions });

describe("what needs a person's yes", () => {
  it("waits for it, and is sent once it is said", async () => {
    const stage = await open(say("Brass is best."));
    await stage.say();
    expect(stage.shown()).toEqual([]);
    expect(stage.told().join()).toContain("May Ada say this on feed?");
    expect(stage.told().join()).toContain("Brass is best.");
    expect(await stage.rows()).toEqual([["message", "uncertain", "Brass is best."]]);
    await stage.choose({ value: "1" });
    expect(stage.shown()).toEqual(["Brass is best."]);
    expect(await stage.rows()).toEqual([["message", "sent", "Brass is best."]]);
    expect(stage.told().at(-1)).toBe("Sent.");
  });

  it("is sent in the words of whoever agreed", async () => {
    const stage = await open(say("Brass is best."));
    await stage.say();
    await stage.choose({ value: "1", note: "Brass is good." });
    expect(stage.shown()).toEqual(["Brass is good."]);
    expect(await stage.rows()).toEqual([["message", "sent", "Brass is good."]]);
    const remembered = await stage.store.memories.search(stage.agent.agentId, { text: "Brass", limit: 9 });
    const onFeed = remembered.filter(({ memory }) => memory.content.source === "feed");
    expect(onFeed.map(({ memory }) => memory.content.text)).toEqual(["Brass is good."]);
  });

  it("is not sent after a no, nor when nobody answers in time", async () => {
    const stage = await open(say("Brass is best."));
    await stage.say();
    await stage.choose({ value: "2" });
    expect(await stage.rows()).toEqual([["message", "failed", "Brass is best."]]);
    await stage.say();
    await stage.clock.advance(8 * day);
    await stage.settled();
    expect(stage.shown()).toEqual([]);
    expect((await stage.rows()).map(([, state]) => state)).toEqual(["failed", "failed"]);
  });

  it("is asked once for all pieces of a text, which go out together or not at all", async () => {
    const words = "One two three four five six seven eight nine ten.";
    const stage = await open(say(words), { limit: 20 });
    await stage.say();
    expect(stage.told().filter((text) => text.includes("May Ada"))).toHaveLength(1);
    await stage.choose({ value: "1", note: "One two three four. Five six seven." });
    expect(stage.shown()).toEqual(["One two three four.", "Five six seven."]);
    const other = await open(say(words), { limit: 20 });
    await other.say();
    await other.choose({ value: "1", note: words.repeat(9) });
    expect(other.shown()).toEqual([]);
    expect(other.told().at(-1)).toContain("too long");
  });

  it("is only posts and social actions, where that is what is said", async () => {
    const stage = await open(say("Brass is best.", ["LIKE"]), { approval: "required" });
    await stage.say();
    expect(stage.shown()).toEqual(["Brass is best."]);
    expect(await stage.rows()).toEqual([
      ["message", "sent", "Brass is best."],
      ["like", "uncertain", ""],
    ]);
    await stage.choose({ value: "1" });
    expect((await stage.rows()).map(([, state]) => state)).toEqual(["sent", "sent"]);
  });

  it("is never taken for granted: an unclear setting is refused, and nothing is sent where nobody can be asked", async () => {
    await expect(open(say("x"), { approval: "maybe" })).rejects.toThrow(ConfigError);
    const clock = createSetClock();
    const character = stageCharacter({ platforms: { feed: { approval: true } } });
    const agentId = character.id ?? "";
    const store = createMemoryStore({ clock });
    const approvals = createApprovals({ agentId, character, store, clock, random: () => 0.5, log: silentLog });
    const feed = createScriptedClient({ agentId, platform: "feed", social: ["like"] });
    const guarded = approvals.guard(feed);
    await guarded.start(async () => undefined, new AbortController().signal);
    const delivery = {
      ...{ key: "r/c/0", agentId, runId: "r", roomId: "x", platform: "feed", account: "scripted", target: "x" },
      ...{ kind: "like" as const, content: { text: "" }, nonce: "n", replyToPlatformId: "1" },
    };
    expect(await guarded.send(delivery, new AbortController().signal)).toMatchObject({ type: "not-sent" });
    expect(feed.shown()).toEqual([]);
  });
});
