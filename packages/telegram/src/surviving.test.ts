import type { Inbound, Log } from "@troupe/core";
import { silentLog } from "@troupe/core";
import { describe, expect, it, vi } from "vitest";
import { pollUpdates } from "./polling.ts";
import { clientOf, connect, hastyClock, onEnd, openTelegram } from "./testing/stage.ts";

const until = (check: () => void) => vi.waitFor(check, { timeout: 5_000, interval: 2 });
const texts = (heard: readonly Inbound[]) => heard.map(({ memory }) => memory.content.text);
const bad = (code: number, description: string) =>
  ({ type: "answer", answer: { status: code, body: { ok: false, error_code: code, description } } }) as const;

/** A log whose lines can be looked at. */
function listeningLog() {
  const lines: string[] = [];
  const line = (level: string) => (fields: object, message: string) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const log: Log = {
    error: line("error"),
    warn: line("warn"),
    info: line("info"),
    debug: line("debug"),
    child: () => log,
  };
  return { log, lines };
}

describe("surviving on Telegram", () => {
  it("tells Telegram that it may forget a message only once it is kept, and others are heard meanwhile", async () => {
    const kept = Promise.withResolvers<void>();
    const { simulator, heard, nth } = await connect({
      parts: { clock: hastyClock },
      receive: async (told) => {
        if (told.kind === "message" && told.memory.content.text === "slow") await kept.promise;
      },
    });
    const bot = simulator.bot();
    const [bo, cy] = [simulator.createUser(), simulator.createUser()];
    bo.say(bot, "slow");
    bo.say(bot, "behind the slow one");
    cy.say(bot, "quick");
    await nth(0);
    expect(texts(heard)).toEqual(["quick"]);
    expect(bot.updates.pending()).toBe(3);
    kept.resolve();
    await until(() => expect(bot.updates.pending()).toBe(0));
    expect(texts(heard)).toEqual(["quick", "slow", "behind the slow one"]);
  });

  it("offers what could not be kept again, before anything behind it in that chat", async () => {
    let failures = 3;
    const { simulator, heard, nth } = await connect({
      parts: { clock: hastyClock },
      receive: async (told) => {
        if (told.kind === "message" && told.memory.content.text === "one" && failures > 0) {
          failures -= 1;
          throw new Error("the disk is full");
        }
      },
    });
    const bo = simulator.createUser();
    bo.say(simulator.bot(), "one");
    bo.say(simulator.bot(), "two");
    await nth(1);
    expect(texts(heard)).toEqual(["one", "two"]);
  });

  it("hears after a restart what was said meanwhile, and again what was not kept", async () => {
    const simulator = await openTelegram();
    const bo = simulator.createUser();
    const lost = await connect(
      { parts: { clock: hastyClock }, receive: () => Promise.reject(new Error("it dies here")) },
      simulator,
    );
    bo.say(simulator.bot(), "precious");
    await until(() => expect(simulator.requests("getUpdates").length).toBeGreaterThan(0));
    lost.stop();
    bo.say(simulator.bot(), "in between");
    const { heard, nth } = await connect({}, simulator);
    await nth(1);
    expect(texts(heard)).toEqual(["precious", "in between"]);
  });

  it("goes on when a connection stays silent, breaks, or a server answers nonsense", async () => {
    const { log, lines } = listeningLog();
    const simulator = await openTelegram();
    simulator.fault("getUpdates", { type: "drop", when: "before" });
    simulator.fault("getUpdates", bad(502, "Bad Gateway"));
    simulator.fault("getUpdates", { ...bad(429, "Too Many Requests: retry after 1") });
    simulator.fault("getUpdates", { type: "answer", answer: { status: 200, body: "<html>" } });
    const { nth } = await connect({ parts: { clock: hastyClock, log } }, simulator);
    simulator.createUser().say(simulator.bot(), "still there?");
    await nth(0);
    expect(lines.filter((line) => line.startsWith("warn Telegram does not answer"))).toHaveLength(1);
    expect(lines.join()).toContain("answers again");
  });

  it("gives up a question to which nothing comes, long before the network would", async () => {
    const stopping = new AbortController();
    const asked: AbortSignal[] = [];
    const limits: (number | undefined)[] = [];
    const polling = pollUpdates({
      api: {
        async call(_method, _payload, { signal, timeoutMs }) {
          asked.push(signal);
          limits.push(timeoutMs);
          if (asked.length === 3) stopping.abort();
          throw Object.assign(new Error("timed out"), { name: "AbortError" });
        },
      },
      ...{
        clock: hastyClock,
        random: () => 0,
        log: silentLog,
        pollMs: 50_000,
        accept: async () => undefined,
        signal: stopping.signal,
      },
    });
    await polling;
    expect(limits).toEqual([60_000, 60_000, 60_000]);
  });

  it("starts counting anew after a week of silence", async () => {
    let now = 0;
    const stopping = new AbortController();
    const offsets: unknown[] = [];
    await pollUpdates({
      api: {
        async call(_method, payload) {
          offsets.push(payload["offset"]);
          if (offsets.length === 1) return [{ update_id: 900 }];
          if (offsets.length === 2) now += 7 * 24 * 3_600_000;
          if (offsets.length === 3) return [{ update_id: 5 }];
          if (offsets.length === 4) stopping.abort();
          return [];
        },
      },
      clock: { ...hastyClock, now: () => now },
      ...{ random: () => 0, log: silentLog, pollMs: 50_000, accept: async () => undefined, signal: stopping.signal },
    });
    expect(offsets).toEqual([undefined, 901, undefined, 6]);
  });

  it("stops loudly when another program keeps asking for the updates", async () => {
    const { log, lines } = listeningLog();
    const simulator = await openTelegram();
    simulator.fault("getUpdates", bad(409, "Conflict: terminated by other getUpdates request"), { times: 5, after: 1 });
    await connect({ parts: { clock: hastyClock, log }, options: { pollMs: 0 } }, simulator);
    await until(() => expect(lines.at(-1)).toMatch(/^error .*Another program asks/));
    const asked = simulator.requests("getUpdates").length;
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(simulator.requests("getUpdates").length).toBe(asked);
  });

  it("bears a short conflict, as when one process takes over from another", async () => {
    const simulator = await openTelegram();
    simulator.fault("getUpdates", bad(409, "Conflict: terminated by other getUpdates request"), { times: 3 });
    const { nth } = await connect({ parts: { clock: hastyClock } }, simulator);
    simulator.createUser().say(simulator.bot(), "hello");
    await nth(0);
  });

  it("does not start with a revoked token, and stops loudly when it is revoked later", async () => {
    const { log, lines } = listeningLog();
    const { simulator } = await connect({ parts: { clock: hastyClock, log }, options: { pollMs: 0 } });
    const old = simulator.bot().token();
    simulator.bot().revokeToken();
    await until(() => expect(lines.at(-1)).toMatch(/^error .*token/));
    const client = clientOf(simulator, { options: { token: old } });
    await expect(client.start(async () => undefined, new AbortController().signal)).rejects.toMatchObject({
      code: "unauthorized",
      message: expect.stringContaining("TELEGRAM_BOT_TOKEN"),
    });
    expect(lines.join()).not.toContain(old.split(":")[1]);
  });

  it("takes away a webhook that was left behind, and keeps what waits", async () => {
    const simulator = await openTelegram();
    const call = (method: string, body: object) =>
      fetch(`${simulator.url}/bot${simulator.bot().token()}/${method}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    simulator.bot().updates.hold();
    await call("setWebhook", { url: "http://127.0.0.1:9/" });
    simulator.createUser().say(simulator.bot(), "waiting");
    simulator.bot().updates.release();
    const { nth } = await connect({}, simulator);
    expect((await nth(0)).memory.content.text).toBe("waiting");
  });

  it("asks in vain until Telegram can be reached, and ends when it is told to", async () => {
    const stopping = new AbortController();
    const simulator = await openTelegram();
    simulator.fault("getMe", { type: "drop", when: "before" }, { times: 3 });
    const client = clientOf(simulator, { parts: { clock: hastyClock } });
    await client.start(async () => undefined, stopping.signal);
    stopping.abort();
    simulator.fault("getMe", { type: "drop", when: "before" }, { times: Number.POSITIVE_INFINITY });
    const other = new AbortController();
    onEnd(() => other.abort());
    const starting = clientOf(simulator, { parts: { clock: hastyClock } }).start(async () => undefined, other.signal);
    other.abort();
    await expect(starting).rejects.toBeDefined();
  });

  it("sends nothing before it is connected", async () => {
    const simulator = await openTelegram();
    const client = clientOf(simulator);
    const delivery = { key: "k", content: { text: "x" } } as Parameters<typeof client.send>[0];
    expect(await client.send(delivery, new AbortController().signal)).toMatchObject({ type: "not-sent" });
    expect(client.typing?.start("1")).toBeTypeOf("function");
    await expect(client.attachments?.fetch("troupe-telegram:x", new AbortController().signal)).rejects.toThrow(
      "not connected",
    );
  });
});

describe("Telegram's webhook", () => {
  const secretToken = "only-telegram-knows";

  it("is set, listened to, and brings what could not be kept again", async () => {
    const simulator = await openTelegram({
      timers: {
        after: (ms, run) => {
          // Soon again after a failure, but no less patience with an answer.
          const timer = setTimeout(run, ms < 60_000 ? Math.min(ms, 5) : ms);
          return () => clearTimeout(timer);
        },
      },
    });
    const port = await freePort();
    let failures = 1;
    const { heard, nth } = await connect(
      {
        options: { webhook: { url: `http://127.0.0.1:${port}/telegram`, port, host: "127.0.0.1", secretToken } },
        receive: async () => {
          failures -= 1;
          if (failures >= 0) throw new Error("the disk is full");
        },
      },
      simulator,
    );
    const bo = simulator.createUser();
    bo.say(simulator.bot(), "one");
    bo.say(simulator.bot(), "two");
    await nth(1);
    expect(texts(heard)).toEqual(["one", "two"]);
    await until(() => expect(simulator.bot().updates.pending()).toBe(0));
    expect(simulator.requests("getUpdates")).toEqual([]);
    const wrong = await fetch(`http://127.0.0.1:${port}/telegram`, {
      method: "POST",
      body: "{}",
      headers: { "x-telegram-bot-api-secret-token": "guess" },
    });
    expect(wrong.status).toBe(401);
  });

  it.each<[string, RequestInit, number]>([
    ["no secret", { method: "POST", body: '{"update_id":1}' }, 401],
    [
      "a wrong secret",
      { method: "POST", body: '{"update_id":1}', headers: { "x-telegram-bot-api-secret-token": "only-telegram-know" } },
      401,
    ],
    ["no body", { method: "POST", headers: { "x-telegram-bot-api-secret-token": secretToken } }, 400],
    ["another method", { method: "GET" }, 405],
    [
      "an update of an unknown kind",
      {
        method: "POST",
        body: '{"update_id":1,"purchase":{}}',
        headers: { "x-telegram-bot-api-secret-token": secretToken },
      },
      200,
    ],
  ])("answers a request with %s by itself", async (_name, init, status) => {
    const { client } = await connect({ options: { webhook: { url: "https://example.com/telegram", secretToken } } });
    expect((await client.handleWebhook(new Request("https://example.com/telegram", init))).status).toBe(status);
  });

  it("refuses to start where the address or the port cannot be had", async () => {
    const simulator = await openTelegram();
    const start = (webhook: object) =>
      clientOf(simulator, { options: { webhook: { url: "http://example.com", ...webhook } } }).start(
        async () => undefined,
        new AbortController().signal,
      );
    await expect(start({})).rejects.toMatchObject({ message: expect.stringContaining("HTTPS") });
    await expect(start({ port: simulator.port, host: "127.0.0.1" })).rejects.toMatchObject({
      message: expect.stringContaining("TELEGRAM_WEBHOOK_PORT"),
    });
  });
});

async function freePort(): Promise<number> {
  const { createServer } = await import("node:net");
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
