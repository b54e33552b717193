import type { ServerResponse } from "node:http";
import type { LanguageModel } from "@troupe/core";
import { afterEach, describe, expect, it } from "vitest";
import { createLanguageModel, type LanguageModelOptions } from "./language-model.ts";
import type { ProviderName } from "./spec.ts";
import { createSetClock, type SetClock } from "./testing/set-clock.ts";
import { ask, hear, KEY, type RawServer, specAt, startRaw } from "./testing/vendor-server.ts";
import { wireAnswer } from "./testing/wires.ts";

const PROVIDERS: readonly ProviderName[] = ["openai", "anthropic", "openai-compatible"];
const NAMES: Readonly<Record<ProviderName, string>> = {
  openai: "gpt-6-luna",
  anthropic: "claude-haiku-5-5",
  "openai-compatible": "gpt-6-luna",
};

let server: RawServer | undefined;
let clock: SetClock = createSetClock();

afterEach(async () => {
  await server?.close();
  server = undefined;
});

type Answer = (response: ServerResponse, call: number) => void;

async function serve(
  provider: ProviderName,
  answer: Answer,
  options: Partial<LanguageModelOptions> = {},
): Promise<LanguageModel> {
  clock = createSetClock(50_000);
  server = await startRaw((response, call) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    answer(response, call);
  });
  return createLanguageModel(specAt(provider, server.url, NAMES[provider]), { clock, random: () => 0, ...options });
}

