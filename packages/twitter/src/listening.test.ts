import { expect, it } from "vitest";
import { startAgent } from "./testing/agent-stage.ts";
import { connect, createState, openTwitter, until } from "./testing/stage.ts";

async function people() {
  const simulator = await openTwitter();
  const bot = simulator.createUser({ username: "ada_bot", name: "Ada" });
  const bo = simulator.createUser({ username: "bo", name: "Bo" });
  return { simulator, bot, bo };
}

it("does not answer again who asked to be left alone, over a restart too, until they ask otherwise", async () => {
  const { simulator, bot, bo } = await people();
  const state = createState();
  const answer = () => JSON.stringify({ text: `Yes, ${simulator.requests.length}.` });
  const first = await startAgent(simulator, bot, { answer, state });
  bo.post("@ada_bot hello");
  await until(() => expect(bot.posts()).toHaveLength(1));
  bo.post("@ada_bot STOP!!");
  bo.post("@ada_bot are you still there?");
  await until(async () => expect(JSON.parse((await state.get("opted-out")) ?? "[]")).toEqual([bo.id]));
  await first.stop();
  const second = await startAgent(simulator, bot, { answer, state, store: first.store });
  bo.post("@ada_bot and now?");
  bo.post("@ada_bot Opt in.");
  await until(() => expect(bot.posts()).toHaveLength(2));
  expect(bot.posts().at(-1)?.replyTo?.postId).toBe(bo.posts().at(-1)?.id);
  const runs = await second.store.journal.runs(second.agent.agentId, { limit: 20 });
  const reasons = runs.filter(({ outcome }) => outcome === "ignored").map(({ reason }) => reason);
  expect(reasons).toHaveLength(3);
  for (const reason of reasons) expect(reason).toMatch(/not to be answered|not be answered|asks not to be answered/);
});

it("brings what stood above a mention along, in order, each once, and asks nothing about it", async () => {
  const { simulator, bot, bo } = await people();
  const cy = simulator.createUser({ username: "cy", name: "Cy" });
  const root = cy.post("One: engines.");
  const second = bo.post("Two: brass.", { replyTo: root });
  const third = cy.post("Three: steam.", { replyTo: second });
  const stage = await connect({}, { simulator, bot });
  bo.post("@ada_bot what do you say?", { replyTo: third });
  await stage.nth(3);
  bo.post("@ada_bot and why?", { replyTo: third });
  await stage.nth(4);
  const told = stage.heard.map(({ memory }) => [memory.content.text, memory.metadata?.["unanswered"] !== undefined]);
  expect(told.slice(0, 4)).toEqual([
    ["One: engines.", true],
    ["Two: brass.", true],
    ["Three: steam.", true],
    ["@Ada what do you say?", false],
  ]);
  expect(new Set(stage.heard.map(({ room }) => room.platformId))).toEqual(new Set([root.id]));
  const lookups = simulator.requests.filter(({ path }) => path === "/2/tweets");
  expect(lookups.length).toBeLessThanOrEqual(4);
});

it("shows pictures with the words of whoever posted them, and what is quoted", async () => {
  const { simulator, bot, bo } = await people();
  const stage = await connect({}, { simulator, bot });
  const quoted = simulator.createUser({ username: "cy", name: "Cy" }).post("Look at this engine");
  bo.post("@ada_bot see?", { quote: quoted });
  bo.post("@ada_bot and this?", { media: [bo.picture("A wheel of brass")] });
  const { content } = (await stage.nth(0)).memory;
  expect(content.text).toBe("> Cy: Look at this engine\n\n@Ada see?");
  const [picture] = (await stage.nth(1)).memory.content.attachments ?? [];
  expect(picture).toMatchObject({ mediaType: "image/jpeg", description: "A wheel of brass" });
});
