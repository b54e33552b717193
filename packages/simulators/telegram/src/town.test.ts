import { Markup } from "telegraf";
import { describe, expect, it } from "vitest";
import { createTown } from "./index.ts";
import { connect, launch, start, until } from "./testing/stage.ts";

/** The same numbers each time. */
function fixedRandom(): () => number {
  let state = 42;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

describe("a town", () => {
  it("talks, to a bot too, in every way", async () => {
    const simulator = await start();
    const bot = connect(simulator);
    const heard = { text: 0, photo: 0, callback: 0 };
    bot.on("text", async (context) => {
      heard.text += 1;
      await context.reply("Indeed.", {
        ...Markup.inlineKeyboard([Markup.button.callback("More", "more")]),
        reply_parameters: { message_id: context.msgId },
      });
    });
    bot.on("photo", () => {
      heard.photo += 1;
    });
    bot.on("callback_query", async (context) => {
      heard.callback += 1;
      await context.answerCbQuery();
    });
    const town = createTown(simulator, { random: fixedRandom() });
    await launch(simulator, bot);
    const { updates } = simulator.bot();
    const did = new Set<string>();
    const seen = new Map<string, number>();
    simulator.listen(({ type, by }) => {
      const key = `${type} of ${by.is_bot ? "a bot" : "people"}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
    });
    for (let count = 0; count < 100; count += 1) {
      did.add(town.step().did);
      if (count % 10 === 0) await until(() => updates.pending() === 0);
    }
    await until(() => updates.pending() === 0);
    expect([...did].sort()).toEqual(["direct", "mention", "photo", "press", "react", "reply", "talk"]);
    expect(heard.text > 20 && heard.photo > 0 && heard.callback > 0).toBe(true);
    expect(seen.get("message of people")).toBeGreaterThan(50);
    expect([...seen.keys()]).toEqual(expect.arrayContaining(["message of a bot", "reaction of people"]));
    expect(town.chats.every((chat) => chat.messages().some(({ from }) => from?.is_bot === true))).toBe(true);
  });

  it("does the same with the same chances", async () => {
    const [one, other] = [await start(), await start()].map((simulator) =>
      createTown(simulator, { random: fixedRandom() }),
    );
    const steps = (town = one) => Array.from({ length: 30 }, () => town?.step());
    expect(steps(one)).toEqual(steps(other));
  });
});
