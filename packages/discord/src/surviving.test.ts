import type { Inbound, Log } from "@troupe/core";
import { silentLog } from "@troupe/core/log";
import { createDelivery, createMemoryStore } from "@troupe/core/testing";
import { startDiscordSimulator } from "@troupe/simulator-discord";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createDiscordClient } from "./client.ts";
import { openScene, type Scene, toOptions, toParts } from "./testing/scene.ts";

const scenes: Scene[] = [];
afterEach(async () => {
  await Promise.all(scenes.splice(0).map((scene) => scene.close()));
});

async function open(options: Parameters<typeof openScene>[0] = {}): Promise<Scene> {
  const scene = await openScene(options);
  scenes.push(scene);
  return scene;
}

const until = (check: () => void | Promise<void>, timeout = 8_000): Promise<void> =>
  vi.waitFor(check, { timeout, interval: 10 });

/** A log that keeps its errors and warnings. */
function keepingLog(): { readonly log: Log; readonly errors: string[]; readonly warnings: string[] } {
  const errors: string[] = [];
  const warnings: string[] = [];
  const log: Log = {
    ...silentLog,
    error: (fields, message) => void errors.push(`${message} ${JSON.stringify(fields)}`),
    warn: (fields, message) => void warnings.push(`${message} ${JSON.stringify(fields)}`),
    child: () => log,
  };
  return { log, errors, warnings };
}

const idsOf = (heard: readonly Inbound[]): string[] => heard.map(({ eventId }) => eventId);

describe("losing the connection", () => {
  it("resumes, and loses and doubles nothing", async () => {
    const { simulator, general, mira, hearing } = await open();
    const { texts, heard } = await hearing();
    mira.say(general, "one");
    simulator.gateway.cut();
    mira.say(general, "two");
    await until(() => expect(texts()).toEqual(["one", "two"]));
    simulator.gateway.requestReconnect();
    mira.say(general, "three");
    await until(() => expect(texts()).toEqual(["one", "two", "three"]));
    expect(new Set(idsOf(heard)).size).toBe(3);
  });

  it("reads again what was said while its session was gone, in every kind of room, in order", async () => {
    const { simulator, bot, guild, general, mira, hearing } = await open();
    const other = guild.createChannel({ name: "other" });
    const { texts, heard } = await hearing();
    mira.say(general, "before");
    const thread = mira.startThread(mira.say(other, "topic"), "Topic");
    mira.say(thread, "in thread");
    mira.tell(bot, "direct");
    await until(() => expect(texts()).toHaveLength(4));
    simulator.gateway.close(1000);
    for (const text of ["1", "2", "3"]) mira.say(general, text);
    mira.say(thread, "more in thread");
    mira.tell(bot, "more direct");
    await simulator.gateway.connected();
    mira.say(general, "4");
    const missed = ["1", "2", "3", "4", "more direct", "more in thread"];
    await until(() => expect(texts()).toEqual(expect.arrayContaining(missed)));
    const inGeneral = heard.filter(({ room }) => room.platformId === general.id);
    // What was heard before may come again under the same id.
    expect([...new Set(inGeneral.map(({ memory }) => memory.content.text))]).toEqual(["before", "1", "2", "3", "4"]);
    expect(new Set(idsOf(heard)).size).toBe(10);
  });

  it("reads again what was said while no process ran, also in rooms nobody had spoken in", async () => {
    const { guild, general, mira, hearing } = await open();
    const quiet = guild.createChannel({ name: "quiet" });
    const store = createMemoryStore();
    const first = await hearing({ store });
    const before = mira.say(general, "before");
    await until(async () =>
      expect((await store.keyValues.get("agent", '["client","discord","test"]', "watermark"))?.value).toBe(before.id),
    );
    first.stop();
    mira.say(general, "meanwhile");
    mira.say(quiet, "hello?");
    const second = await hearing({ store });
    await until(() => expect(second.texts()).toEqual(expect.arrayContaining(["meanwhile", "hello?"])));
  });

  it("does not read what was said before it first came", async () => {
    const { general, mira, hearing } = await open();
    mira.say(general, "long ago");
    const { texts } = await hearing();
    mira.say(general, "now");
    await until(() => expect(texts()).toEqual(["now"]));
  });

  it("marks as late what is older than the settings say, and fetches no more than they say", async () => {
    const { general, mira, hearing } = await open();
    const store = createMemoryStore();
    const first = await hearing({ store });
    const before = mira.say(general, "before");
    await until(async () =>
      expect((await store.keyValues.get("agent", '["client","discord","test"]', "watermark"))?.value).toBe(before.id),
    );
    first.stop();
    for (let n = 0; n < 250; n += 1) mira.say(general, `m${n}`);
    const second = await hearing({ store, settings: { answerWithinMs: 0, catchUpLimit: 120 } });
    await until(() => expect(second.texts()).toHaveLength(120));
    expect(second.texts()).toEqual(Array.from({ length: 120 }, (_, n) => `m${n + 130}`));
    expect(second.heard.every(({ memory }) => memory.metadata?.["late"] === true)).toBe(true);
    mira.say(general, "live");
    await until(() => expect(second.heard.at(-1)?.memory).toMatchObject({ content: { text: "live" } }));
    expect(second.heard.at(-1)?.memory.metadata?.["late"]).toBeUndefined();
  });

  it("connects once Discord can be reached", async () => {
    const { simulator, bot } = await open();
    const port = simulator.port;
    await simulator.close();
    const { log, warnings } = keepingLog();
    const client = createDiscordClient(toOptions(simulator, bot), toParts({ log }));
    const stop = new AbortController();
    const started = client.start(async () => undefined, stop.signal);
    await until(() => expect(warnings.join()).toContain("cannot be reached"));
    const again = await startDiscordSimulator({ port, limits: false, bots: [{ token: bot.token }] });
    await started;
    expect(client.account).toBe(again.bots[0]?.id);
    stop.abort();
    await again.close();
  });
});

