import type { EmbeddingModel, ErrorCode } from "@troupe/core";
import { type EmbeddingLie, embeddingModelContract } from "@troupe/core/testing/contracts";
import { afterEach, describe, expect, it } from "vitest";
import { createEmbeddingModel, type EmbeddingModelOptions } from "./embedding-model.ts";
import type { ProviderName } from "./spec.ts";
import { embeddingsWire, type Heard, type OneShotServer, type Reply, startOneShot } from "./testing/one-shot-server.ts";
import { createSetClock, type SetClock } from "./testing/set-clock.ts";
import { KEY, startVendors, unusedUrl } from "./testing/vendor-server.ts";

const PROVIDERS: readonly ProviderName[] = ["openai", "openai-compatible"];
const STATUS: Partial<Record<ErrorCode, number>> = { unauthorized: 401, not_found: 404, unavailable: 503 };
const NAME = "text-embedding-3-small";
const forever = new AbortController().signal;

let server: OneShotServer | undefined;
let clock: SetClock = createSetClock();

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const open = (provider: ProviderName, url: string, options: Partial<EmbeddingModelOptions> = {}): EmbeddingModel =>
  createEmbeddingModel(
    { provider, name: NAME, baseUrl: `${url}/v1`, apiKey: KEY, setBy: "TROUPE_EMBEDDING_MODEL" },
    { clock, random: () => 0.5, maxBatch: 4, ...options },
  );

function textsOf({ body }: Heard): readonly string[] {
  const { input } = JSON.parse(Buffer.from(body, "latin1").toString()) as { readonly input: readonly string[] };
  return input;
}

/** Answers as lying, broken and misconfigured servers give them, to two texts. */
const LIES: Readonly<Record<EmbeddingLie, Reply>> = {
  fewer: embeddingsWire([[1, 2]]),
  more: embeddingsWire([
    [1, 2],
    [1, 2],
    [1, 2],
  ]),
  "no-numbers": embeddingsWire([[], []]),
  "not-finite": embeddingsWire([
    [1, 1e39],
    [1, 2],
  ]),
  zero: embeddingsWire([
    [0, 0],
    [1, 2],
  ]),
  ragged: embeddingsWire([
    [1, 2],
    [1, 2, 3],
  ]),
  misplaced: { json: { data: [1, 2].map((value) => ({ index: 0, embedding: [value, 1] })) } },
  garbage: { bytes: "<html>welcome</html>", mediaType: "text/html" },
};

for (const provider of PROVIDERS) {
  embeddingModelContract(`${provider} over HTTP`, {
    canLie: true,
    async open(situation) {
      clock = createSetClock(50_000);
      const batches: number[] = [];
      const own = await startOneShot((request) => {
        switch (situation.kind) {
          case "embeds": {
            const texts = textsOf(request);
            batches.push(texts.length);
            return embeddingsWire(texts.map(situation.vectorOf));
          }
          case "hangs":
            return { isSilent: true };
          case "fails":
            return { status: STATUS[situation.code] ?? 500 };
          case "lies":
            return LIES[situation.lie];
        }
      });
      return { model: open(provider, own.url, { retry: { attempts: 1 } }), close: () => own.close(), batches };
    },
  });
}

async function serve(
  answer: (request: Heard, call: number) => Reply,
  options: Partial<EmbeddingModelOptions> = {},
  provider: ProviderName = "openai",
): Promise<EmbeddingModel> {
  clock = createSetClock(50_000);
  server = await startOneShot(answer);
  return open(provider, server.url, options);
}

const whole = (request: Heard): Reply => embeddingsWire(textsOf(request).map(() => [1, 2]));

