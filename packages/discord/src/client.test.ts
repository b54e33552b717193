import { createMemoryStore } from "@troupe/core/testing";
import { clientContract, type SendFailure } from "@troupe/core/testing/contracts";
import type { DiscordSimulator, Message } from "@troupe/simulator-discord";
import { openScene } from "./testing/scene.ts";

clientContract(
  "the Discord client",
  async () => {
    const scene = await openScene();
    const { simulator, bot, general, mira } = scene;
    const store = createMemoryStore();
    let last: Readonly<Message> | null = null;
    const dispatch = (name: string, data: unknown): void => simulator.gateway.dispatch(name, data);
    return {
      client: scene.make({ store }),
      target: general.id,
      say(text) {
        last = mira.say(general, text);
      },
      async sayAgain() {
        dispatch("MESSAGE_CREATE", {
          ...(await read(simulator, `/channels/${general.id}/messages/${last?.id}`)),
          guild_id: general.guildId,
        });
      },
      async acknowledged() {
        const seen = await store.keyValues.get("agent", '["client","discord","test"]', `seen:${general.id}`);
        return general.messages().filter(({ id }) => seen !== null && BigInt(id) <= BigInt(seen.value)).length;
      },
      shown: () =>
        general
          .messages()
          .filter(({ authorId }) => authorId === bot.id)
          .map(({ content }) => content),
      failNext: (failure) => fail(simulator, failure),
      oddities: [
        () => dispatch("MESSAGE_CREATE", null),
        () =>
          dispatch("MESSAGE_CREATE", {
            id: general.id,
            channel_id: general.id,
            author: null,
            content: 5,
            mentions: "x",
          }),
        () => dispatch("MESSAGE_CREATE", { id: "x", channel_id: {}, author: { id: [] } }),
        () => dispatch("MESSAGE_UPDATE", { id: "1", channel_id: general.id, thread: null, components: null }),
        () => dispatch("GUILD_CREATE", { id: "77", channels: null, roles: [{ id: "1" }] }),
        () => dispatch("CHANNEL_UPDATE", { id: general.id }),
        () => dispatch("INTERACTION_CREATE", { id: "5", token: 7, type: 2, data: [] }),
        () => dispatch("MESSAGE_REACTION_ADD", { emoji: {}, user_id: 1 }),
        () => dispatch("GUILD_ROLE_UPDATE", { guild_id: general.guildId, role: { id: "1", permissions: "many" } }),
        () => dispatch("NEVER_HEARD_OF", { d: 1 }),
        () => void mira.say(general, `half a pair \ud800 and \u0000 nothing`),
      ],
      close: () => scene.close(),
    };
  },
  {
    guarantee: "nonce",
    edits: true,
    sayAgain: true,
    acknowledged: true,
    failures: ["not-sent", "unknown", "rejected"],
    oddities: true,
  },
);

function fail({ faults }: DiscordSimulator, failure: SendFailure): void {
  const writes = (request: { readonly method: string; readonly path: string }): boolean =>
    ["POST", "PATCH"].includes(request.method) && request.path.includes("/messages");
  switch (failure) {
    case "not-sent":
      return void faults.add({
        match: writes,
        fault: { type: "answer", answer: { status: 429, headers: { "retry-after": "60" }, body: { retry_after: 60 } } },
      });
    case "unknown":
      return void faults.add({ match: writes, times: 3, fault: { type: "drop", when: "after" } });
    case "rejected":
      return void faults.add({
        match: writes,
        fault: { type: "answer", answer: { status: 403, body: { code: 50013, message: "Missing Permissions" } } },
      });
  }
}

async function read({ apiUrl, bots }: DiscordSimulator, path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${apiUrl}/v10${path}`, { headers: { authorization: `Bot ${bots[0]?.token}` } });
  // Discord answers with a message.
  return (await response.json()) as Record<string, unknown>;
}
