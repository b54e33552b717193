import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failureFields, readFailure, shortError, toFatal, toSendResult } from "./errors.ts";

/** As telegraf throws it. */
const refused = (error_code: number, description: string, parameters?: object) =>
  Object.assign(new Error(`${error_code}: ${description}`), {
    response: { ok: false, error_code, description, ...(parameters && { parameters }) },
    on: { method: "sendMessage", payload: { text: "a secret text" } },
  });
const broken = (code: string) => Object.assign(new Error(`request failed, reason: ${code}`), { code });

describe("what Telegram's errors mean for a send", () => {
  it.each<[string, unknown, object]>([
    [
      "a flood",
      refused(429, "Too Many Requests: retry after 7", { retry_after: 7 }),
      { type: "not-sent", retryInMs: 7_000 },
    ],
    ["a flood without a time", refused(429, "Too Many Requests"), { type: "not-sent", retryInMs: 5_000 }],
    [
      "a block",
      refused(403, "Forbidden: bot was blocked by the user"),
      { type: "rejected", error: expect.stringContaining("has blocked the bot") },
    ],
    [
      "no such chat",
      refused(400, "Bad Request: chat not found"),
      { type: "rejected", error: expect.stringContaining("no such chat") },
    ],
    [
      "a closed topic",
      refused(400, "Bad Request: TOPIC_CLOSED"),
      { type: "rejected", error: expect.stringContaining("closed") },
    ],
    [
      "no right",
      refused(400, "Bad Request: not enough rights to send text messages to the chat"),
      { type: "rejected", error: expect.stringContaining("lacks a right") },
    ],
    ["a revoked token", refused(401, "Unauthorized"), { type: "not-sent", error: expect.stringContaining("token") }],
    ["a server in trouble", refused(502, "Bad Gateway"), { type: "unknown" }],
    ["a cut connection", broken("ECONNRESET"), { type: "unknown" }],
    ["a timeout", Object.assign(new Error("aborted"), { name: "AbortError", type: "aborted" }), { type: "unknown" }],
    [
      "an answer that is no JSON",
      Object.assign(new Error("invalid json"), { type: "invalid-json" }),
      { type: "unknown" },
    ],
    ["no connection", broken("ECONNREFUSED"), { type: "not-sent" }],
    ["no name", broken("ENOTFOUND"), { type: "not-sent" }],
    [
      "a file that is not there",
      broken("ENOENT"),
      { type: "rejected", error: expect.stringContaining("cannot be read") },
    ],
    ["anything else", "what?", { type: "unknown" }],
  ])("%s", (_name, error, result) => {
    expect(toSendResult(readFailure(error), "a message to room 42")).toMatchObject(result);
  });

  it("tells refusals apart by what helps", () => {
    const kinds = [
      "Bad Request: message is not modified: specified new message content and reply markup are exactly the same",
      'Bad Request: can\'t parse entities: Unsupported start tag "x" at byte offset 0',
      "Bad Request: QUOTE_TEXT_INVALID",
      "Bad Request: failed to get HTTP URL content",
      "Bad Request: message to edit not found",
      "Bad Request: chat not found",
    ].map((description) => readFailure(refused(400, description)));
    expect(kinds.map((failure) => failure.type === "refused" && failure.kind)).toEqual([
      ...["unchanged", "markup", "quote", "media", "gone", "other"],
    ]);
  });

  it("names the remedy where no waiting helps, and only there", () => {
    expect(toFatal(readFailure(refused(401, "Unauthorized")))).toMatchObject({
      code: "unauthorized",
      message: expect.stringContaining("@BotFather"),
    });
    expect(toFatal(readFailure(refused(429, "Too Many Requests")))).toBeNull();
    expect(toFatal(readFailure(broken("ECONNRESET")))).toBeNull();
  });

  it("logs neither a text nor a token, whatever was thrown", () => {
    expect(
      JSON.stringify(failureFields(readFailure(refused(400, 'Bad Request: can\'t parse entities: "secret"')))),
    ).not.toContain("secret");
    expect(shortError(new Error("GET /bot123456:AAH-abcdefghijk_12345/getMe failed"))).not.toContain("AAH");
  });

  it("understands anything that can be thrown", () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.record({ response: fc.object() })), (thrown) => {
        expect(toSendResult(readFailure(thrown), "a message").type).toMatch(/^(sent|not-sent|unknown|rejected)$/);
      }),
    );
  });
});