describe("an embedding model", () => {
  it("speaks what OpenAI's own mock understands", async () => {
    const vendors = await startVendors();
    vendors.onEmbedding(/.*/, { embedding: [0.25, -0.5, 1] });
    const { vectors } = await open("openai", vendors.url).embed(["a", "b"], forever);
    expect(vectors.map((vector) => [...vector])).toEqual([
      [0.25, -0.5, 1],
      [0.25, -0.5, 1],
    ]);
    await vendors.stop();
  });

  it("counts tokens and cost over all requests", async () => {
    const model = await serve((request) =>
      embeddingsWire(
        textsOf(request).map(() => [1, 2]),
        1_000_000,
      ),
    );
    const answer = await model.embed(["a", "b", "c", "d", "e"], forever);
    expect(answer).toMatchObject({
      model: `openai:${NAME}`,
      usage: { inputTokens: 2_000_000, cachedInputTokens: 0, outputTokens: 0 },
      costMicrousd: 40_000,
    });
  });

  it("does not guess a cost where the server counts nothing", async () => {
    const uncounted = await serve(() => embeddingsWire([[1, 2]], null));
    expect(await uncounted.embed(["a"], forever)).not.toHaveProperty("costMicrousd", 40_000);
  });

  it("goes on after 429 and 5xx, as patiently as it is asked to, and says so", async () => {
    const model = await serve((request, call) =>
      call === 0 ? { status: 429, headers: { "retry-after": "7" } } : call === 1 ? { status: 502 } : whole(request),
    );
    const { notes } = await model.embed(["a"], forever);
    expect(notes).toMatchObject([
      { type: "retry", waitMs: 7_000 },
      { type: "retry", attempt: 2 },
    ]);
    expect(clock.skipped.filter((ms) => ms === 7_000)).toHaveLength(1);
  });

  it("goes on after a connection that was cut, and gives up after three", async () => {
    const mended = await serve((request, call) => (call === 0 ? { isCut: true } : whole(request)));
    expect((await mended.embed(["a"], forever)).vectors).toHaveLength(1);
    await server?.close();
    const broken = await serve(() => ({ isCut: true }));
    await expect(broken.embed(["a"], forever)).rejects.toMatchObject({ code: "unavailable" });
    expect(server?.requests).toHaveLength(3);
  });

  it("does not wait for a server that never answers", async () => {
    const arrived = Promise.withResolvers<void>();
    const model = await serve(
      () => {
        arrived.resolve();
        return { isSilent: true };
      },
      { timeouts: { attemptMs: 60_000 } },
    );
    const failing = model.embed(["a"], forever).catch((error: unknown) => error);
    await arrived.promise;
    clock.advance(60_000);
    expect(await failing).toMatchObject({ code: "timeout" });
  });

  it("puts vectors into the order the server names", async () => {
    const model = await serve(() => ({
      json: {
        data: [
          { index: 1, embedding: [2, 2] },
          { index: 0, embedding: [1, 1] },
        ],
      },
    }));
    const { vectors } = await model.embed(["first", "second"], forever);
    expect(vectors.map(([value]) => value)).toEqual([1, 2]);
  });

  it("asks for the length that is set, and refuses another", async () => {
    const model = await serve(whole, { dimensions: 2 });
    await model.embed(["a"], forever);
    expect(JSON.parse(server?.requests[0]?.body ?? "")).toMatchObject({ dimensions: 2, model: NAME });
    await server?.close();
    const other = await serve(() => embeddingsWire([[1, 2, 3]]), { dimensions: 2 });
    await expect(other.embed(["a"], forever)).rejects.toThrow(
      /3 numbers where 2 were expected.*TROUPE_EMBEDDING_MODEL/,
    );
  });

  it("refuses another length in a later request", async () => {
    const model = await serve((request, call) =>
      embeddingsWire(textsOf(request).map(() => (call === 0 ? [1] : [1, 2]))),
    );
    await expect(model.embed(["a", "b", "c", "d", "e"], forever)).rejects.toThrow(/2 numbers where 1 were expected/);
  });

  it("does not ask a lying server again, and names it", async () => {
    const model = await serve(() => embeddingsWire([[0, 0]]));
    await expect(model.embed(["a"], forever)).rejects.toThrow(
      new RegExp(`OpenAI at ${server?.url}/v1 sent a vector that is zero throughout for the model ${NAME}`),
    );
    expect(server?.requests).toHaveLength(1);
  });

  it("sends no more bytes at once than OpenAI reads", async () => {
    const model = await serve(whole);
    await model.embed(["x".repeat(200_000), "y".repeat(200_000), "z"], forever);
    expect(server?.requests.map((request) => textsOf(request).length)).toEqual([1, 2]);
  });

  it("sends no lone surrogates, and the key only as a header", async () => {
    const model = await serve(whole, {}, "openai-compatible");
    await model.embed(["half \ud83d"], forever);
    expect(server?.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(textsOf(server?.requests[0] ?? { url: "", headers: {}, body: "{}" })).toEqual(["half �"]);
  });

  it("says where nobody listens", async () => {
    clock = createSetClock(50_000);
    const url = await unusedUrl();
    await expect(open("openai-compatible", url).embed(["a"], forever)).rejects.toThrow(new RegExp(url));
  });

  it("says that Anthropic has none", () => {
    const spec = { provider: "anthropic", name: "claude-haiku-5-5", apiKey: KEY } as const;
    expect(() => createEmbeddingModel(spec, { clock, random: () => 0 })).toThrow(/Anthropic makes no embeddings/);
  });
});
