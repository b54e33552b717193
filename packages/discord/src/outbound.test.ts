import type { Choice, Delivery } from "@troupe/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { choiceKey, longChoices, pressedChoice, toComponents } from "./choices.ts";
import { isDelivery, textLength, toChangedMessage, toNewMessage } from "./outbound.ts";
import { recordsOf } from "./read.ts";

const delivery: Delivery = {
  ...{ key: "k", agentId: "a", runId: "r", roomId: "x", platform: "discord", account: "1", target: "5" },
  kind: "message",
  content: { text: "Hello" },
  nonce: "abc",
  replyToPlatformId: "9",
};

describe("a message as Discord takes it", () => {
  it("notifies nobody and shows once, unless the settings say otherwise", () => {
    expect(toNewMessage(delivery, { settings: { allowedMentions: [] }, answers: "9" })).toEqual({
      content: "Hello",
      nonce: "abc",
      enforce_nonce: true,
      allowed_mentions: { parse: [], replied_user: false },
      message_reference: { message_id: "9", fail_if_not_exists: false },
    });
    expect(toChangedMessage(delivery, { allowedMentions: ["users", "reply"] })).toEqual({
      content: "Hello",
      allowed_mentions: { parse: ["users"], replied_user: true },
    });
  });

  it("shows something while a text has not begun, and the links there is room for", () => {
    const blank = { ...delivery, content: { text: " " } };
    expect(toChangedMessage({ ...blank, isGrowing: true }, { allowedMentions: [] })).toMatchObject({ content: "…" });
    const links = ["https://example.org/1", `https://example.org/${"x".repeat(2_000)}`];
    expect(toChangedMessage(delivery, { allowedMentions: [] }, links)).toMatchObject({ content: `Hello\n${links[0]}` });
    expect(
      [
        ...String(
          toChangedMessage({ ...delivery, content: { text: "é".repeat(1_999) } }, { allowedMentions: [] }, links)[
            "content"
          ],
        ),
      ].length,
    ).toBeLessThanOrEqual(textLength);
  });
});

describe("a message of ours in a channel's history", () => {
  it.each([
    ["the same nonce", { nonce: "abc", text: "anything", answers: [] }, true],
    ["another nonce, the same text", { nonce: "other", text: "Hello", answers: ["9"] }, false],
    ["no nonce, the same answer", { nonce: null, text: "Hello", answers: ["9"] }, true],
    ["no nonce, half the answer", { nonce: null, text: "Hel", answers: ["9"] }, true],
    ["no nonce, another text", { nonce: null, text: "Bye", answers: ["9"] }, false],
    ["no nonce, an answer to something else", { nonce: null, text: "Hello", answers: ["8"] }, false],
  ])("is this delivery: %s", (_, message, expected) => expect(isDelivery(message, delivery)).toBe(expected));

  it("is known by its text alone only when that is long", () => {
    const { replyToPlatformId: _, ...alone } = delivery;
    const long = "A sentence that nobody says twice by chance.";
    expect(isDelivery({ nonce: null, text: "Hello", answers: [] }, alone)).toBe(false);
    expect(isDelivery({ nonce: null, text: long, answers: [] }, { ...alone, content: { text: long } })).toBe(true);
  });
});

describe("choices", () => {
  const choice = fc.record({
    value: fc.string({ unit: "grapheme", maxLength: 150 }),
    label: fc.string({ unit: "grapheme", maxLength: 120 }),
  });

  it("become components within Discord's limits, and each can be found again", () => {
    fc.assert(
      fc.property(fc.array(choice, { maxLength: 140 }), (choices: readonly Choice[]) => {
        const rows = toComponents(choices);
        expect(rows.length).toBeLessThanOrEqual(5);
        const shown = rows.flatMap((row) => recordsOf(row["components"]));
        const ids = shown.map((one) => String(one["custom_id"]));
        expect(new Set(ids).size).toBe(ids.length);
        const long = new Map(longChoices(choices).map(({ key, value }) => [key, value]));
        for (const one of shown) {
          expect([...String(one["custom_id"])].length).toBeLessThanOrEqual(100);
          const options = recordsOf(one["options"]);
          const values = options.length > 0 ? options.map(({ value }) => String(value)) : [];
          for (const value of values.length > 0 ? values : [null]) {
            const data = { custom_id: one["custom_id"], ...(value !== null && { values: [value] }) };
            const pressed = pressedChoice({ data, message: { components: rows } });
            expect(pressed?.label).toMatch(/./su);
            const meant = long.get(pressed?.key ?? "") ?? pressed?.key.slice(1);
            expect(choices.map((given) => given.value)).toContain(meant);
          }
          for (const labelled of [...options, ...(options.length === 0 ? [one] : [])]) {
            expect([...String(labelled["label"])].length).toBeLessThanOrEqual(80);
          }
        }
        for (const { value } of choices) expect([...choiceKey(value)].length).toBeLessThanOrEqual(91);
      }),
    );
  });

  it("are not what other buttons say", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("custom_id", "values"), fc.anything()),
        fc.dictionary(fc.constant("components"), fc.anything()),
        (data, message) => {
          const id = data["custom_id"];
          const isOurs = typeof id === "string" && id.startsWith("choose");
          if (!isOurs) expect(pressedChoice({ data, message })).toBeNull();
        },
      ),
    );
  });
});
