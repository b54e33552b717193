import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type FetchDocumentOptions, fetchDocument } from "./fetch-document.ts";
import { isPublicAddress } from "./public-address.ts";
import { publicFetch } from "./public-fetch.ts";

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server on TCP always has an address of this shape.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const fetchHere = (url: string, options: FetchDocumentOptions = {}) =>
  fetchDocument(url, { allowPrivate: true, ...options });

describe("fetchDocument", () => {
  it("gives bytes, type, name and what the next request needs", async () => {
    const origin = await serve((_request, response) => {
      response.writeHead(200, {
        "content-type": "text/html; charset=shift_jis",
        etag: '"1"',
        "last-modified": "Mon, 01 Jan 2024 00:00:00 GMT",
      });
      response.end("hello");
    });
    expect(await fetchHere(`${origin}/docs/the%20guide.html?v=1`)).toEqual({
      type: "fetched",
      url: `${origin}/docs/the%20guide.html?v=1`,
      bytes: Buffer.from("hello"),
      mediaType: "text/html; charset=shift_jis",
      name: "the guide.html",
      etag: '"1"',
      lastModified: "Mon, 01 Jan 2024 00:00:00 GMT",
    });
  });

  it("takes a name from the answer, never a path", async () => {
    const origin = await serve((_request, response) => {
      response.writeHead(200, { "content-disposition": 'attachment; filename="../../plan.pdf"' }).end("x");
    });
    expect(await fetchHere(origin)).toMatchObject({ name: "plan.pdf" });
  });

  it("asks only for what has changed", async () => {
    const origin = await serve((request, response) => {
      const isKnown = request.headers["if-none-match"] === '"1"' && request.headers["if-modified-since"] === "then";
      response.writeHead(isKnown ? 304 : 200).end();
    });
    expect(await fetchHere(`${origin}/`, { etag: '"1"', lastModified: "then" })).toEqual({
      type: "unchanged",
      url: `${origin}/`,
    });
  });

  it("follows redirects, as many as allowed", async () => {
    const origin = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end("there");
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    expect(await fetchHere(`${origin}/5`)).toMatchObject({ url: `${origin}/0`, bytes: Buffer.from("there") });
    await expect(fetchHere(`${origin}/6?key=secret`)).rejects.toMatchObject({
      problem: "refused",
      message: `"${origin}/6" leads on more than 5 times (redirects): name where it ends`,
    });
  });

  it("stops at the limit of size, whether the server claims it, lies or says nothing", async () => {
    const origin = await serve((request, response) => {
      if (request.url === "/claim") response.writeHead(200, { "content-length": "1000000000" }).write("x");
      else {
        const timer = setInterval(() => response.write("x".repeat(1_000)), 1);
        response.on("close", () => clearInterval(timer));
      }
    });
    await expect(fetchHere(`${origin}/claim`)).rejects.toMatchObject({
      problem: "too-large",
      message: expect.stringMatching(/is 1 GB long and the limit is 20 MB \(sizeBytes\)/u),
    });
    await expect(fetchHere(`${origin}/endless`, { limits: { sizeBytes: 5_000 } })).rejects.toMatchObject({
      problem: "too-large",
      message: expect.stringMatching(/longer than it says and the limit is 5000 bytes/u),
    });
  });

  it("gives up when time is over, or when called off, in the middle of an answer", async () => {
    const controller = new AbortController();
    const origin = await serve((request, response) => {
      response.write("begin");
      if (request.url === "/abort") controller.abort();
    });
    await expect(fetchHere(`${origin}/slow`, { limits: { timeMs: 30 } })).rejects.toMatchObject({
      problem: "timeout",
      code: "timeout",
    });
    await expect(fetchHere(`${origin}/abort`, { signal: controller.signal })).rejects.toMatchObject({
      problem: "aborted",
    });
  });

  it.each([
    [401, {}, "unauthorized", undefined],
    [404, {}, "not-found", undefined],
    [400, {}, "refused", undefined],
    [429, { "retry-after": "7" }, "unavailable", 7_000],
    [
      503,
      { "retry-after": "Mon, 01 Jan 2024 00:00:09 GMT", date: "Mon, 01 Jan 2024 00:00:00 GMT" },
      "unavailable",
      9_000,
    ],
  ])("says what a status of %d means", async (status, headers, problem, retryAfterMs) => {
    const origin = await serve((_request, response) => void response.writeHead(status, headers).end("no"));
    await expect(fetchHere(`${origin}/a?token=secret`)).rejects.toMatchObject({
      problem,
      retryAfterMs,
      message: expect.stringMatching(
        new RegExp(`^"${origin}/a" .*\\(status ${status}\\)|^"${origin}/a" was answered with status`, "u"),
      ),
    });
  });

  it("says when nobody answers", async () => {
    const origin = await serve(() => undefined);
    await new Promise((resolve) => servers.pop()?.close(resolve));
    await expect(fetchHere(origin)).rejects.toMatchObject({
      problem: "unavailable",
      code: "unavailable",
      message: expect.stringMatching(/cannot be reached/u),
    });
  });

  it.each(["file:///etc/passwd", "ftp://example.org/a", "not an address", "https://user:pass@example.org/"])(
    "refuses %s",
    async (url) => {
      const error = await fetchDocument(url).catch((caught: Error) => caught);
      expect(error).toMatchObject({ problem: "refused" });
      expect(error).not.toMatchObject({ message: expect.stringMatching(/passwd|user:pass/u) });
    },
  );

  it.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://[::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://169.254.169.254/latest",
  ])("refuses %s without asking", async (url) => {
    const fetch = () => Promise.reject(new Error("asked"));
    await expect(fetchDocument(url, { fetch })).rejects.toMatchObject({
      problem: "refused",
      message: expect.stringMatching(/private or local address.*\(allowPrivate\)/u),
    });
  });

  it("refuses names of private addresses, and redirects to them", async () => {
    const resolve = async (host: string) =>
      host === "inside.example" ? ["93.184.216.34", "10.0.0.7"] : ["93.184.216.34"];
    const fetch = async () => new Response(null, { status: 302, headers: { location: "http://inside.example/admin" } });
    await expect(fetchDocument("http://inside.example/", { resolve, fetch })).rejects.toMatchObject({
      problem: "refused",
    });
    await expect(fetchDocument("http://outside.example/", { resolve, fetch })).rejects.toMatchObject({
      problem: "refused",
      message: expect.stringMatching(/"http:\/\/inside\.example\/admin"/u),
    });
  });

  it("refuses a name that turns private between the check and the connection", async () => {
    const origin = await serve((_request, response) => void response.end("inside"));
    const url = origin.replace("127.0.0.1", "localhost");
    await expect(fetchDocument(url, { resolve: async () => ["93.184.216.34"] })).rejects.toMatchObject({
      problem: "refused",
    });
    const direct = publicFetch(origin, { headers: {}, signal: new AbortController().signal, redirect: "manual" });
    await expect(direct).rejects.toMatchObject({ problem: "refused" });
  });
});

describe("isPublicAddress", () => {
  it.each(["93.184.216.34", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:2800:220:1::1", "2001:4860:4860::8888"])(
    "holds for %s",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.8.8.8",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "198.19.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "64:ff9b::a00:1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "not an address",
    "",
  ])("does not hold for %j", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
