import { afterEach, expect, it } from "vitest";
import { createLanguageModel } from "./language-model.ts";
import type { ProviderName } from "./spec.ts";
import { type OneShotServer, type Reply, startOneShot } from "./testing/one-shot-server.ts";
import { createSetClock } from "./testing/set-clock.ts";
import { ask, hear, specAt } from "./testing/vendor-server.ts";
import { wireSaying } from "./testing/wires.ts";

const schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
} as const;

let server: OneShotServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const saying = (provider: ProviderName, text = '{"city":"Graz"}'): Reply => ({
  bytes: wireSaying(provider, text),
  mediaType: "text/event-stream",
});

async function askWith(provider: ProviderName, responseSchema: object, answer = () => saying(provider)) {
  server = await startOneShot(answer);
  const model = createLanguageModel(specAt(provider, server.url), { clock: createSetClock(50_000), random: () => 0 });
  const request = { ...ask(), responseSchema: responseSchema as never };
  const heard = await hear(model.stream(request));
  return { heard, model, request, bodies: server.requests.map(({ body }) => JSON.parse(body)) };
}

it("holds OpenAI to the schema, strictly where the schema allows it", async () => {
  const { heard, bodies } = await askWith("openai", schema);
  expect(heard.text).toBe('{"city":"Graz"}');
  expect(bodies[0].text.format).toMatchObject({ type: "json_schema", strict: true, schema: { required: ["city"] } });
  await server?.close();
  const { required: _required, ...loose } = schema;
  expect((await askWith("openai", loose)).bodies[0].text.format).toMatchObject({ strict: false });
});

it("holds every other server to the schema that takes one", async () => {
  const { bodies } = await askWith("openai-compatible", schema);
  expect(bodies[0].response_format).toMatchObject({ type: "json_schema", json_schema: { schema: { type: "object" } } });
});

it("gives Anthropic the schema, too", async () => {
  const { heard, bodies } = await askWith("anthropic", schema);
  expect(heard.text).toBe('{"city":"Graz"}');
  expect(JSON.stringify(bodies[0])).toContain('"city":{"type":"string"}');
});

it("sends no schema for what is no object", async () => {
  expect((await askWith("openai-compatible", { type: "array", items: {} })).bodies[0]).not.toHaveProperty(
    "response_format",
  );
});

it("asks a server that refuses schemas without one, now and from then on", async () => {
  let call = 0;
  const answer = (): Reply => (call++ === 0 ? { status: 400 } : saying("openai-compatible"));
  const { heard, model, request } = await askWith("openai-compatible", schema, answer);
  expect(heard.text).toBe('{"city":"Graz"}');
  await hear(model.stream(request));
  const bodies = server?.requests.map(({ body }) => JSON.parse(body)) ?? [];
  expect(bodies.map((body) => "response_format" in body)).toEqual([true, false, false]);
});

it("still says what is wrong when the request was refused for another reason", async () => {
  const { heard } = await askWith("openai-compatible", schema, () => ({ status: 400 }));
  expect(heard.error).toMatchObject({ code: "invalid" });
});

it("thinks as long as a request asks for", async () => {
  server = await startOneShot(() => saying("openai"));
  const options = { clock: createSetClock(50_000), random: () => 0, defaults: { reasoning: "low" } } as const;
  const model = createLanguageModel(specAt("openai", server.url), options);
  await hear(model.stream(ask()));
  await hear(model.stream({ ...ask(), reasoning: "high" }));
  expect(server.requests.map(({ body }) => JSON.parse(body).reasoning?.effort)).toEqual(["low", "high"]);
});
