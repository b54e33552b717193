import type { LLMock } from "@copilotkit/aimock";
import type { LanguageModel, ModelRequest } from "@troupe/core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createLanguageModel } from "./language-model.ts";
import type { ProviderName } from "./spec.ts";
import { type CallsAnswer, callsWire } from "./testing/call-wires.ts";
import { createSetClock } from "./testing/set-clock.ts";
import {
  ask,
  type Heard,
  hear,
  type RawServer,
  specAt,
  startRaw,
  startVendors,
  WEATHER,
} from "./testing/vendor-server.ts";

const PROVIDERS: readonly ProviderName[] = ["openai", "anthropic", "openai-compatible"];

const open = (provider: ProviderName, url: string): LanguageModel =>
  createLanguageModel(specAt(provider, url), {
    clock: createSetClock(50_000),
    random: () => 0,
    retry: { attempts: 1 },
  });

const asked: ModelRequest = { ...ask("Weather?"), tools: [WEATHER] };
const toGraz = { name: "GET_WEATHER", raw: '{"place":"Graz"}' };
const summary = ({ text, calls, finish, error }: Heard): object => ({
  text,
  calls: calls.map(({ name, input }) => ({ name, input })),
  reason: finish?.reason,
  error,
});

describe.each(PROVIDERS)("%s, calling tools on a mock of its wire", (provider) => {
  let vendors: LLMock;
  beforeAll(async () => {
    vendors = await startVendors();
  });
  afterEach(() => vendors.reset());
  afterAll(() => vendors.stop());

  it("offers the tools", async () => {
    vendors.onMessage("Weather?", { content: "Sunny." });
    const heard = await hear(open(provider, vendors.url).stream(asked));
    expect(summary(heard)).toEqual({ text: "Sunny.", calls: [], reason: "stop", error: undefined });
    const body = vendors.getRequests()[0]?.body as Readonly<Record<string, unknown>>;
    const tools = JSON.stringify(body["tools"]);
    for (const part of ["GET_WEATHER", "What the weather is like", '"place"', '"required":["place"]']) {
      expect(tools).toContain(part);
    }
  });

  it("says of every list what is in it", async () => {
    vendors.onMessage("Weather?", { content: "Sunny." });
    const list = { type: "array" };
    const properties = { places: list, trip: { type: "object", properties: { legs: { type: "array", items: list } } } };
    const tool = { ...WEATHER, parameters: { type: "object", properties } };
    await hear(open(provider, vendors.url).stream({ ...asked, tools: [tool] }));
    const tools = JSON.stringify((vendors.getRequests()[0]?.body as Readonly<Record<string, unknown>>)["tools"]);
    const filled = '{"type":"array","items":{}}';
    expect(tools).toContain(`"places":${filled}`);
    expect(tools).toContain(`"legs":{"type":"array","items":${filled}}`);
  });

  it("offers none when there are none", async () => {
    vendors.onMessage("Weather?", { content: "Sunny." });
    await hear(open(provider, vendors.url).stream({ ...asked, tools: [] }));
    expect(vendors.getRequests()[0]?.body).not.toMatchObject({ tools: expect.anything() });
    expect(vendors.getRequests()[0]?.body).not.toMatchObject({ tool_choice: expect.anything() });
  });

  it.each<readonly [string, string, readonly string[]]>([
    ["one call", "", ["Graz"]],
    ["two parallel calls", "", ["Graz", "東京"]],
    ["words and a call", "Let me look.", ["Graz"]],
  ])("tells %s", async (_title, text, places) => {
    const toolCalls = places.map((place) => ({ name: "GET_WEATHER", arguments: JSON.stringify({ place }) }));
    vendors.onMessage("Weather?", text === "" ? { toolCalls } : { content: text, toolCalls });
    const heard = await hear(open(provider, vendors.url).stream(asked));
    expect(summary(heard)).toEqual({
      text,
      calls: places.map((place) => ({ name: "GET_WEATHER", input: { place } })),
      reason: "tool-calls",
      error: undefined,
    });
    expect(new Set(heard.calls.map(({ id }) => id)).size).toBe(places.length);
  });

  it("tells a call of a tool nobody offered", async () => {
    vendors.onMessage("Weather?", { toolCalls: [{ name: "launch_it", arguments: '{"now":true}' }] });
    const { calls, error } = await hear(open(provider, vendors.url).stream(asked));
    expect([calls.map(({ name, input }) => [name, input]), error]).toEqual([[["launch_it", { now: true }]], undefined]);
  });

  it("names the remedy when the model takes no tools", async () => {
    vendors.onMessage("Weather?", { error: { message: "gemma does not support tools" }, status: 400 });
    const { error } = await hear(open(provider, vendors.url).stream(asked));
    expect(error).toMatchObject({ code: "invalid", message: expect.stringContaining('responseFormat: "json"') });
  });

  it("refuses a tool's name that vendors refuse before it asks anybody", async () => {
    const { error } = await hear(
      open(provider, vendors.url).stream({ ...asked, tools: [{ ...WEATHER, name: "GET WEATHER" }] }),
    );
    expect(error).toMatchObject({ code: "invalid", message: expect.stringContaining('"GET WEATHER"') });
    expect(vendors.getRequests()).toEqual([]);
  });
});

