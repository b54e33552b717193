import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import type { TelegramUpdate } from "./index.ts";
import { call, connect, onEnd, setClock, start, until } from "./testing/stage.ts";

type Got = { readonly update: TelegramUpdate & { message?: { text?: string } }; readonly headers: IncomingHttpHeaders };

/** A webhook that answers what it is told. */
async function hook(answer: (got: Got, count: number) => { status: number; body?: unknown } = () => ({ status: 200 })) {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    request.on("end", () => {
      const one = { update: JSON.parse(Buffer.concat(chunks).toString()) as Got["update"], headers: request.headers };
      got.push(one);
      const { status, body } = answer(one, got.length);
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(body === undefined ? "" : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onEnd(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return {
    got,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    texts: () => got.map(({ update }) => update.message?.text),
  };
}

describe("a webhook", () => {
  it("gets updates in order, with its secret, those of before too", async () => {
    const simulator = await start();
    const ada = simulator.createUser();
    ada.say(simulator.bot(), "before");
    const { got, url, texts } = await hook();
    expect(await connect(simulator).telegram.setWebhook(url, { secret_token: "Secret_1" })).toBe(true);
    for (let count = 0; count < 20; count += 1) ada.say(simulator.bot(), `${count}`);
    await until(() => simulator.bot().updates.pending() === 0);
    expect(texts()).toEqual(["before", ...Array.from({ length: 20 }, (_, index) => `${index}`)]);
    expect(got[0]?.headers["x-telegram-bot-api-secret-token"]).toBe("Secret_1");
  });

  it("keeps pollers away", async () => {
    const simulator = await start();
    const { url } = await hook();
    const waiting = call(simulator, "getUpdates", { timeout: 50 });
    await until(() => simulator.requests("getUpdates").length === 1);
    await call(simulator, "setWebhook", { url, max_connections: 5, allowed_updates: ["message"] });
    expect(await waiting).toMatchObject({ status: 409, description: "Conflict: terminated by setWebhook request" });
    expect((await call(simulator, "getUpdates")).description).toBe(
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    );
    expect((await call(simulator, "getWebhookInfo")).result).toMatchObject({
      url,
      pending_update_count: 0,
      max_connections: 5,
      allowed_updates: ["message"],
    });
    await call(simulator, "deleteWebhook");
    expect((await call(simulator, "getUpdates")).ok).toBe(true);
  });

  it("is tried again after growing waits, each chat for itself", async () => {
    const time = setClock();
    const simulator = await start(time);
    const [ada, bea] = [simulator.createUser(), simulator.createUser()];
    const { url, texts } = await hook(({ update }, count) => ({
      status: update.message?.text === "bad" && count < 4 ? 500 : 200,
    }));
    await call(simulator, "setWebhook", { url });
    ada.say(simulator.bot(), "bad");
    ada.say(simulator.bot(), "after bad");
    bea.say(simulator.bot(), "good");
    await until(() => texts().length === 2 && simulator.bot().updates.pending() === 2 && time.nextMs() === 1_000);
    expect(simulator.bot().webhook()).toMatchObject({
      pending_update_count: 2,
      last_error_message: "Wrong response from the webhook: 500 Internal Server Error",
    });
    time.advance(999);
    expect(texts()).toHaveLength(2);
    time.advance(1);
    await until(() => texts().length === 3 && time.nextMs() === 2_000);
    time.advance(2_000);
    await until(() => simulator.bot().updates.pending() === 0);
    expect(texts().sort()).toEqual(["after bad", "bad", "bad", "bad", "good"]);
  });

  it("can answer with a call", async () => {
    const simulator = await start();
    const ada = simulator.createUser();
    const { url } = await hook(() => ({
      status: 200,
      body: { method: "sendMessage", chat_id: ada.id, text: "in the answer" },
    }));
    await call(simulator, "setWebhook", { url });
    ada.say(simulator.bot(), "hi");
    expect((await ada.chatWith(simulator.bot()).nextMessage()).text).toBe("in the answer");
  });

  it("serves telegraf, which checks the secret", async () => {
    const simulator = await start();
    const ada = simulator.createUser();
    const bot = connect(simulator);
    bot.on("text", (context) => context.reply(context.message.text.toUpperCase()));
    const server = createServer(bot.webhookCallback("/hook", { secretToken: "right" }));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onEnd(
      () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    );
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    await call(simulator, "setWebhook", { url, secret_token: "wrong" });
    ada.say(simulator.bot(), "hello");
    await until(
      () => simulator.bot().webhook()["last_error_message"] === "Wrong response from the webhook: 403 Forbidden",
    );
    await call(simulator, "setWebhook", { url, secret_token: "right" });
    expect((await ada.chatWith(simulator.bot()).nextMessage()).text).toBe("HELLO");
  });

  it("is refused where Telegram refuses it, and says why nobody was there", async () => {
    const simulator = await start(setClock());
    const refused = async (parameters: object) => (await call(simulator, "setWebhook", parameters)).description;
    expect(await refused({ url: "http://example.com/hook" })).toBe(
      "Bad Request: bad webhook: An HTTPS URL must be provided for webhook",
    );
    expect(await refused({ url: "https://example.com/hook", secret_token: "no spaces" })).toBe(
      "Bad Request: secret token contains unallowed characters",
    );
    await call(simulator, "setWebhook", { url: "http://127.0.0.1:1/hook" });
    simulator.createUser().say(simulator.bot(), "hi");
    await until(() => simulator.bot().webhook()["last_error_message"] !== undefined);
    await call(simulator, "setWebhook", { url: "", drop_pending_updates: true });
    expect(simulator.bot().updates.pending()).toBe(0);
  });
});
