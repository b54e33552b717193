import fc from "fast-check";
import { expect, test } from "vitest";
import { ask, startScene } from "./testing/scene.ts";

test("every route answers anything with Discord's errors and never breaks", async () => {
  const { simulator, general, mira, guild, bot } = await startScene();
  const said = mira.say(general, "x");
  const paths = [
    `POST /channels/${general.id}/messages`,
    `PATCH /channels/${general.id}/messages/${said.id}`,
    `PATCH /channels/${general.id}`,
    `POST /channels/${general.id}/messages/bulk-delete`,
    `POST /channels/${general.id}/threads`,
    `POST /channels/${general.id}/messages/${said.id}/threads`,
    "POST /users/@me/channels",
    `PATCH /guilds/${guild.id}/members/@me`,
    `PUT /applications/${bot.id}/commands`,
    `POST /applications/${bot.id}/commands`,
    "POST /interactions/1/token/callback",
    `POST /webhooks/${bot.id}/token`,
  ];
  const names = [
    "content",
    "embeds",
    "components",
    "nonce",
    "allowed_mentions",
    "message_reference",
    "attachments",
    "name",
    "options",
    "type",
    "data",
  ];
  const body = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(fc.constantFrom(...names), fc.jsonValue()),
    fc.array(fc.dictionary(fc.constantFrom(...names), fc.jsonValue())),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), body, async (path, value) => {
      const { status, json } = await ask(simulator, path, JSON.stringify(value));
      expect(status).toBeLessThan(500);
      if (status >= 400) expect(json).toMatchObject({ message: expect.any(String), code: expect.any(Number) });
    }),
    { numRuns: 300 },
  );
});

test("what is no JSON, no route, no id, no version or no token is refused as Discord does", async () => {
  const { simulator, general } = await startScene();
  expect((await ask(simulator, `POST /channels/${general.id}/messages`, "{")).json).toMatchObject({ code: 50109 });
  expect((await ask(simulator, "GET /nowhere")).json).toEqual({ message: "404: Not Found", code: 0 });
  expect((await ask(simulator, `PUT /channels/${general.id}/messages`)).status).toBe(405);
  expect((await ask(simulator, "GET /channels/abc")).json).toMatchObject({
    code: 50035,
    errors: { channel_id: { _errors: [{ code: "NUMBER_TYPE_COERCE" }] } },
  });
  expect((await ask(simulator, "GET /users/@me", undefined, "wrong")).json).toEqual({
    message: "401: Unauthorized",
    code: 0,
  });
  expect((await (await fetch(`${simulator.apiUrl}/v3/gateway`)).json()) as unknown).toMatchObject({ code: 50041 });
});

test("what is wrong with an embed, a button or a mention is said field by field", async () => {
  const { simulator, general } = await startScene();
  const path = `POST /channels/${general.id}/messages`;
  const embeds = [{ title: "x".repeat(257), fields: [{ name: "", value: "v" }] }];
  expect((await ask(simulator, path, { embeds })).json).toMatchObject({
    errors: {
      embeds: {
        "0": {
          title: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH" }] },
          fields: { "0": { name: { _errors: [{ code: "BASE_TYPE_BAD_LENGTH" }] } } },
        },
      },
    },
  });
  const button = { type: 2, style: 1, label: "x", custom_id: "a" };
  expect(
    (await ask(simulator, path, { content: "x", components: [{ type: 1, components: [button, button] }] })).json,
  ).toMatchObject({
    errors: {
      components: {
        "0": { components: { "1": { custom_id: { _errors: [{ code: "COMPONENT_CUSTOM_ID_DUPLICATED" }] } } } },
      },
    },
  });
  expect(
    (await ask(simulator, path, { content: "x", allowed_mentions: { parse: ["users"], users: ["1"] } })).json,
  ).toMatchObject({
    errors: { allowed_mentions: { _errors: [{ code: "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE" }] } },
  });
});
