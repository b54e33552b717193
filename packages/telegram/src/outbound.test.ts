import type { Delivery } from "@troupe/core";
import { splitText } from "@troupe/core/outbox";
import { parseHtml } from "@troupe/simulator-telegram";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSettings } from "./options.ts";
import { readMessageId, readTarget, toCalls, toEdit } from "./outbound.ts";

const settings = readSettings({});
const delivery = (change: Partial<Delivery>): Delivery => ({
  ...{
    key: "run/1.text/0",
    agentId: "agent",
    runId: "run",
    roomId: "room",
    platform: "telegram",
    account: "7",
    nonce: "n",
  },
  target: "-1001/7",
  kind: "message",
  content: { text: "hello" },
  ...change,
});
const payloadsOf = (change: Partial<Delivery>) => {
  const calls = toCalls(delivery(change), settings);
  return "refusal" in calls ? [] : calls.map(({ method, payload }) => ({ method, ...payload }));
};

describe("what a delivery comes to", () => {
  it("names chat, topic and the message it answers, where that is in the same chat", () => {
    expect(payloadsOf({ replyToPlatformId: "-1001:42" })).toEqual([
      {
        ...{ method: "sendMessage", chat_id: "-1001", message_thread_id: 7, text: "hello" },
        reply_parameters: { message_id: 42, allow_sending_without_reply: true },
      },
    ]);
    expect(payloadsOf({ replyToPlatformId: "-999:42" })[0]).not.toHaveProperty("reply_parameters");
    expect(payloadsOf({ replyToPlatformId: "nonsense" })[0]).not.toHaveProperty("reply_parameters");
  });

  it("puts choices under the text, short ones side by side, each within what Telegram keeps", () => {
    const choices = ["yes", "no", "y".repeat(300)].map((value) => ({ value, label: value.slice(0, 10) }));
    const [payload] = payloadsOf({ content: { text: "?", choices } });
    const { inline_keyboard: rows } = (
      payload as unknown as { reply_markup: { inline_keyboard: { callback_data: string }[][] } }
    ).reply_markup;
    expect(rows.map((row) => row.length)).toEqual([2, 1]);
    for (const { callback_data: data } of rows.flat()) expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
  });

  it("is always within Telegram's limits and readable, however a text was split", () => {
    const words = fc.constantFrom(
      "**bold** ",
      "`code` ",
      "\n\n",
      "```ts\n",
      "\n```\n",
      "word ",
      "[x](https://a.example/) ",
      "> ",
      "- ",
      "&<> ",
      "👩‍👩‍👧‍👦",
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 400 }), fc.integer({ min: 40, max: 400 }), (parts, textLength) => {
        for (const text of splitText(parts.join(""), { textLength, unit: "utf16" })) {
          for (const payload of payloadsOf({ content: { text } })) {
            const sent = payload as { text?: string; parse_mode?: string };
            const read = sent.parse_mode === "HTML" ? parseHtml(sent.text ?? "").text : (sent.text ?? "");
            expect(read.length).toBeLessThanOrEqual(textLength);
            expect(read.trim()).not.toBe("");
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it("never throws, whatever it is made of", () => {
    const odd = fc.record({
      target: fc.string(),
      kind: fc.constantFrom<Delivery["kind"]>("message", "like", "retweet", "quote", "follow"),
      replyToPlatformId: fc.string(),
      inReplyToText: fc.string(),
      content: fc.record({
        text: fc.string({ unit: "binary" }),
        attachments: fc.array(
          fc.record({
            id: fc.string(),
            url: fc.oneof(
              fc.string(),
              fc.webUrl(),
              fc.string().map((body) => `data:${body}`),
            ),
          }),
        ),
        choices: fc.array(fc.record({ value: fc.string(), label: fc.string() })),
      }),
    });
    fc.assert(
      fc.property(odd, (change) => {
        toCalls(delivery(change), settings);
        toEdit(change.replyToPlatformId, delivery(change), true);
      }),
    );
  });
});

it.each<[string, ReturnType<typeof readTarget>]>([
  ["42", { chatId: "42" }],
  ["-1001/7", { chatId: "-1001", topicId: 7 }],
  ["-1001/x", { chatId: "-1001" }],
])("reads the room %s", (room, target) => expect(readTarget(room)).toEqual(target));

it.each([
  ["-1001:7", { chatId: "-1001", messageId: 7 }],
  ["dry-1", null],
  ["", null],
  ["1:2:3", null],
])("reads the message %s", (message, place) => expect(readMessageId(message)).toEqual(place));
