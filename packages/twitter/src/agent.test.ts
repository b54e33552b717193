import { type Agent, silentLog, systemClock } from "@troupe/core";
import { createAgent } from "@troupe/core/agent";
import { readCharacter } from "@troupe/core/character";
import { createMemoryStore, createScriptedModel } from "@troupe/core/testing";
import type { SimulatedUser, TwitterSimulator } from "@troupe/simulator-twitter";
import { afterEach, describe, expect, it } from "vitest";
import { clientOf, openTwitter, type Setting, until } from "./testing/stage.ts";

const agents: Agent[] = [];
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.stop(0)));
});

type Cast = Setting & { readonly answer: (prompt: string) => string };

/** An agent at work on X. */
async function startAgent(simulator: TwitterSimulator, bot: SimulatedUser, { answer, ...setting }: Cast) {
  const reading = readCharacter({ name: "Ada", bio: "An engineer.", topics: ["engines"] }, { source: "test" });
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  const store = createMemoryStore({ clock: systemClock });
  const prompts: string[] = [];
  const agent = createAgent({
    character: reading.character,
    store,
    models: {
      TEXT_LARGE: createScriptedModel((request) => {
        const prompt = JSON.stringify(request);
        prompts.push(prompt);
        return answer(prompt);
      }),
      TEXT_SMALL: createScriptedModel(() => "[RESPOND]"),
    },
    clients: [clientOf(simulator, bot, setting)],
    clock: systemClock,
    random: () => 0.5,
    log: silentLog,
    owner: `test-${agents.length}`,
  });
  agents.push(agent);
  await agent.start();
  return { agent, store, prompts };
}

const say = (text: string): string => JSON.stringify({ text });

async function stage() {
  const simulator = await openTwitter();
  const bot = simulator.createUser({ username: "ada_bot", name: "Ada" });
  const bo = simulator.createUser({ username: "bo", name: "Bo" });
  return { simulator, bot, bo };
}

const written = (user: SimulatedUser) =>
  user.posts().map(({ typed, replyTo, quoteOf }) => [typed, replyTo?.postId ?? quoteOf]);

describe("an agent on X", () => {
  it("answers who mentions it, under the right post, with the conversation in its prompt", async () => {
    const { simulator, bot, bo } = await stage();
    const { prompts } = await startAgent(simulator, bot, { answer: () => say("Since 1843.") });
    const cy = simulator.createUser({ username: "cy", name: "Cy" });
    const claim = cy.post("Nobody wrote programs before computers.");
    const question = bo.post("@ada_bot is that so?", { replyTo: claim });
    await until(() => expect(written(bot)).toEqual([["@bo @cy Since 1843.", question.id]]));
    expect(prompts).toHaveLength(1);
    expect(prompts[0]).toContain("Nobody wrote programs before computers.");
    expect(simulator.meter.byKind()["post-create"]).toBe(0.015);
  });

  it("writes nothing at all in a dry run, and records what it would have written", async () => {
    const { simulator, bot, bo } = await stage();
    const options = { dryRun: true };
    const answer = () => JSON.stringify({ actions: ["LIKE"], text: "Since 1843." });
    const { agent, store } = await startAgent(simulator, bot, { answer, options });
    bo.post("@ada_bot since when?");
    await until(async () => {
      const rows = await store.outbox.list(agent.agentId, { limit: 10 });
      expect(
        rows.map(({ state, platformId, delivery }) => [delivery.kind, state, platformId?.startsWith("dry-")]),
      ).toEqual([
        ["message", "sent", true],
        ["like", "sent", true],
      ]);
    });
    expect(simulator.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });
});
