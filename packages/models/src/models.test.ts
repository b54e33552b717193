import { ConfigError } from "@troupe/core";
import { createScriptedModel } from "@troupe/core/testing";
import { afterEach, describe, expect, it } from "vitest";
import { checkModel, listModels } from "./list-models.ts";
import { createModels } from "./models.ts";
import { createSetClock } from "./testing/set-clock.ts";
import { ask, hear, KEY, type RawServer, startRaw, unusedUrl } from "./testing/vendor-server.ts";
import { wireAnswer } from "./testing/wires.ts";

const offline = () => createScriptedModel(() => "offline here", { id: "offline:conversation" });
const options = { clock: createSetClock(50_000), random: () => 0, offline };
const forever = new AbortController().signal;

let server: RawServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** A model server with these models; it knows nothing of any other. */
async function startOllama(names: readonly string[]): Promise<RawServer> {
  const { head, tail } = wireAnswer("openai-compatible");
  const started: RawServer = await startRaw((response, call) => {
    const request = started.requests[call];
    if (request?.url === "/v1/models") {
      response.end(
        JSON.stringify({
          object: "list",
          data: names.length === 0 ? null : names.map((id) => ({ id, object: "model" })),
        }),
      );
    } else if (names.some((name) => request?.body.includes(JSON.stringify(name)))) {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(head + tail);
    } else {
      response
        .writeHead(404)
        .end(JSON.stringify({ error: { message: "model not found, try pulling it first", type: "not_found_error" } }));
    }
  });
  server = started;
  return started;
}

