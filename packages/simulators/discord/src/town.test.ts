import { Events } from "discord.js";
import { expect, test } from "vitest";
import { createRandom } from "./testing/random.ts";
import { login, startScene } from "./testing/scene.ts";
import { createTown } from "./town.ts";

test("a town keeps talking in every way, and the bot hears what is said", async () => {
  const { simulator } = await startScene();
  const town = createTown(simulator, { random: createRandom(7) });
  const client = await login(simulator);
  const heard = new Set<string>();
  client.on(Events.MessageCreate, ({ id }) => void heard.add(id));
  const steps = Array.from({ length: 120 }, () => town.step());
  expect(new Set(steps.map(({ did }) => did)).size).toBe(7);
  const last = town.people[2]?.say(town.channels[0] ?? { id: "" }, "Good night");
  await new Promise<void>((resolve) => {
    if (heard.has(last?.id ?? "")) resolve();
    client.on(Events.MessageCreate, ({ id }) => {
      if (id === last?.id) resolve();
    });
  });
  const said = steps.filter(({ did }) => did !== "react");
  expect(said.every(({ messageId }) => heard.has(messageId))).toBe(true);
});
