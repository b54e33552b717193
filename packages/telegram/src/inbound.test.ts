import { startTelegramSimulator, type TelegramUpdate } from "@troupe/simulator-telegram";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toHeard, type UpdateHearer } from "./updates.ts";

const hearer: UpdateHearer = {
  agentId: "agent",
  agentName: "Ada",
  account: "7000000001",
  botId: 7_000_000_001,
  username: "ada_bot",
  commands: ["ask"],
  now: Date.UTC(2026, 0, 1),
  answerWithinMs: 86_400_000,
  topicOf: () => undefined,
  choiceOf: (data) => data.slice(1),
};

/** One update of every kind, as Telegram makes them. */
async function realUpdates(): Promise<readonly TelegramUpdate[]> {
  const simulator = await startTelegramSimulator({
    flood: false,
    bots: [{ username: "ada_bot", hasPrivacyMode: false }],
  });
  try {
    const bot = simulator.bot();
    const ask = (method: string, body: object) =>
      fetch(`${simulator.url}/bot${bot.token()}/${method}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const allowed_updates = [
      "message",
      "edited_message",
      "channel_post",
      "callback_query",
      "message_reaction",
      "my_chat_member",
      "chat_member",
    ];
    await ask("getUpdates", { allowed_updates });
    const bo = simulator.createUser({ firstName: "Bo", username: "bo_berg" });
    const forum = simulator.createSupergroup({ isForum: true, members: [bo], admins: [bot] });
    const topic = forum.createTopic("Cats");
    const said = bo.say(forum, {
      text: '@ada_bot <a href="https://a.example/">see</a> <code>x</code>',
      parseMode: "HTML",
      topic,
    });
    bo.say(forum, { text: "/ask@ada_bot why", replyTo: said, quote: "see", topic });
    bo.edit(said, "changed");
    bo.react(said, "👍", "🔥");
    bo.forward(said, bot);
    for (const content of [
      { photo: {} },
      { document: {} },
      { sticker: {} },
      { location: { latitude: 1, longitude: 2 } },
    ])
      bo.say(bot, content);
    await ask("sendMessage", {
      chat_id: bo.id,
      text: "?",
      reply_markup: { inline_keyboard: [[{ text: "Yes", callback_data: "=yes" }]] },
    });
    bo.press(await bo.chatWith(bot).nextMessage(), "Yes");
    simulator.createGroup({ members: [bo, bot] }).upgrade();
    simulator.createUser().join(forum);
    bo.block(bot);
    return bot.updates.past();
  } finally {
    await simulator.close();
  }
}

/** Everything in a value that can be replaced, by its path. */
function pathsOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key]))];
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...value };
  Reflect.set(copy, key, replaced(Reflect.get(value, key), rest, by));
  return copy;
}

describe("an update", () => {
  it("is never too odd: whatever is missing or wrong in it, nothing is thrown and what is heard is whole", async () => {
    const updates = await realUpdates();
    expect(updates.length).toBeGreaterThan(20);
    const places = updates.flatMap((update) => pathsOf(update).map((path) => ({ update, path })));
    const values = fc.oneof(
      fc.constantFrom<unknown>(
        undefined,
        null,
        true,
        -1,
        0,
        1.5,
        2 ** 53,
        "",
        "\ud800",
        "x".repeat(5_000),
        [],
        {},
        [null],
        [[]],
      ),
      fc.anything(),
    );
    fc.assert(
      fc.property(fc.constantFrom(...places), values, ({ update, path }, by) => {
        const { events } = toHeard(replaced(update, path, by), hearer);
        for (const event of events) {
          if (!("memory" in event)) continue;
          expect(event.memory.content.text.isWellFormed()).toBe(true);
          expect(Number.isFinite(event.memory.createdAt)).toBe(true);
          expect(event.entity.name).not.toBe("");
          expect(event.room.platformId).toMatch(/^-?\d+(\/-?\d+)?$/);
        }
        JSON.stringify(events);
      }),
      { numRuns: 3_000 },
    );
  });

  it("tells nothing when it is none", () => {
    fc.assert(
      fc.property(fc.anything(), (update) => {
        expect(toHeard(update, hearer).events).toEqual([]);
      }),
    );
  });

  it("never brings the agent its own words", () => {
    const message = {
      message_id: 1,
      date: 1,
      chat: { id: 7, type: "private" },
      from: { id: hearer.botId, is_bot: true, first_name: "Ada" },
      text: "I",
    };
    for (const kind of ["message", "edited_message", "channel_post"]) {
      expect(toHeard({ update_id: 1, [kind]: message }, hearer).events).toEqual([]);
    }
  });
});
