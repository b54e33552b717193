import type { ErrorCode } from "@troupe/core";
import {
  imageContract,
  imageDescriptionContract,
  type MediaSituation,
  mediaBytes,
  mediaWords,
  speechContract,
  transcriptionContract,
} from "@troupe/core/testing/contracts";
import { afterEach, describe, expect, it } from "vitest";
import { createImageDescriptionModel } from "./image-description.ts";
import { createImageModel, createSpeechModel, createTranscriptionModel } from "./media-models.ts";
import type { ModelSpec, ProviderName } from "./spec.ts";
import { type OneShotServer, type Reply, startOneShot } from "./testing/one-shot-server.ts";
import { createSetClock } from "./testing/set-clock.ts";
import { KEY } from "./testing/vendor-server.ts";
import { wireSaying } from "./testing/wires.ts";

const STATUS: Partial<Record<ErrorCode, number>> = { unauthorized: 401, not_found: 404, unavailable: 503 };
const forever = new AbortController().signal;
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

let server: OneShotServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const options = (attempts = 3) => ({ clock: createSetClock(50_000), random: () => 0.5, retry: { attempts } });
const specAt = (provider: ProviderName, name: string, url: string): ModelSpec => ({
  provider,
  name,
  baseUrl: `${url}/v1`,
  apiKey: KEY,
});

/** A server in a situation, where `right` is the right answer and `empty` one with nothing in it. */
async function inSituation(situation: MediaSituation, right: Reply, empty: Reply): Promise<OneShotServer> {
  return startOneShot(() => {
    switch (situation.kind) {
      case "answers":
        return right;
      case "empty":
        return empty;
      case "garbage":
        return { bytes: "<html>welcome</html>", mediaType: "text/html" };
      case "hangs":
        return { isSilent: true };
      case "fails":
        return { status: STATUS[situation.code] ?? 500 };
    }
  });
}

for (const provider of ["openai", "anthropic", "openai-compatible"] as const) {
  imageDescriptionContract(`${provider} over HTTP`, {
    async open(situation) {
      const sse = (text: string): Reply => ({ bytes: wireSaying(provider, text), mediaType: "text/event-stream" });
      const own = await inSituation(situation, sse(mediaWords), sse(""));
      const model = createImageDescriptionModel(specAt(provider, "gpt-6-luna", own.url), options(1));
      return { model, close: () => own.close() };
    },
  });
}

for (const provider of ["openai", "openai-compatible"] as const) {
  transcriptionContract(`${provider} over HTTP`, {
    async open(situation) {
      const own = await inSituation(situation, { json: { text: ` ${mediaWords}\n` } }, { json: { text: "" } });
      const model = createTranscriptionModel(specAt(provider, "gpt-4o-mini-transcribe", own.url), options(1));
      return { model, close: () => own.close() };
    },
  });
  speechContract(`${provider} over HTTP`, {
    async open(situation) {
      const right = { bytes: mediaBytes, mediaType: "audio/mpeg" };
      const own = await inSituation(situation, right, { bytes: new Uint8Array(), mediaType: "audio/mpeg" });
      const model = createSpeechModel(specAt(provider, "tts-1", own.url), options(1));
      return { model, close: () => own.close() };
    },
  });
  imageContract(`${provider} over HTTP`, {
    async open(situation) {
      const own = await inSituation(
        situation,
        { json: { created: 1, data: [{ b64_json: base64(mediaBytes) }] } },
        { json: { created: 1, data: [{ b64_json: "" }] } },
      );
      const model = createImageModel(specAt(provider, "gpt-image-2", own.url), options(1));
      return { model, close: () => own.close() };
    },
  });
}

describe("an image description", () => {
  it.each(["openai", "anthropic", "openai-compatible"] as const)(
    "shows %s the bytes and asks in words",
    async (provider) => {
      server = await startOneShot(() => ({ bytes: wireSaying(provider, "A cat."), mediaType: "text/event-stream" }));
      const model = createImageDescriptionModel(specAt(provider, "gpt-6-luna", server.url), options());
      await model.describe({ bytes: mediaBytes, mediaType: "image/jpg", prompt: "Who is it?", signal: forever });
      const body = server.requests[0]?.body ?? "";
      expect(body).toContain(base64(mediaBytes));
      expect(body).toContain("image/jpeg");
      expect(body).toContain("Who is it?");
    },
  );
});

