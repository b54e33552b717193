import { afterEach, describe, expect, it } from "vitest";
import { startWire, type Wire, type WireRequest } from "./index.ts";

const open: Wire[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((wire) => wire.close()));
});

async function start(handle?: (request: WireRequest) => unknown): Promise<{ wire: Wire; applied: string[] }> {
  const applied: string[] = [];
  const wire = await startWire({
    handle(request) {
      applied.push(`${request.method} ${request.path}`);
      return { status: 200, body: handle ? handle(request) : { path: request.path } };
    },
  });
  open.push(wire);
  return { wire, applied };
}

describe("the wire", () => {
  it("reads JSON, forms and files", async () => {
    const { wire } = await start(({ body, files }) => ({
      body,
      files: files.map(({ field, name, bytes }) => [field, name, Buffer.from(bytes).toString()]),
    }));
    const json = { method: "POST", headers: { "content-type": "application/json" }, body: '{"a":1}' };
    expect(await (await fetch(`${wire.url}/x`, json)).json()).toEqual({ body: { a: 1 }, files: [] });
    const form = new FormData();
    form.set("name", "Ada");
    form.set("file", new File(["one"], "one.txt"));
    expect(await (await fetch(wire.url, { method: "POST", body: form })).json()).toEqual({
      body: { name: "Ada" },
      files: [["file", "one.txt", "one"]],
    });
    const url = { method: "POST", body: new URLSearchParams({ a: "ü" }) };
    expect(await (await fetch(wire.url, url)).json()).toEqual({ body: { a: "ü" }, files: [] });
  });

  it("refuses what it cannot read", async () => {
    const { wire, applied } = await start();
    const broken = { method: "POST", headers: { "content-type": "application/json" }, body: "{" };
    expect((await fetch(wire.url, broken)).status).toBe(400);
    expect(applied).toEqual([]);
  });

  it("decodes paths and keeps them as they came", async () => {
    const { wire } = await start();
    await fetch(`${wire.url}/messages/%40original?a=1&a=2`);
    expect(wire.requests[0]).toMatchObject({ path: "/messages/@original", target: "/messages/%40original?a=1&a=2" });
    expect(wire.requests[0]?.query.getAll("a")).toEqual(["1", "2"]);
  });
});

describe("faults", () => {
  it("answer instead, as often as told and after as many as told", async () => {
    const { wire, applied } = await start();
    wire.faults.add({ match: "GET /a/*", times: 2, after: 1, fault: { type: "answer", answer: { status: 503 } } });
    const statuses = [];
    for (const path of ["/a/1", "/b/1", "/a/2", "/a/3", "/a/4"]) statuses.push((await fetch(wire.url + path)).status);
    expect(statuses).toEqual([200, 200, 503, 503, 200]);
    expect(applied).toEqual(["GET /a/1", "GET /b/1", "GET /a/4"]);
  });

  it("cut the connection before or after the server did it", async () => {
    const { wire, applied } = await start();
    wire.faults.add({ match: "GET /before", fault: { type: "drop", when: "before" } });
    wire.faults.add({ match: "GET /after", fault: { type: "drop", when: "after" } });
    await expect(fetch(`${wire.url}/before`)).rejects.toThrow();
    await expect(fetch(`${wire.url}/after`)).rejects.toThrow();
    expect(applied).toEqual(["GET /after"]);
  });

  it("hold the answer back for ever, and a close ends even that", async () => {
    const { wire, applied } = await start();
    wire.faults.add({ match: "**", fault: { type: "hang", when: "after" } });
    const asked = expect(fetch(wire.url)).rejects.toThrow();
    while (applied.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await wire.close();
    await asked;
  });

  it("do it twice and answer once, or answer that it failed although it was done", async () => {
    const { wire, applied } = await start();
    wire.faults.add({ match: "POST /**", fault: { type: "duplicate" } });
    wire.faults.add({ match: "POST /**", fault: { type: "answer", answer: { status: 502 }, isApplied: true } });
    expect((await fetch(`${wire.url}/a/b`, { method: "POST" })).status).toBe(200);
    expect((await fetch(`${wire.url}/a/b`, { method: "POST" })).status).toBe(502);
    expect(applied).toEqual(["POST /a/b", "POST /a/b", "POST /a/b"]);
  });

  it("are taken back one by one or all at once", async () => {
    const { wire } = await start();
    const fault = { type: "answer", answer: { status: 500 } } as const;
    wire.faults.add({ match: "GET /x", times: Number.POSITIVE_INFINITY, fault })();
    expect((await fetch(`${wire.url}/x`)).status).toBe(200);
    wire.faults.add({ match: (request) => request.path === "/x", times: 9, fault });
    expect((await fetch(`${wire.url}/x`)).status).toBe(500);
    wire.faults.clear();
    expect((await fetch(`${wire.url}/x`)).status).toBe(200);
  });
});
