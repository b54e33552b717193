import { createMemoryStore, createSetClock, type SetClock } from "@troupe/core/testing";
import type { TwitterSimulatorOptions } from "@troupe/simulator-twitter";
import { describe, expect, it } from "vitest";
import { type AgentStage, type Cast, pass, startAgent } from "./testing/agent-stage.ts";
import { createState, openTwitter } from "./testing/stage.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const off = { mentions: false };

async function openDays(options: TwitterSimulatorOptions = {}) {
  const clock = createSetClock(Date.UTC(2026, 5, 1));
  const simulator = await openTwitter({ clock, replies: "everybody", ...options });
  const bot = simulator.createUser({ username: "ada_bot", name: "Ada" });
  const [state, store] = [createState(), createMemoryStore({ clock })];
  return {
    ...{ clock, simulator, bot },
    start: (cast: Cast): Promise<AgentStage> => startAgent(simulator, bot, { clock, state, store, ...cast }),
    live: ({ agent }: AgentStage, ms: number, stepMs?: number) => pass({ clock, simulator, agent }, ms, stepMs),
  };
}

const hours = (clock: SetClock) => (clock.now() - Date.UTC(2026, 5, 1)) / hourMs;
const words = ["brass", "steam", "punched cards", "looms", "gears", "numbers", "smoke", "copper", "rivets", "coal"];

describe("own posts", () => {
  it("come in their interval over days, each about something, none twice", async () => {
    const days = await openDays();
    let count = 0;
    const answer = () => {
      count += 1;
      return JSON.stringify({
        text: `${words[count % 5]}, ${words[5 + (Math.floor(count / 5) % 5)]}: thought ${count}`,
      });
    };
    const settings = { ...off, posts: true, postIntervalMinutes: [120, 240], maxPerDay: { post: 10 } };
    const ada = await days.start({ answer, settings });
    await days.live(ada, 3 * dayMs, 30 * minuteMs);
    const times = days.bot.posts().map(({ createdAtMs }) => createdAtMs);
    expect(times.length).toBeGreaterThanOrEqual(22);
    expect(times.length).toBeLessThanOrEqual(24);
    for (const [at, time] of times.slice(1).entries()) {
      expect(time - (times[at] ?? 0)).toBeGreaterThanOrEqual(120 * minuteMs);
      expect(time - (times[at] ?? 0)).toBeLessThanOrEqual(241 * minuteMs);
    }
    expect(ada.prompts.at(-1)).toMatch(/something about (engines|tea)/);
    expect(ada.prompts.at(-1)).toContain("say something else");
  });

  it("keep to their schedule over a restart, and make up for one of many that were missed, not at once", async () => {
    const days = await openDays();
    let count = 0;
    const answer = () => JSON.stringify({ text: `${words[((count += 1)) % 10]} ${words[(count * 7) % 10]} ${count}` });
    const settings = { ...off, posts: true, postIntervalMinutes: 120 };
    const first = await days.start({ answer, settings });
    await days.live(first, 90 * minuteMs);
    expect(days.bot.posts()).toHaveLength(0);
    await first.stop();
    const second = await days.start({ answer, settings });
    await days.live(second, 45 * minuteMs);
    expect(days.bot.posts()).toHaveLength(1);
    await second.stop();
    await days.clock.advance(2 * dayMs);
    const third = await days.start({ answer, settings });
    await days.live(third, 5 * minuteMs, minuteMs);
    expect(days.bot.posts()).toHaveLength(1);
    await days.live(third, 25 * minuteMs, 5 * minuteMs);
    expect(days.bot.posts()).toHaveLength(2);
    await days.live(third, 60 * minuteMs);
    expect(days.bot.posts()).toHaveLength(2);
  });

  it("stop at the day's limit, keep quiet hours, and never say the same again", async () => {
    const days = await openDays();
    const answer = () => JSON.stringify({ text: "The loom weaves algebraic patterns as it weaves flowers." });
    const settings = { ...off, posts: true, postIntervalMinutes: 30, quietHours: "00:00-02:00" };
    const ada = await days.start({ answer, settings });
    await days.live(ada, 2 * hourMs - minuteMs);
    expect(ada.prompts).toHaveLength(0);
    await days.live(ada, 4 * hourMs + minuteMs);
    expect(days.bot.posts()).toHaveLength(1);
    const failed = await ada.store.outbox.list(ada.agent.agentId, { states: ["failed"], limit: 1 });
    expect(failed[0]?.error).toContain("the same");
    expect(hours(days.clock)).toBe(6);
  });
});