describe.each(PROVIDERS)("%s, byte by byte", (provider) => {
  const { head, tail } = wireAnswer(provider);

  it("counts tokens, cached ones too, and what they cost", async () => {
    const model = await serve(provider, (response) => response.end(head + tail));
    const { text, finish } = await hear(model.stream(ask()));
    expect(text).toBe("Hello, you.");
    expect(finish).toEqual({
      type: "finish",
      reason: "stop",
      usage: { inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 50 },
      model: `${provider}:${NAMES[provider]}`,
      costMicrousd: 89,
    });
  });

  it("says when the token limit cut the answer", async () => {
    const cut = wireAnswer(provider, true);
    const model = await serve(provider, (response) => response.end(cut.head + cut.tail));
    expect((await hear(model.stream(ask()))).finish?.reason).toBe("length");
  });

  it("reads a stream that arrives one byte at a time", async () => {
    const model = await serve(provider, (response) => {
      for (const byte of Buffer.from(head + tail)) response.write(Buffer.of(byte));
      response.end();
    });
    expect((await hear(model.stream(ask()))).text).toBe("Hello, you.");
  });

  it("sends the key, the prompt and the limits, and asks for a stream", async () => {
    const model = await serve(provider, (response) => response.end(head + tail), {
      defaults: { maxTokens: 77, reasoning: "low" },
    });
    await hear(model.stream(ask("Grüß dich")));
    const request = server?.requests[0];
    const key = provider === "anthropic" ? request?.headers["x-api-key"] : request?.headers.authorization;
    expect(key).toContain(KEY);
    for (const part of ["You are Ada.", "Grüß dich", "77", '"low"', '"stream":true'])
      expect(request?.body).toContain(part);
  });

  it("ends an answer at a stop word", async () => {
    const model = await serve(provider, (response) => response.end(head + tail));
    const { text } = await hear(model.stream({ ...ask(), stop: [", y"] }));
    // OpenAI's own wire has no stop words, so they are minded here.
    if (provider === "openai") expect(text).toBe("Hello");
    else expect(server?.requests[0]?.body).toMatch(/"stop(_sequences)?":\[", y"\]/);
  });

  it("throws what came of an answer that broke off, and does not ask again", async () => {
    const broken = Promise.withResolvers<ServerResponse>();
    const model = await serve(provider, (response) => {
      response.write(head);
      broken.resolve(response);
    });
    const events = model.stream(ask())[Symbol.asyncIterator]();
    expect((await events.next()).value).toEqual({ type: "text", text: "Hello" });
    (await broken.promise).destroy();
    await expect(events.next()).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("broke off after a part of the answer"),
    });
    expect(server?.requests).toHaveLength(1);
  });

  it("does not take an end without an ending for an answer", async () => {
    const model = await serve(provider, (response) => response.end(head));
    const { text, finish, error } = await hear(model.stream(ask()));
    expect([text, finish]).toEqual(["Hello", undefined]);
    expect(error).toMatchObject({ code: "unavailable" });
  });

  it("asks again when an answer ends before it began", async () => {
    const model = await serve(provider, (response, call) => response.end(call === 0 ? "" : head + tail));
    const { text, finish } = await hear(model.stream(ask()));
    expect(text).toBe("Hello, you.");
    expect(finish?.notes).toMatchObject([{ type: "retry", attempt: 1 }]);
  });

  it("throws at something unreadable in the middle", async () => {
    const model = await serve(provider, (response) => response.end(`${head}data: {"half\n\n${tail}`));
    const { text, error } = await hear(model.stream(ask()));
    expect([text, (error as { code: string }).code]).toEqual(["Hello", "unavailable"]);
  });

  it("gives up on a server that does not begin, without asking again", async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    const model = await serve(provider, (response) => asked.resolve(response));
    const listening = hear(model.stream(ask()));
    const closed = onceClosed(await asked.promise);
    clock.advance(60_000);
    expect((await listening).error).toMatchObject({
      code: "timeout",
      message: expect.stringContaining("begin to answer within 60 s"),
    });
    await closed;
    expect(server?.requests).toHaveLength(1);
  });

  it("gives up on a server that falls silent", async () => {
    const model = await serve(provider, (response) => response.write(head), { timeouts: { idleMs: 55_000 } });
    const events = model.stream(ask())[Symbol.asyncIterator]();
    await events.next();
    const next = events.next();
    clock.advance(55_000);
    await expect(next).rejects.toMatchObject({ code: "timeout", message: expect.stringContaining("silent for 55 s") });
  });

  it("gives up on an answer that takes too long as a whole", async () => {
    const model = await serve(provider, (response) => response.write(head), { timeouts: { wholeMs: 52_000 } });
    const events = model.stream(ask())[Symbol.asyncIterator]();
    await events.next();
    const next = events.next();
    clock.advance(52_000);
    await expect(next).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("finish an answer within 52 s"),
    });
  });

  it("hangs up on the server when it is called off", async () => {
    const controller = new AbortController();
    const asked = Promise.withResolvers<ServerResponse>();
    const model = await serve(provider, (response) => {
      response.write(head);
      asked.resolve(response);
    });
    const events = model.stream(ask("Hello", controller.signal))[Symbol.asyncIterator]();
    await events.next();
    const closed = onceClosed(await asked.promise);
    controller.abort();
    await expect(events.next()).rejects.toMatchObject({ code: "aborted" });
    await closed;
  });

  it("hangs up on the server when nobody listens any more", async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    const model = await serve(provider, (response) => {
      response.write(head);
      asked.resolve(response);
    });
    for await (const _event of model.stream(ask())) break;
    await onceClosed(await asked.promise);
  });

  it("can be called off while it waits to ask again", async () => {
    const controller = new AbortController();
    const log = { ...silent, warn: () => controller.abort() };
    const model = await serve(provider, (response) => response.end(), {
      log,
      retry: { initialMs: 120_000, maxMs: 120_000 },
    });
    expect((await hear(model.stream(ask("Hello", controller.signal)))).error).toMatchObject({ code: "aborted" });
    expect(server?.requests).toHaveLength(1);
  });
});

const silent: LanguageModelOptions["log"] & object = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  child: () => silent,
};

function onceClosed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.closed) resolve();
    response.once("close", () => resolve());
  });
}