describe("a transcription", () => {
  it("sends the recording and its language, and tells what it cost by tokens", async () => {
    const usage = {
      type: "tokens",
      input_tokens: 1_000,
      input_token_details: { audio_tokens: 900 },
      output_tokens: 100,
    };
    server = await startOneShot(() => ({ json: { text: "Hallo", usage } }));
    const model = createTranscriptionModel(specAt("openai", "gpt-4o-mini-transcribe", server.url), options());
    const answer = await model.transcribe({
      bytes: mediaBytes,
      mediaType: "audio/ogg",
      language: "de",
      signal: forever,
    });
    expect(answer).toMatchObject({
      text: "Hallo",
      usage: { inputTokens: 1_000, outputTokens: 100 },
      costMicrousd: 900 * 3 + 100 * 1.25 + 100 * 5,
    });
    expect(server.requests[0]).toMatchObject({ url: "/v1/audio/transcriptions" });
    expect(server.requests[0]?.body).toContain('name="language"\r\n\r\nde');
    expect(server.requests[0]?.body).toContain(Buffer.from(mediaBytes).toString("latin1"));
  });

  it("tells language and length where the vendor does, and the cost by the minute", async () => {
    server = await startOneShot(() => ({ json: { text: "Hallo", language: "german", duration: 90 } }));
    const model = createTranscriptionModel(specAt("openai", "whisper-1", server.url), options());
    const answer = await model.transcribe({ bytes: mediaBytes, mediaType: "audio/mpeg", signal: forever });
    expect(answer).toMatchObject({ language: "de", durationMs: 90_000, costMicrousd: 9_000 });
  });

  it("is tried again after 5xx, and says so", async () => {
    server = await startOneShot((_request, call) => (call === 0 ? { status: 503 } : { json: { text: "Hallo" } }));
    const model = createTranscriptionModel(specAt("openai", "gpt-transcribe", server.url), options());
    const answer = await model.transcribe({ bytes: mediaBytes, mediaType: "audio/mpeg", signal: forever });
    expect(answer.notes).toMatchObject([{ type: "retry" }]);
    // Its price is not known, but this server is our own.
    expect(answer.costMicrousd).toBe(0);
  });
});

describe("speech", () => {
  it("uses the voice that is set unless another is asked for, and costs by the sign", async () => {
    server = await startOneShot(() => ({ bytes: mediaBytes, mediaType: "audio/mpeg" }));
    const model = createSpeechModel(specAt("openai", "tts-1", server.url), { ...options(), voice: "nova" });
    const { costMicrousd } = await model.speak({ text: "Grüß Gott", mediaType: "audio/ogg", signal: forever });
    await model.speak({ text: "Hi", voice: "echo", signal: forever });
    expect(costMicrousd).toBe(9 * 15);
    expect(server.requests.map(({ body }) => JSON.parse(Buffer.from(body, "latin1").toString()))).toMatchObject([
      { voice: "nova", input: "Grüß Gott", response_format: "opus" },
      { voice: "echo", response_format: "mp3" },
    ]);
  });

  it("refuses a format it does not know by its name", async () => {
    const model = createSpeechModel(specAt("openai", "tts-1", "http://127.0.0.1:9"), options());
    await expect(model.speak({ text: "Hi", mediaType: "audio/midi", signal: forever })).rejects.toThrow(/audio\/mpeg/);
  });
});

describe("a drawing", () => {
  it("is told what it is, whatever was asked for, and refuses a size that is none", async () => {
    const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2]);
    server = await startOneShot(() => ({ json: { data: [{ b64_json: base64(jpeg) }] } }));
    const model = createImageModel(specAt("openai-compatible", "flux", server.url), options());
    const { mediaType, bytes } = await model.draw({ prompt: "a cat", size: "512x512", signal: forever });
    expect([mediaType, [...bytes]]).toEqual(["image/jpeg", [...jpeg]]);
    expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({ prompt: "a cat", size: "512x512", n: 1 });
    await expect(model.draw({ prompt: "a cat", size: "big", signal: forever })).rejects.toThrow(
      /write it like 1024x1024/,
    );
  });

  it("is not made by Anthropic", () => {
    const spec = { provider: "anthropic", name: "claude-haiku-5-5", apiKey: KEY } as const;
    expect(() => createImageModel(spec, options())).toThrow(/Anthropic makes no speech or pictures/);
  });
});
