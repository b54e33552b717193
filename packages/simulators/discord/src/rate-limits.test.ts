import { RESTEvents, type TextChannel } from "discord.js";
import { expect, test } from "vitest";
import { ask, createSetClock, login, startScene } from "./testing/scene.ts";

test("the sixth message in five seconds is one too many for its channel, not for another", async () => {
  const clock = createSetClock();
  const { simulator, guild, general } = await startScene({ clock, limits: {} });
  const other = guild.createChannel({ name: "other" });
  const say = (id: string) => ask(simulator, `POST /channels/${id}/messages`, { content: "x" });
  const first = await say(general.id);
  expect(Object.fromEntries(first.headers)).toMatchObject({
    "x-ratelimit-limit": "5",
    "x-ratelimit-remaining": "4",
    "x-ratelimit-reset": "1700000005.000",
    "x-ratelimit-reset-after": "5.000",
  });
  for (let count = 0; count < 4; count += 1) await say(general.id);
  clock.advance(1500);
  const refused = await say(general.id);
  expect([refused.status, refused.headers.get("retry-after"), refused.headers.get("x-ratelimit-scope")]).toEqual([
    429,
    "3.500",
    "user",
  ]);
  expect(refused.json).toEqual({ message: "You are being rate limited.", retry_after: 3.5, global: false });
  const elsewhere = await say(other.id);
  expect([elsewhere.status, elsewhere.headers.get("x-ratelimit-bucket")]).toEqual([
    200,
    first.headers.get("x-ratelimit-bucket"),
  ]);
  clock.advance(3500);
  expect((await say(general.id)).status).toBe(200);
});

test("fifty requests a second are all a bot has, answers to interactions apart", async () => {
  const { simulator } = await startScene({ clock: createSetClock(), limits: { ordinary: false } });
  for (let count = 0; count < 50; count += 1) await ask(simulator, "GET /users/@me");
  const refused = await ask(simulator, "GET /users/@me");
  expect([refused.status, refused.headers.get("x-ratelimit-global"), refused.json["global"]]).toEqual([
    429,
    "true",
    true,
  ]);
  expect((await ask(simulator, "POST /interactions/1/x/callback", {}, null)).status).toBe(404);
});

test("discord.js keeps to the limits it is told", async () => {
  const routes = { "POST /channels/:channel/messages": { limit: 2, windowMs: 100 } };
  const { simulator, general } = await startScene({ limits: { routes } });
  const client = await login(simulator);
  let waits = 0;
  client.rest.on(RESTEvents.RateLimited, () => {
    waits += 1;
  });
  const channel = (await client.channels.fetch(general.id)) as TextChannel;
  await Promise.all(["1", "2", "3", "4", "5"].map((content) => channel.send(content)));
  expect(general.messages().map(({ content }) => content)).toEqual(["1", "2", "3", "4", "5"]);
  expect(waits).toBeGreaterThan(0);
});

test("an address that makes too many invalid requests is shut out", async () => {
  const { simulator } = await startScene({
    limits: { invalid: { limit: 2, windowMs: 1000 } },
    clock: createSetClock(),
  });
  await ask(simulator, "GET /users/@me", undefined, "wrong");
  await ask(simulator, "GET /users/@me", undefined, "wrong");
  expect(simulator.invalidRequests).toBe(2);
  const response = await fetch(`${simulator.apiUrl}/v10/gateway`);
  expect([response.status, await response.text()]).toEqual([429, "error code: 1015"]);
});
