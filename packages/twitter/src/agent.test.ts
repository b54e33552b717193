import type { SimulatedUser } from "@troupe/simulator-twitter";
import { describe, expect, it } from "vitest";
import { startAgent } from "./testing/agent-stage.ts";
import { openTwitter, until } from "./testing/stage.ts";

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
