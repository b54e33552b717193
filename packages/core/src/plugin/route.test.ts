import { afterEach, describe, expect, it } from "vitest";
import { ValidationError } from "../errors.ts";
import { type Log, silentLog } from "../log.ts";
import { createStages } from "../testing/stage.ts";
import { createTestRuntime } from "../testing/test-runtime.ts";
import type { Plugin } from "./plugin.ts";
import type { Route } from "./route.ts";

const stages = createStages();
afterEach(() => stages.close());

const base = "http://127.0.0.1";
const route = (path: string, handler: Route["handler"], more: Partial<Route> = {}): Route => ({
  method: "GET",
  path,
  handler,
  ...more,
});
const shop = (...routes: readonly Route[]): Plugin => ({ name: "shop", routes });
const post = (path: string, body: string): Request => new Request(`${base}${path}`, { method: "POST", body });

async function asking(plugin: Plugin, ...requests: readonly (Request | string)[]) {
  const errors: unknown[] = [];
  const log: Log = { ...silentLog, error: (fields, text) => errors.push([text, fields]), child: () => log };
  const { request, close } = await createTestRuntime({ plugins: [plugin], log });
  const told: { status: number; text: string; headers: Headers }[] = [];
  for (const one of requests) {
    const response = await request(typeof one === "string" ? new Request(`${base}${one}`) : one);
    told.push({ status: response.status, text: await response.text(), headers: response.headers });
  }
  await close();
  return { told, errors };
}