describe.each(PROVIDERS)("%s, calling tools byte by byte", (provider) => {
  let server: RawServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  async function answer(wire: string, request: ModelRequest = asked): Promise<Heard> {
    server = await startRaw((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(wire);
    });
    return hear(open(provider, server.url).stream(request));
  }

  const tell = async (said: CallsAnswer): Promise<object> => summary(await answer(callsWire(provider, said)));

  it.each(['{"place":"Gr', '{"place":"Graz"', "{", ""])(
    "drops a call that the token limit cut, and keeps the ones before it: %s",
    async (raw) => {
      expect(await tell({ text: "Hm.", calls: [toGraz, { name: "PAY", raw }], isCut: true })).toEqual({
        text: "Hm.",
        calls: [{ name: "GET_WEATHER", input: { place: "Graz" } }],
        reason: "length",
        error: undefined,
      });
    },
  );

  it("leaves the choice to the model", async () => {
    await tell({ text: "", calls: [toGraz] });
    expect(server?.requests[0]?.body).toMatch(/"tool_choice":("auto"|\{"type":"auto"\})/);
  });

  it("keeps a call that was whole when the token limit came", async () => {
    expect(await tell({ text: "", calls: [toGraz], isCut: true })).toMatchObject({
      calls: [{ name: "GET_WEATHER", input: { place: "Graz" } }],
      reason: "length",
    });
  });

  it.each([
    ["{'place': 'Graz',}", { place: "Graz" }],
    ['{"place":"a\nb"}', { place: "a\nb" }],
    ['{"id":12345678901234567890}', { id: "12345678901234567890" }],
    ['"{\\"place\\":\\"Graz\\"}"', { place: "Graz" }],
    ["", {}],
    ['{"place":', null],
    ["Graz", null],
    ["[1]", null],
  ])("reads arguments as models write them, or tells that it cannot: %s", async (raw, input) => {
    expect(await tell({ text: "", calls: [{ name: "GET_WEATHER", raw }, toGraz] })).toMatchObject({
      calls: [
        { name: "GET_WEATHER", input },
        { name: "GET_WEATHER", input: { place: "Graz" } },
      ],
      reason: "tool-calls",
      error: undefined,
    });
  });

  it("tells the last call as unreadable when nothing cut it", async () => {
    const { calls } = await answer(callsWire(provider, { text: "", calls: [{ name: "PAY", raw: '{"amount":1' }] }));
    expect(calls).toMatchObject([{ name: "PAY", input: null, raw: '{"amount":1' }]);
  });

  it("goes on speaking behind a call", async () => {
    const said = { text: "Before, ", calls: [toGraz], after: "after." };
    expect(await tell(said)).toMatchObject({ text: "Before, after.", calls: [{ name: "GET_WEATHER" }] });
  });

  it("tells nothing of a call in which the stream broke off", async () => {
    const whole = callsWire(provider, { text: "Hm.", calls: [{ name: "PAY", raw: '{"amount":100}' }] });
    const { text, calls, finish, error } = await answer(
      whole.slice(0, whole.lastIndexOf("\n\n", whole.indexOf("mou")) + 2),
    );
    expect([text, calls, finish]).toEqual(["Hm.", [], undefined]);
    expect(error).toMatchObject({ code: "unavailable" });
  });

  it("makes no call behind a stop word that is minded here", async () => {
    const wire = callsWire(provider, { text: "Done. STOP", calls: [toGraz] });
    const { text, calls } = await answer(wire, { ...asked, stop: ["STOP"] });
    // The others mind stop words themselves.
    if (provider === "openai") expect([text, calls]).toEqual(["Done. ", []]);
    else expect(server?.requests[0]?.body).toContain("STOP");
  });
});