describe("what Discord refuses for good", () => {
  it("is a wrong token", async () => {
    const { make } = await open();
    const started = make({ options: { token: "wrong" } }).start(async () => undefined, new AbortController().signal);
    await expect(started).rejects.toMatchObject({
      code: "unauthorized",
      message: expect.stringContaining("DISCORD_API_TOKEN"),
    });
  });

  it.each([
    [4004, "DISCORD_API_TOKEN"],
    [4011, "shards"],
    [4014, "Message Content Intent"],
  ])("is told loudly with the remedy when it closes with %i", async (code, remedy) => {
    const { simulator, hearing } = await open();
    const { log, errors } = keepingLog();
    await hearing({ log });
    simulator.gateway.close(code);
    await until(() => expect(errors.join()).toContain(remedy));
    expect(errors).toHaveLength(1);
  });

  it("leaves the bot with what it may read where the content intent is off, and says so", async () => {
    const { bot, general, mira, hearing } = await open();
    bot.setPrivilegedIntents([]);
    const { log, warnings } = keepingLog();
    const { texts } = await hearing({ log });
    expect(warnings.join()).toContain("Message Content Intent");
    mira.say(general, `<@${bot.id}> hello`);
    await until(() => expect(texts()).toEqual(["@Ada hello"]));
  });
});