describe("a route", () => {
  it("answers under its plugin's name with what its handler gives", async () => {
    const { told } = await asking(
      shop(
        route("/", () => "open"),
        route("/orders", ({ query }) => ({ page: query.get("page") })),
        route("/none", () => undefined),
        route("/raw", () => new Response("made", { status: 201, headers: { "x-own": "1" } })),
      ),
      "/shop",
      "/shop/orders/?page=2",
      "/shop/none",
      "/shop/raw",
    );
    expect(told.map(({ status, text }) => [status, text])).toEqual([
      [200, "open"],
      [200, '{"page":"2"}'],
      [204, ""],
      [201, "made"],
    ]);
    expect(told[1]?.headers.get("content-type")).toMatch(/^application\/json/);
    expect(told[3]?.headers.get("x-own")).toBe("1");
  });

  it("is told the pieces of its path, decoded, and yields to one that names them", async () => {
    const { told } = await asking(
      shop(
        route("/:kind/:id", ({ parameters }) => parameters),
        route("/orders/:id", ({ parameters: { id } }) => `order ${id}`),
        route("/orders/new", () => "a new one"),
      ),
      "/shop/orders/new",
      "/shop/orders/a%2Fb%20c",
      "/shop/people/7",
      "/shop/people/%ZZ",
      "/shop/people/",
    );
    expect(told.map(({ text }) => text).slice(0, 3)).toEqual([
      "a new one",
      "order a/b c",
      '{"kind":"people","id":"7"}',
    ]);
    expect(told.map(({ status }) => status).slice(3)).toEqual([400, 404]);
  });

  it("that is not there is not told from a plugin that is not there", async () => {
    const { told } = await asking(shop(route("/secret/door", () => "in")), "/shop/secret", "/other/secret", "/");
    expect(new Set(told.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['404 {"error":"There is nothing here."}']),
    );
  });

  it("says how it may be asked when it is asked otherwise", async () => {
    const routes = shop(
      route("/x", () => "got"),
      route("/x", () => "put", { method: "PUT" }),
    );
    const { told } = await asking(
      routes,
      new Request(`${base}/shop/x`, { method: "DELETE" }),
      new Request(`${base}/shop/x`, { method: "OPTIONS" }),
      new Request(`${base}/shop/x`, { method: "HEAD" }),
      new Request(`${base}/shop/x`, { method: "PUT" }),
    );
    expect(told.map(({ status, text }) => [status, text])).toEqual([
      [405, '{"error":"This cannot be done here."}'],
      [204, ""],
      [200, ""],
      [200, "put"],
    ]);
    expect(told[0]?.headers.get("allow")).toBe("GET, HEAD, PUT, OPTIONS");
  });

  it("that throws is 500 without a word, and a line in the log; a ValidationError is 400 with its words", async () => {
    const { told, errors } = await asking(
      shop(
        route("/broken", () => {
          throw new Error("the key is hunter2");
        }),
        route("/odd", () => (() => 1) as never),
        route("/wrong", () => {
          throw new ValidationError("Say how many.");
        }),
      ),
      "/shop/broken",
      "/shop/odd",
      "/shop/wrong",
    );
    expect(told.map(({ status, text }) => [status, text])).toEqual([
      [500, '{"error":"Something went wrong."}'],
      [500, '{"error":"Something went wrong."}'],
      [400, '{"error":"Say how many."}'],
    ]);
    expect(errors).toEqual([
      ["a route failed", { route: "GET /shop/broken", error: "the key is hunter2" }],
      ["a route failed", { route: "GET /shop/odd", error: expect.stringContaining("neither a Response nor JSON") }],
    ]);
  });

  it("takes bodies up to its limit, also of those that do not say how long they are", async () => {
    const endless = () =>
      new Request(`${base}/shop/echo`, {
        method: "POST",
        body: new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(4)) }),
        duplex: "half",
      } as RequestInit);
    const echo = route("/echo", async ({ json }) => json(), { method: "POST", maxBodyBytes: 10 });
    const ignoring = route("/ignore", () => "fine", { method: "POST", maxBodyBytes: 10 });
    const { told } = await asking(
      shop(echo, ignoring),
      post("/shop/echo", '{"a":1}'),
      post("/shop/echo", '"0123456789"'),
      endless(),
      post("/shop/echo", "{"),
      new Request(`${base}/shop/ignore`, { method: "POST", body: "0123456789+", headers: { "content-length": "11" } }),
    );
    expect(told.map(({ status, text }) => [status, text])).toEqual([
      [200, '{"a":1}'],
      [413, '{"error":"The body is larger than 10 bytes."}'],
      [413, '{"error":"The body is larger than 10 bytes."}'],
      [400, '{"error":"The body is no JSON."}'],
      [413, '{"error":"The body is larger than 10 bytes."}'],
    ]);
  });

  it("that takes too long is 504, and called off", async () => {
    let aborted = false;
    const slow = route(
      "/slow",
      ({ signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => (aborted = true));
        }),
      { timeoutMs: 50 },
    );
    const { request, clock, close } = await createTestRuntime({ plugins: [shop(slow)] });
    const asked = request(new Request(`${base}/shop/slow`));
    await clock.advance(50);
    expect((await asked).status).toBe(504);
    expect(aborted).toBe(true);
    await close();
  });

  it("keeps what it remembers apart from request to request", async () => {
    const remember = route("/note", async (_request, { memories }) => {
      const { id } = await memories.create({ roomId: "r", entityId: "e", type: "fact", content: { text: "same" } });
      return { id };
    });
    const { told } = await asking(shop(remember), "/shop/note", "/shop/note");
    expect(told[0]?.text).not.toBe(told[1]?.text);
  });

  it.each<[string, Partial<Route>, RegExp]>([
    ["an unknown method", { method: "FETCH" as never }, /unknown method; use one of GET, POST/],
    ["a path that is none", { path: "orders" }, /GET orders of shop has no usable path/],
    ["a path with the same name twice", { path: "/:a/:a" }, /no usable path/],
    ["a path that climbs", { path: "/../x" }, /no usable path/],
    ["no handler", { handler: "x" as never }, /has no handler/],
    ["no time", { timeoutMs: 0 }, /timeoutMs that is no time/],
    ["a broken limit", { maxBodyBytes: -1 }, /maxBodyBytes that is no number/],
  ])("with %s is refused with its plugin", async (_, change, reason) => {
    const wrong = shop({ ...route("/x", () => "x"), ...change });
    await expect(createTestRuntime({ plugins: [wrong] })).rejects.toThrow(reason);
  });

  it("that would answer what another answers is refused", async () => {
    const twice = shop(
      route("/:a", () => "a"),
      route("/:b", () => "b"),
    );
    await expect(createTestRuntime({ plugins: [twice] })).rejects.toThrow(
      /the route GET \/shop\/:, a name that is taken/,
    );
  });
});

it("an agent answers its plugins' routes until it stops", async () => {
  const { agent } = await stages.open({ script: [], plugins: [shop(route("/", (_, { agentId }) => agentId))] });
  const ask = () => agent.handleRoute(new Request(`${base}/shop`));
  expect(await (await ask()).text()).toBe(agent.agentId);
  await agent.stop(0);
  expect((await ask()).status).toBe(503);
});
