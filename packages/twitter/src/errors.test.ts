import { ClientError } from "@troupe/core/errors";
import fc from "fast-check";
import { expect, it } from "vitest";
import { readFailure, toFatal, toSendResult, WithheldError } from "./errors.ts";

const now = Date.UTC(2026, 5, 1);
const problems = "https://api.twitter.com/2/problems/";

const response = (code: number, data: object = {}, headers: object = {}) => ({ type: "response", code, data, headers });
const request = (code: string) => ({ type: "request", requestError: { code } });
const seconds = (ms: number) => String(Math.ceil((now + ms) / 1_000));

/** What X or the way to it says, what that means for a send, and whether it ends everything. */
const table = [
  ["no connection", request("ECONNREFUSED"), "not-sent", "not reached", false],
  ["no name", request("ENOTFOUND"), "not-sent", "not reached", false],
  ["a connection that broke", request("ECONNRESET"), "unknown", "No answer", false],
  ["a call that was given up", request("ABORT_ERR"), "unknown", "No answer", false],
  ["a server in trouble", response(503), "unknown", "HTTP 503", false],
  ["half an answer", { type: "partial-response", code: 200 }, "unknown", "No answer", false],
  ["something else thrown", new Error("x"), "unknown", "No answer", false],
  ["a missing file", Object.assign(new Error("x"), { code: "ENOENT" }), "rejected", "ENOENT", false],
  [
    "a repeated text",
    response(403, { detail: "You are not allowed to create a Tweet with duplicate content." }),
    "rejected",
    "second time",
    false,
  ],
  [
    "nobody asked",
    response(403, { detail: "You can only reply to or quote posts where you are mentioned or are the author." }),
    "rejected",
    "mention or quote",
    false,
  ],
  [
    "a deleted post",
    response(403, { detail: "You attempted to reply to a Tweet that is deleted or not visible to you." }),
    "rejected",
    "not there",
    false,
  ],
  [
    "a missing person",
    response(404, { title: "Not Found Error", type: `${problems}resource-not-found` }),
    "rejected",
    "not there",
    false,
  ],
  ["a hidden post", response(403, { type: `${problems}not-authorized-for-resource` }), "rejected", "hidden", false],
  [
    "too much today",
    response(403, { detail: "User is over daily status update limit." }),
    "not-sent",
    "in a day",
    false,
  ],
  ["no credits", response(402, { title: "CreditsDepleted", type: `${problems}credits` }), "not-sent", "credits", false],
  [
    "the month is over",
    response(429, { title: "UsageCapExceeded", type: `${problems}usage-capped` }),
    "not-sent",
    "this month",
    false,
  ],
  ["revoked keys", response(401, { title: "Unauthorized", errors: [{ code: 89 }] }), "not-sent", "troupe login", true],
  [
    "a suspended account",
    response(403, { type: `${problems}user-suspended`, detail: "The user used for authentication is suspended" }),
    "not-sent",
    "appeal",
    true,
  ],
  [
    "a locked account",
    response(403, {
      detail: "this account is temporarily locked. Please log in to https://twitter.com to unlock your account.",
    }),
    "not-sent",
    "unlock",
    true,
  ],
  ["an app outside any project", response(403, { type: `${problems}client-forbidden` }), "not-sent", "project", true],
  [
    "a right the app lacks",
    response(403, { type: `${problems}oauth1-permissions` }),
    "rejected",
    "Read and write",
    false,
  ],
  [
    "what only OAuth 2.0 may",
    response(403, { type: `${problems}unsupported-authentication` }),
    "rejected",
    "OAuth 2.0",
    false,
  ],
  [
    "any other refusal",
    response(400, { detail: "One or more parameters was invalid." }),
    "rejected",
    "parameters was invalid",
    false,
  ],
  ["a limit of our own", new WithheldError("rate", "Used up.", 5_000), "not-sent", "Used up", false],
  ["no money left", new WithheldError("spend", "Spent.", 5_000), "rejected", "Spent", false],
  [
    "a sign-in that ended",
    new ClientError("unauthorized", "The sign-in to X cannot be renewed; run troupe login twitter."),
    "not-sent",
    "troupe login",
    true,
  ],
  ["a file that cannot be", new ClientError("invalid", "X takes no PDF."), "rejected", "PDF", false],
] as const;

it.each(table)("understands %s", (...[, thrown, type, words, isFatal]) => {
  const failure = readFailure(thrown, now);
  const result = toSendResult(failure, "a message to room 42");
  expect(result).toMatchObject({ type, error: expect.stringContaining(words) });
  expect(toFatal(failure) !== null).toBe(isFatal);
});

it("waits until the fullest of X's windows is empty again, a minute where X does not say", () => {
  const retryInMs = (headers: object) => {
    const result = toSendResult(readFailure(response(429, {}, headers), now), "it");
    return result.type === "not-sent" ? result.retryInMs : null;
  };
  expect(retryInMs({})).toBe(60_000);
  const quarter = { "x-rate-limit-remaining": "0", "x-rate-limit-reset": seconds(900_000) };
  expect(retryInMs(quarter)).toBe(900_000);
  const day = { "x-user-limit-24hour-remaining": "0", "x-user-limit-24hour-reset": seconds(7_200_000) };
  expect(retryInMs({ ...quarter, ...day })).toBe(7_200_000);
  expect(retryInMs({ "x-rate-limit-remaining": "5", "x-rate-limit-reset": seconds(900_000) })).toBe(60_000);
});

it("reads anything thrown, and says nothing of keys", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.anything(),
        fc.record({ type: fc.constant("response"), code: fc.nat(600), data: fc.jsonValue(), headers: fc.jsonValue() }),
      ),
      (thrown) => {
        expect(toSendResult(readFailure(thrown, now), "it")).toMatchObject({ error: expect.stringMatching(/./) });
      },
    ),
    { numRuns: 500 },
  );
});
