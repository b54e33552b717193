import { describe, expect, it } from "vitest";
import { fatalClose, readFailure, toClientError, toSendResult } from "./errors.ts";

const coded = (code: string, extra: object = {}): Error => Object.assign(new Error(code), { code, ...extra });
const refused = (status: number, code: number, message = "No"): Error =>
  Object.assign(new Error(message), { name: `DiscordAPIError[${code}]`, status, code, rawError: { message, code } });

describe("what became of a send", () => {
  it.each([
    ["no connection", coded("ECONNREFUSED"), "not-sent", "could not be reached"],
    ["no name", coded("ENOTFOUND"), "not-sent", "could not be reached"],
    ["no connection in time", coded("UND_ERR_CONNECT_TIMEOUT"), "not-sent", "could not be reached"],
    ["a cut socket", coded("UND_ERR_SOCKET"), "unknown", "cut"],
    [
      "a reset, told by a cause",
      new TypeError("fetch failed", { cause: coded("ECONNRESET") }),
      "unknown",
      "ECONNRESET",
    ],
    [
      "no answer in time",
      Object.assign(new Error("This operation was aborted"), { name: "AbortError", code: 20 }),
      "unknown",
      "aborted",
    ],
    ["trouble at Discord", Object.assign(new Error("Bad Gateway"), { status: 502 }), "unknown", "502"],
    [
      "a limit",
      Object.assign(new Error("RateLimitError"), { name: "RateLimitError[/x]", retryAfter: 9_000, timeToReset: 1 }),
      "not-sent",
      "9 s",
    ],
    ["a limit nobody waits for", refused(429, 20016), "not-sent", "limit"],
    ["a revoked token", refused(401, 0), "not-sent", "DISCORD_API_TOKEN"],
    [
      "a token given up",
      new Error("Expected token to be set for this request, but none was present"),
      "not-sent",
      "DISCORD_API_TOKEN",
    ],
    ["a missing permission", refused(403, 50013), "rejected", "Send Messages"],
    ["no access", refused(403, 50001), "rejected", "View Channel"],
    ["closed direct messages", refused(403, 50007), "rejected", "no direct messages"],
    ["a channel that is gone", refused(404, 10003), "rejected", "gone"],
    ["a file that is too large", refused(413, 40005), "rejected", "larger"],
    ["a wrong body", refused(400, 50035, "Invalid Form Body"), "rejected", "Invalid Form Body (50035)"],
    ["a refusal without a code", refused(418, 0, "HTTP 418"), "rejected", "(418)"],
    ["nothing an error is made of", "odd", "unknown", "odd"],
    ["nothing at all", undefined, "unknown", "cut"],
  ])("is told in words: %s", (_, error, type, words) => {
    expect(toSendResult(error, "a message to room 42")).toMatchObject({ type, error: expect.stringContaining(words) });
  });

  it("says how long to wait", () => {
    const limited = Object.assign(new Error("x"), {
      name: "RateLimitError[/x]",
      retryAfter: 10,
      timeToReset: 5,
      sublimitTimeout: 20_000,
    });
    expect(toSendResult(limited, "x")).toMatchObject({ retryInMs: 20_000 });
    expect(readFailure(limited)).toEqual({ type: "limited", retryInMs: 20_000 });
  });
});

describe("what keeps from connecting", () => {
  it.each([
    ["a wrong token", coded("TokenInvalid"), "unauthorized", "DISCORD_API_TOKEN"],
    ["a refused token", refused(401, 0), "unauthorized", "DISCORD_API_TOKEN"],
    ["no network", coded("ENOTFOUND"), "unavailable", "ENOTFOUND"],
    ["trouble at Discord", Object.assign(new Error("x"), { status: 500 }), "unavailable", "500"],
  ])("is %s", (_, error, code, words) => {
    expect(toClientError(error)).toMatchObject({ code, message: expect.stringContaining(words) });
  });

  it.each([[4004], [4010], [4011], [4012], [4013], [4014]])(
    "is final when the connection is closed with %i",
    (code) => {
      expect(fatalClose(code)?.message).toContain(String(code));
    },
  );

  it.each([[1000], [1006], [4000], [4007], [4009]])("passes when it is closed with %i", (code) => {
    expect(fatalClose(code)).toBeNull();
  });
});
