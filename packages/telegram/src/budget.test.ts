import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBudget, telegramRates } from "./budget.ts";

function budget() {
  let now = 0;
  const own = createBudget(telegramRates, { now: () => now });
  return { own, at: (ms: number) => void (now = ms) };
}

describe("the budget of a bot", () => {
  it("lets one message a second into a chat, and twenty a minute into a group", () => {
    const { own, at } = budget();
    expect([own.spend("7", "needed"), own.spend("7", "needed"), own.spend("8", "needed")]).toEqual([0, 1_050, 0]);
    let sent = 0;
    for (let ms = 2_000; ms < 60_000; ms += 1_100) {
      at(ms);
      if (own.spend("-100", "needed") === 0) sent += 1;
    }
    expect(sent).toBe(20);
  });

  it("leaves room for what is needed, however much is passing", () => {
    const { own, at } = budget();
    let passing = 0;
    for (let ms = 0; ms < 60_000; ms += 500) {
      at(ms);
      if (own.spend("-100", "passing") === 0) passing += 1;
    }
    expect(passing).toBe(15);
    expect(own.spend("-100", "needed")).toBeLessThanOrEqual(1_050);
  });

  it("waits with one chat when Telegram says so, and tells once", () => {
    const { own, at } = budget();
    expect([own.pause("7", 5_000), own.pause("7", 5_000)]).toEqual([true, false]);
    expect([own.spend("7", "needed"), own.spend("8", "needed")]).toEqual([5_000, 0]);
    at(5_001);
    expect(own.spend("7", "needed")).toBe(0);
    own.recover("7");
    expect(own.pause("7", 5_000)).toBe(true);
  });

  it("never lets more through than Telegram takes, in whatever order it is asked", () => {
    const asked = fc.array(
      fc.record({
        chat: fc.constantFrom("7", "8", "-100", "-200"),
        passMs: fc.integer({ min: 0, max: 400 }),
        isNeeded: fc.boolean(),
      }),
      { maxLength: 300 },
    );
    fc.assert(
      fc.property(asked, (requests) => {
        const { own, at } = budget();
        const sent: { chat: string; at: number }[] = [];
        let now = 0;
        for (const { chat, passMs, isNeeded } of requests) {
          at((now += passMs));
          if (own.spend(chat, isNeeded ? "needed" : "passing") === 0) sent.push({ chat, at: now });
        }
        for (const { at: time, chat } of sent) {
          const within = (windowMs: number) => sent.filter((one) => one.at > time - windowMs && one.at <= time);
          expect(within(1_000).length).toBeLessThanOrEqual(30);
          expect(within(1_000).filter((one) => one.chat === chat).length).toBe(1);
          if (chat.startsWith("-"))
            expect(within(60_000).filter((one) => one.chat === chat).length).toBeLessThanOrEqual(20);
        }
      }),
      { numRuns: 50 },
    );
  });
});