describe("trouble with requests", () => {
  it("sends once, whatever is cut or fails, before or after it arrived", async () => {
    const { simulator, bot, general, hearing } = await open();
    const { client, signal } = await hearing();
    const match = "POST /api/v10/channels/*/messages";
    const faults = [
      { type: "drop", when: "before" },
      { type: "drop", when: "after" },
      { type: "answer", answer: { status: 502 }, isApplied: true },
      { type: "answer", answer: { status: 503 } },
    ] as const;
    for (const [n, fault] of faults.entries()) {
      simulator.faults.add({ match, fault });
      expect(await client.send(createDelivery(client, general.id, `text ${n}`, n), signal)).toMatchObject({
        type: "sent",
      });
    }
    const said = general.messages().filter(({ authorId }) => authorId === bot.id);
    expect(said.map(({ content }) => content)).toEqual(["text 0", "text 1", "text 2", "text 3"]);
  });

  it("waits out a short limit and tells a long one, without losing anything, and warns once", async () => {
    const { simulator, general, hearing } = await open();
    const { log, warnings } = keepingLog();
    const { client, signal } = await hearing({ log });
    const match = "POST /api/v10/channels/*/messages";
    const limited = (retryAfter: string, isGlobal = false) => ({
      type: "answer" as const,
      answer: {
        status: 429,
        headers: { "retry-after": retryAfter, ...(isGlobal && { "x-ratelimit-global": "true" }) },
        body: {},
      },
    });
    simulator.faults.add({ match, fault: limited("0.05") });
    expect(await client.send(createDelivery(client, general.id, "short"), signal)).toMatchObject({ type: "sent" });
    simulator.faults.add({ match, fault: limited("30", true), times: 2 });
    const told = await client.send(createDelivery(client, general.id, "long", 1), signal);
    expect(told).toMatchObject({ type: "not-sent" });
    expect(told.type === "not-sent" && (told.retryInMs ?? 0) > 25_000).toBe(true);
    expect(await client.send(createDelivery(client, general.id, "long", 1), signal)).toMatchObject({
      type: "not-sent",
    });
    expect(warnings.filter((line) => line.includes("rate limit"))).toHaveLength(1);
  });

  it("hears an event that comes twice as the same, and those in another order all the same", async () => {
    const { simulator, general, mira, hearing } = await open();
    const { heard, texts } = await hearing();
    simulator.gateway.duplicate(1);
    mira.say(general, "twice");
    await until(() => expect(texts()).toEqual(["twice", "twice"]));
    expect(new Set(idsOf(heard)).size).toBe(1);
    simulator.gateway.reorder(2);
    mira.say(general, "a");
    mira.say(general, "b");
    await until(() => expect(texts().slice(2).toSorted()).toEqual(["a", "b"]));
  });

  it("streams within the budget of edits, and ends in exactly the final text", async () => {
    const limit = { limit: 3, windowMs: 400 };
    const { general, simulator, hearing } = await open({
      limits: { routes: { "PATCH /channels/:channel/messages/:message": limit } },
    });
    const { client, signal } = await hearing();
    const delivery = createDelivery(client, general.id, "0");
    const sent = await client.send({ ...delivery, isGrowing: true }, signal);
    if (sent.type !== "sent") throw new Error(JSON.stringify(sent));
    const results: string[] = [];
    let text = "0";
    for (let n = 1; n <= 12; n += 1) {
      text += ` ${n}`;
      const isLast = n === 12;
      const growing = { ...delivery, content: { text }, ...(!isLast && { isGrowing: true }) };
      const result = await client.edits?.edit(sent.platformId, growing, isLast);
      results.push(result?.type ?? "none");
    }
    expect(results.at(-1)).toBe("sent");
    expect(results).toContain("not-sent");
    expect(general.messages().at(-1)?.content).toBe(text);
    expect(simulator.invalidRequests).toBe(0);
  });
});

describe("several connections", () => {
  it("hears each server once over two shards", async () => {
    const { simulator, hearing, mira } = await open({ bots: [{ token: "token", shards: 2, maxConcurrency: 2 }] });
    const channels = Array.from({ length: 4 }, (_, n) => {
      const guild = simulator.createGuild({ name: `Guild ${n}` });
      guild.add(mira);
      return guild.createChannel({ name: "talk" });
    });
    const { texts } = await hearing({ options: { shards: "auto" } });
    expect(simulator.gateway.sessions.map(({ shard }) => shard.join("/")).toSorted()).toEqual(["0/2", "1/2"]);
    for (const [n, channel] of channels.entries()) mira.say(channel, `in ${n}`);
    await until(() => expect(texts().toSorted()).toEqual(["in 0", "in 1", "in 2", "in 3"]));
  });

  it("keeps two accounts in one process apart", async () => {
    const { simulator, general, mira, bot, hearing } = await open({
      bots: [{ token: "one" }, { token: "two", name: "Second" }],
    });
    const one = await hearing({ options: { token: "one" } });
    const two = await hearing({ options: { token: "two", agentName: "Bob" } });
    mira.say(general, `<@${bot.id}> hello`);
    await until(() => expect([one.heard.length, two.heard.length]).toEqual([1, 1]));
    expect(one.heard[0]?.memory.content.mentionContext).toMatchObject({ mentionsAgent: true });
    expect(two.heard[0]?.memory.content.mentionContext).toMatchObject({ mentionsAgent: false, mentionsOther: true });
    expect(one.heard[0]?.room.id).not.toBe(two.heard[0]?.room.id);
    expect(simulator.gateway.sessions).toHaveLength(2);
  });

  it("shows its status", async () => {
    const { simulator, hearing } = await open();
    await hearing({ settings: { statusText: "watching the tide" } });
    expect(JSON.stringify(simulator.gateway.sessions[0]?.presence)).toContain("watching the tide");
  });
});
