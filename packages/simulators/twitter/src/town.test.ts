import { describe, expect, it } from "vitest";
import { createTown } from "./index.ts";
import { start } from "./testing/setup.ts";

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

describe("a town", () => {
  it("talks, likes and calls whoever else is there, the same way by the same chance", async () => {
    const runs = await Promise.all(
      [1, 2].map(async () => {
        const x = await start();
        const bot = x.createUser({ username: "bot" });
        const town = createTown(x, { random: generator(7), people: 5 });
        const events = Array.from({ length: 80 }, () => town.step());
        expect(new Set(events.map(({ did }) => did)).size).toBe(5);
        expect(x.posts().some(({ entities }) => entities.mentions.some(({ id }) => id === bot.id))).toBe(true);
        return events.map(({ by, did }) => `${by} ${did}`);
      }),
    );
    expect(runs[0]).toEqual(runs[1]);
  });
});