/** The ids a prompt shows last. */
function idsIn(prompt: string): readonly string[] {
  const newest = prompt.slice(prompt.lastIndexOf("Where a post fits"));
  return [...newest.matchAll(/id (\d{15,19}),/g)].map((match) => match[1] ?? "");
}

const doAll =
  (names: readonly string[], more: object = {}) =>
  (prompt: string) =>
    JSON.stringify({
      actions: idsIn(prompt).flatMap((message) =>
        names.map((name) => ({ name, parameters: { message, relevance: 9, ...more } })),
      ),
      text: "This goes nowhere.",
    });

describe("the home timeline", () => {
  async function withTown(settings: object, answer: Cast["answer"], options?: TwitterSimulatorOptions) {
    const days = await openDays(options);
    const people = Array.from({ length: 6 }, (_, n) =>
      days.simulator.createUser({ username: `p${n}`, name: `P ${n}` }),
    );
    for (const person of people) days.bot.follow(person);
    const base = { ...off, homeTimeline: true, timelineIntervalMinutes: 60, authorRestMinutes: 0 };
    const ada = await days.start({ answer, settings: { ...base, ...settings } });
    let round = 0;
    const live = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n += 1) {
        round += 1;
        for (const [at, person] of people.entries())
          person.post(`Round ${round} of ${words[at]}, says ${person.username}`);
        await days.live(ada, hourMs, hourMs);
      }
    };
    return { ...days, ada, people, live };
  }

  it("is shown once in one call, and what is named is done, once each", async () => {
    const town = await withTown({ maxActionsPerRun: 20 }, doAll(["LIKE", "RETWEET"]));
    await town.live(3);
    expect(town.ada.prompts.length).toBeLessThanOrEqual(3);
    const liked = town.bot.likes().map(({ id }) => id);
    expect(new Set(liked).size).toBe(liked.length);
    expect(liked.length).toBeGreaterThanOrEqual(12);
    expect(town.bot.posts().filter(({ repostOf }) => repostOf !== null)).toHaveLength(8);
    expect(town.bot.posts().some(({ typed }) => typed.includes("goes nowhere"))).toBe(false);
  });

  it("keeps to the caps of a turn and of a day over days, however much is asked for", async () => {
    const settings = { maxActionsPerRun: 3, maxPerDay: { like: 7 } };
    const town = await withTown(settings, doAll(["LIKE"]));
    await town.live(24);
    expect(town.bot.likes()).toHaveLength(7);
    await town.live(24);
    expect(town.bot.likes().length).toBeLessThanOrEqual(14);
    expect(town.bot.likes().length).toBeGreaterThan(7);
  });

  it("leaves an author alone for a while, and does nothing below the threshold or to what was not shown", async () => {
    const town = await withTown({ maxActionsPerRun: 20, authorRestMinutes: 1_440 }, doAll(["LIKE"]));
    await town.live(10);
    expect(town.bot.likes()).toHaveLength(6);
    const shy = await withTown({}, doAll(["LIKE"], { relevance: 3 }));
    await shy.live(3);
    expect(shy.bot.likes()).toHaveLength(0);
    const wrong = await withTown({}, () =>
      JSON.stringify({ actions: [{ name: "LIKE", parameters: { message: "1234567890123456789", relevance: 10 } }] }),
    );
    await wrong.live(2);
    expect(wrong.simulator.requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  it("quotes and answers posts where X allows it, and does not offer it where X does not", async () => {
    const answer = (prompt: string) => {
      const [one, two] = idsIn(prompt);
      const say = (name: string, message: string | undefined, text: string) => ({
        name,
        parameters: { message, text, relevance: 9 },
      });
      return JSON.stringify({
        actions: [say("QUOTE", one, `Well put, ${one}.`), say("REPLY", two, `Quite so, ${two}.`)],
      });
    };
    const free = await withTown({ repliesTo: "everybody" }, answer);
    await free.live(1);
    const [quote, reply] = free.bot.posts();
    expect(quote?.quoteOf).toBe(idsIn(free.ada.prompts[0] ?? "")[0]);
    expect(reply?.replyTo?.postId).toBe(idsIn(free.ada.prompts[0] ?? "")[1]);
    const usual = await withTown({}, answer, { replies: "summoned" });
    await usual.live(1);
    expect(usual.ada.prompts[0]).not.toMatch(/REPLY \(from/);
    expect(usual.simulator.requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  it("asks the model nothing when nothing is new", async () => {
    const town = await withTown({}, doAll(["LIKE"]));
    await town.live(1);
    await pass({ clock: town.clock, simulator: town.simulator, agent: town.ada.agent }, hourMs, hourMs);
    const asked = town.ada.prompts.length;
    await pass({ clock: town.clock, simulator: town.simulator, agent: town.ada.agent }, 6 * hourMs, hourMs);
    expect(town.ada.prompts).toHaveLength(asked);
  });
});

describe("search and chosen accounts", () => {
  it("take turns, look at each post once, and remember where they were over a restart", async () => {
    const days = await openDays();
    const bo = days.simulator.createUser({ username: "bo", name: "Bo" });
    const cy = days.simulator.createUser({ username: "cy", name: "Cy" });
    const settings = {
      ...off,
      ...{
        search: true,
        searchIntervalMinutes: 60,
        targets: true,
        targetIntervalMinutes: 60,
        targetUsers: ["@bo", "cy"],
      },
      ...{ authorRestMinutes: 0, maxActionsPerRun: 9 },
    };
    const first = await days.start({ answer: doAll(["LIKE"]), settings, topics: ["looms", "kettles"] });
    const [loom, kettle, other] = [cy.post("About looms"), bo.post("About kettles"), bo.post("About nothing")];
    await days.live(first, 5 * hourMs, 30 * minuteMs);
    const liked = days.bot
      .likes()
      .map(({ id }) => id)
      .toSorted();
    expect(liked).toEqual([loom.id, kettle.id, other.id].toSorted());
    const asked = first.prompts.length;
    await days.live(first, 4 * hourMs, 30 * minuteMs);
    expect(first.prompts).toHaveLength(asked);
    await first.stop();
    const again = await days.start({ answer: doAll(["LIKE"]), settings, topics: ["looms", "kettles"] });
    await days.live(again, 5 * hourMs, 30 * minuteMs);
    expect(again.prompts).toHaveLength(0);
  });
});

describe("direct messages", () => {
  it("are heard and answered in private, once, also those that came while nobody was there", async () => {
    const days = await openDays();
    const bo = days.simulator.createUser({ username: "bo", name: "Bo", takesDirectMessages: true });
    days.bot.edit({ takesDirectMessages: true });
    const settings = { ...off, directMessages: true, directIntervalSeconds: 300 };
    const answer = () => JSON.stringify({ text: "Gladly & soon: see https://example.com/engine" });
    const first = await days.start({ answer, settings });
    bo.message(days.bot, "May I ask something?");
    await days.live(first, 20 * minuteMs, 5 * minuteMs);
    expect(days.bot.messagesWith(bo).map(({ senderId }) => senderId)).toEqual([bo.id, days.bot.id]);
    await first.stop();
    bo.message(days.bot, "And something else?");
    const second = await days.start({ answer, settings });
    await days.live(second, 20 * minuteMs, 5 * minuteMs);
    expect(days.bot.messagesWith(bo)).toHaveLength(4);
  });
});

describe("a dry run", () => {
  it("with everything switched on makes no writing call in days, and records what it would have done", async () => {
    const days = await openDays();
    const bo = days.simulator.createUser({ username: "bo", name: "Bo", takesDirectMessages: true });
    days.bot.follow(bo);
    days.bot.edit({ takesDirectMessages: true });
    let count = 0;
    const answer = (prompt: string) => {
      count += 1;
      return prompt.includes("Where a post fits") && idsIn(prompt).length > 0
        ? doAll(["LIKE", "RETWEET"])(prompt)
        : JSON.stringify({ text: `${words[count % 10]} for ${count}`, actions: ["LIKE", "FOLLOW"] });
    };
    const settings = {
      ...{ mentions: true, pollIntervalSeconds: 900, posts: true, homeTimeline: true, search: true, targets: true },
      ...{ directMessages: true, directIntervalSeconds: 900, targetUsers: ["bo"], authorRestMinutes: 0 },
    };
    const ada = await days.start({ answer, settings, options: { dryRun: true }, topics: ["kettles"] });
    for (let round = 0; round < 12; round += 1) {
      bo.post(`About kettles, number ${round}`);
      bo.post(`@ada_bot question ${round}`);
      bo.message(days.bot, `In private ${round}`);
      await days.live(ada, 4 * hourMs, hourMs);
    }
    expect(days.simulator.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    const sent = await ada.store.outbox.list(ada.agent.agentId, { states: ["sent"], limit: 500 });
    expect(sent.every(({ platformId }) => platformId?.startsWith("dry-"))).toBe(true);
    const rooms = new Set(sent.map(({ delivery }) => delivery.target.replace(/\d+-?\d*/, "…")));
    expect([...rooms].toSorted()).toEqual(["direct:…", "feed", "search", "targets", "timeline", "…"].toSorted());
  });
});