describe("createModels", () => {
  it("answers offline and says how to get a real model when nothing is set up", async () => {
    const { models, describe: tell, check } = createModels({}, options);
    expect((await hear(models.TEXT_LARGE.stream(ask()))).text).toBe("offline here");
    expect(models.TEXT_SMALL).toBe(models.TEXT_LARGE);
    expect(tell()).toMatchObject({
      isOffline: true,
      large: "offline:conversation",
      hint: expect.stringContaining("OPENAI_API_KEY"),
    });
    expect(await check(forever)).toEqual([]);
  });

  it("makes no offline model when it needs none", () => {
    const refused = (): never => {
      throw new Error("not needed");
    };
    const { describe: tell } = createModels({ access: { openaiApiKey: KEY } }, { ...options, offline: refused });
    expect(tell()).toEqual({
      small: "openai:gpt-6-luna",
      large: "openai:gpt-6.1-terra",
      others: {
        embedding: "openai:text-embedding-3-small",
        imageDescription: "openai:gpt-6-luna",
        transcription: "openai:gpt-4o-mini-transcribe",
        speech: "openai:gpt-4o-mini-tts",
        image: "openai:gpt-image-2",
      },
      baseUrls: [],
      isOffline: false,
    });
  });

  it.each([
    [{ environment: { provider: "openai" } }, /OPENAI_API_KEY/],
    [{ character: { provider: "anthropic" } }, /ANTHROPIC_API_KEY/],
    [{ environment: { provider: "openai-compatible" } }, /OPENAI_BASE_URL/],
  ])("refuses %j and names the variable to set", (settings, words) => {
    expect(() => createModels(settings, options)).toThrow(words);
    expect(() => createModels(settings, options)).toThrow(ConfigError);
  });

  it("takes the first conversational model of a server when none is named", async () => {
    const { url } = await startOllama(["nomic-embed-text:latest", "llama3.2:3b", "qwen3:8b"]);
    const { models, describe: tell } = createModels({ access: { openaiBaseUrl: url } }, options);
    expect(tell()).toMatchObject({ large: "openai-compatible:auto", baseUrls: [`${url}/v1`] });
    const { text, finish } = await hear(models.TEXT_LARGE.stream(ask()));
    expect([text, finish?.model, finish?.costMicrousd]).toEqual(["Hello, you.", "openai-compatible:llama3.2:3b", 0]);
    await hear(models.TEXT_SMALL.stream(ask()));
    expect(server?.requests.map((request) => request.url)).toEqual([
      "/v1/models",
      "/v1/chat/completions",
      "/v1/chat/completions",
    ]);
  });

  it("sends no key to a server that wants none", async () => {
    const { url } = await startOllama(["llama3.2:3b"]);
    const { models } = createModels({ access: { openaiBaseUrl: url } }, options);
    await hear(models.TEXT_LARGE.stream(ask()));
    expect(server?.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  it("lists what the server offers when the named model is missing", async () => {
    const { url } = await startOllama(["llama3.2:3b", "qwen3:8b"]);
    const { models } = createModels({ access: { openaiBaseUrl: url }, environment: { large: "gemma9" } }, options);
    const { error } = await hear(models.TEXT_LARGE.stream(ask()));
    expect(error).toMatchObject({ code: "not_found" });
    expect(String(error)).toMatch(/no model gemma9 \(set by TROUPE_LARGE_MODEL\); it offers llama3\.2:3b, qwen3:8b/);
  });

  it("says what to do when the server has no model at all", async () => {
    const { url } = await startOllama([]);
    const { models } = createModels({ access: { openaiBaseUrl: url } }, options);
    expect(String((await hear(models.TEXT_LARGE.stream(ask()))).error)).toMatch(
      /offers no model for conversation.*ollama pull/,
    );
  });

  it("falls back to the offline model when the server is down, and says so", async () => {
    const settings = { access: { openaiBaseUrl: await unusedUrl() }, environment: { fallback: "offline" } };
    const { models, describe: tell } = createModels(settings, { ...options, retry: { attempts: 1 } });
    const { text, finish } = await hear(models.TEXT_LARGE.stream(ask()));
    expect([text, finish?.model]).toEqual(["offline here", "offline:conversation"]);
    expect(finish?.notes).toMatchObject([{ type: "fallback", code: "unavailable", to: "offline:conversation" }]);
    expect(tell()).toMatchObject({ fallback: "offline:conversation", isOffline: false });
  });

  it("passes the character's temperature and limit on", async () => {
    const { url } = await startOllama(["llama3.2:3b"]);
    const character = { temperature: 0.25, maxTokens: 321 };
    const { models } = createModels(
      { access: { openaiBaseUrl: url }, character, environment: { temperature: 1 } },
      options,
    );
    await hear(models.TEXT_LARGE.stream(ask()));
    expect(JSON.parse(server?.requests.at(-1)?.body ?? "")).toMatchObject({ temperature: 0.25, max_tokens: 321 });
  });

  it("checks every model that was chosen, once", async () => {
    const { url } = await startOllama(["llama3.2:latest"]);
    const { check } = createModels(
      { access: { openaiBaseUrl: url }, environment: { small: "llama3.2", large: "gemma9" } },
      options,
    );
    expect(await check(forever)).toMatchObject([
      { isOk: true, model: "openai-compatible:llama3.2" },
      { isOk: false, model: "openai-compatible:gemma9", error: { code: "not_found" } },
    ]);
  });
});

describe("createModels by type", () => {
  it("makes what the vendor has, and lets its reasoning models think", () => {
    const { models } = createModels({ access: { openaiApiKey: KEY } }, options);
    expect(Object.keys(models).sort()).toEqual([
      "IMAGE",
      "IMAGE_DESCRIPTION",
      "REASONING_LARGE",
      "REASONING_SMALL",
      "TEXT_EMBEDDING",
      "TEXT_LARGE",
      "TEXT_SMALL",
      "TEXT_TOKENIZER",
      "TEXT_TO_SPEECH",
      "TRANSCRIPTION",
    ]);
    expect(models.REASONING_LARGE?.id).toBe("openai:gpt-6.1-terra");
    expect(models.TEXT_TOKENIZER?.id).toBe("tiktoken:o200k");
  });

  it("invents nothing without a vendor", () => {
    const { models } = createModels({}, options);
    expect(Object.keys(models).sort()).toEqual(["TEXT_LARGE", "TEXT_SMALL", "TEXT_TOKENIZER"]);
    expect(models.TEXT_TOKENIZER?.id).toBe("estimate:script");
  });

  it("asks each kind with its own settings, the character's before the environment's", async () => {
    const { url, requests } = await startOllama(["small", "large", "judge"]);
    const { models } = createModels(
      {
        access: { openaiBaseUrl: url },
        character: { maxTokens: 50, parameters: { objectLarge: { temperature: 0 } } },
        environment: {
          small: "small",
          large: "large",
          shouldRespond: "judge",
          temperature: 0.7,
          parameters: { small: { temperature: 0.1, reasoning: "low" }, objectLarge: { temperature: 1 } },
        },
      },
      options,
    );
    for (const type of ["TEXT_SMALL", "TEXT_LARGE", "OBJECT_LARGE", "SHOULD_RESPOND"] as const) {
      await hear(models[type]?.stream(ask()) ?? models.TEXT_LARGE.stream(ask()));
    }
    expect(models).not.toHaveProperty("REASONING_LARGE");
    expect(requests.map(({ body }) => JSON.parse(body))).toMatchObject([
      { model: "small", temperature: 0.1, max_tokens: 50, reasoning_effort: "low" },
      { model: "large", temperature: 0.7, max_tokens: 50 },
      { model: "large", temperature: 0, max_tokens: 50 },
      { model: "judge", temperature: 0.7, max_tokens: 50 },
    ]);
  });

  it("checks what was named, and not what a vendor happens to have", async () => {
    const { url } = await startOllama(["llama3.2"]);
    const settings = { access: { openaiBaseUrl: url }, environment: { large: "llama3.2", embedding: "bge-m3" } };
    const { check, describe: tell } = createModels(settings, options);
    expect(tell().others).toEqual({ embedding: "openai-compatible:bge-m3" });
    expect(await check(forever)).toMatchObject([
      { isOk: true, model: "openai-compatible:llama3.2" },
      { isOk: false, error: { message: expect.stringMatching(/no model bge-m3 .*TROUPE_EMBEDDING_MODEL/) } },
    ]);
  });
});

describe("checkModel", () => {
  it("names the model a server would choose", async () => {
    const { url } = await startOllama(["qwen3:8b"]);
    const check = await checkModel({ provider: "openai-compatible", baseUrl: url }, forever);
    expect(check).toEqual({ isOk: true, model: "openai-compatible:qwen3:8b", offered: ["qwen3:8b"] });
  });

  it("says that nobody listens, and where", async () => {
    const baseUrl = await unusedUrl();
    const check = await checkModel({ provider: "openai-compatible", baseUrl, name: "x" }, forever);
    expect(check).toMatchObject({
      isOk: false,
      error: { code: "unavailable", message: expect.stringContaining(baseUrl) },
    });
  });

  it("says which key is wrong", async () => {
    server = await startRaw((response) =>
      response.writeHead(401).end(JSON.stringify({ type: "error", error: { type: "authentication_error" } })),
    );
    const check = await checkModel(
      { provider: "anthropic", baseUrl: server.url, apiKey: KEY, name: "claude-haiku-5-5" },
      forever,
    );
    expect(check).toMatchObject({
      isOk: false,
      error: { code: "unauthorized", message: expect.stringContaining("ANTHROPIC_API_KEY") },
    });
    expect(server.requests[0]).toMatchObject({ url: "/v1/models?limit=1000", headers: { "x-api-key": KEY } });
  });

  it("knows an alias by its dated name", async () => {
    const { url } = await startOllama(["claude-haiku-4-5-20251001", "gpt-5.4-2026-03-05"]);
    for (const name of ["claude-haiku-4-5", "gpt-5.4"]) {
      expect(await checkModel({ provider: "openai", baseUrl: url, apiKey: KEY, name }, forever)).toMatchObject({
        isOk: true,
      });
    }
    expect(await checkModel({ provider: "openai", baseUrl: url, apiKey: KEY, name: "gpt-5" }, forever)).toMatchObject({
      isOk: false,
    });
  });

  it("does not take a web page for a model server", async () => {
    server = await startRaw((response) => response.end("<html>welcome</html>"));
    const check = await checkModel({ provider: "openai-compatible", baseUrl: server.url, name: "x" }, forever);
    expect(check).toMatchObject({ isOk: false, error: { code: "unavailable" } });
  });
});

it("lists models until it is called off", async () => {
  const controller = new AbortController();
  server = await startRaw(() => controller.abort());
  await expect(
    listModels({ provider: "openai-compatible", baseUrl: server.url }, controller.signal),
  ).rejects.toMatchObject({ code: "aborted" });
});
