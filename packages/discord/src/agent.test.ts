import {
  type Agent,
  type ClientParts,
  type Plugin,
  type Runtime,
  type Store,
  silentLog,
  systemClock,
} from "@troupe/core";
import { createAgent } from "@troupe/core/agent";
import { readCharacter } from "@troupe/core/character";
import { deliver } from "@troupe/core/outbox";
import { createTaskCapability } from "@troupe/core/task";
import { createDelivery, createMemoryStore, createScriptedModel } from "@troupe/core/testing";
import type { Message } from "@troupe/simulator-discord";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createDiscordClient } from "./client.ts";
import { openScene, type Scene, toOptions, toParts } from "./testing/scene.ts";

const agents: Agent[] = [];
const scenes: Scene[] = [];
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.stop(0)));
  await Promise.all(scenes.splice(0).map((scene) => scene.close()));
});

async function open(options: Parameters<typeof openScene>[0] = {}): Promise<Scene> {
  const scene = await openScene(options);
  scenes.push(scene);
  return scene;
}

const until = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 15_000, interval: 10 });

type Cast = {
  readonly store: ReturnType<typeof createMemoryStore>;
  readonly platform?: object;
  readonly state?: (state: ClientParts["state"]) => ClientParts["state"];
  readonly answer?: (said: string) => string;
  readonly plugins?: readonly Plugin[];
};

/** An agent that repeats the number it hears. */
async function startAgent(
  { simulator, bot }: Scene,
  { store, platform = {}, state = (kept) => kept, answer, plugins = [] }: Cast,
): Promise<Agent> {
  const reading = readCharacter(
    { id: "8b9d2c3e-0000-4000-8000-000000000001", name: "Ada", bio: "An engineer.", platforms: { discord: platform } },
    { source: "test" },
  );
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  const parts = toParts({ store });
  const settings = reading.character.platforms["discord"] ?? {};
  const say = answer ?? ((said) => `heard ${said}`);
  const agent = createAgent({
    character: reading.character,
    store: store as Store,
    models: {
      TEXT_LARGE: createScriptedModel(
        (request) =>
          JSON.stringify({
            text: say(
              JSON.stringify(request)
                .match(/number \d+/g)
                ?.at(-1) ?? "nothing",
            ),
          }),
        { chunkSize: 400 },
      ),
      TEXT_SMALL: createScriptedModel(() => "[RESPOND]"),
    },
    clients: [
      createDiscordClient(toOptions(simulator, bot, { settings, options: { requestsPerSecond: 10_000 } }), {
        ...parts,
        state: state(parts.state),
      }),
    ],
    capabilities: [createTaskCapability],
    plugins,
    clock: systemClock,
    random: () => 0.5,
    log: silentLog,
    owner: `test-${agents.length}`,
  });
  agents.push(agent);
  await agent.start();
  return agent;
}

function saidBy({ bot }: Scene, channel: { messages(): readonly Readonly<Message>[] }): string[] {
  return channel
    .messages()
    .filter(({ authorId }) => authorId === bot.id)
    .map(({ content }) => content);
}

/** The newest message of a channel of which it is written down that it was heard. */
async function heardUpTo(store: Cast["store"], channel: { readonly id: string }): Promise<bigint> {
  const kept = await store.keyValues.get("agent", '["client","discord","test"]', `seen:${channel.id}`);
  return BigInt(kept?.value ?? 0);
}

/** What stands behind the buttons below a message, in their order. */
function buttonsOf({ components }: Readonly<Message>): string[] {
  return (JSON.stringify(components).match(/"custom_id":"(?:[^"\\\\]|\\\\.)*"/g) ?? []).map(
    (part) => JSON.parse(`{${part}}`).custom_id,
  );
}

describe("an agent on Discord", () => {
  it("offers choices as buttons, takes the press of whom it asked, and says so once", async () => {
    const scene = await open();
    const harbour = scene.guild.createChannel({ name: "harbour" });
    const store = createMemoryStore();
    const chosen: string[] = [];
    let runtime: Runtime | undefined;
    const post: Plugin = {
      name: "posts",
      init: (_config, given) => void (runtime = given),
      choiceWorkers: { post: async (_runtime, { answer }) => void chosen.push(answer?.value ?? "nobody") },
    };
    const agent = await startAgent(scene, { store, plugins: [post] });
    scene.mira.say(harbour, `<@${scene.bot.id}> number 1`);
    await until(() => expect(saidBy(scene, harbour)).toHaveLength(1));
    const heard = await store.memories.lastHeard(agent.agentId);
    await runtime?.choices.offer({
      id: "p1",
      kind: "post",
      roomId: heard?.roomId ?? "",
      entityId: heard?.entityId ?? "",
      text: "Post this?",
      options: [
        { value: "approve", label: "Approve" },
        { value: "reject", label: "Reject" },
      ],
      payload: {},
    });
    const asked = await harbour.botMessage({ matches: ({ content }) => content === "Post this?" });
    const [approve] = buttonsOf(asked);
    scene.mira.click(asked, approve ?? "");
    await until(() => expect(chosen).toEqual(["approve"]));
  });

  it("answers hundreds of messages in fifty channels, each channel in order", async () => {
    const scene = await open();
    const { guild, mira, bot } = scene;
    const channels = Array.from({ length: 50 }, (_, n) => guild.createChannel({ name: `room ${n}` }));
    const agent = await startAgent(scene, { store: createMemoryStore() });
    for (let round = 0; round < 5; round += 1) {
      for (const [n, channel] of channels.entries()) mira.say(channel, `<@${bot.id}> number ${round * 50 + n}`);
    }
    await until(() => expect(channels.reduce((sum, channel) => sum + saidBy(scene, channel).length, 0)).toBe(250));
    await agent.idle();
    for (const [n, channel] of channels.entries()) {
      expect(saidBy(scene, channel)).toEqual(Array.from({ length: 5 }, (_, round) => `heard number ${round * 50 + n}`));
    }
  }, 60_000);

  it("answers once what a process had accepted that died before it wrote down how far it had heard", async () => {
    const scene = await open();
    const { general, mira, bot } = scene;
    const store = createMemoryStore();
    const zeroth = await startAgent(scene, { store });
    const first = mira.say(general, `<@${bot.id}> number 0`);
    await until(async () => expect(await heardUpTo(store, general)).toBeGreaterThanOrEqual(BigInt(first.id)));
    await zeroth.idle();
    await zeroth.stop(0);
    const forgetful = (state: ClientParts["state"]): ClientParts["state"] => ({ ...state, set: async () => undefined });
    const dying = await startAgent(scene, { store, state: forgetful });
    mira.say(general, `<@${bot.id}> number 1`);
    await until(() => expect(saidBy(scene, general)).toHaveLength(2));
    await dying.idle();
    await dying.stop(0);
    mira.say(general, `<@${bot.id}> number 2`);
    const agent = await startAgent(scene, { store });
    await until(() => expect(saidBy(scene, general)).toHaveLength(3));
    await agent.idle();
    expect(saidBy(scene, general)).toEqual(["heard number 0", "heard number 1", "heard number 2"]);
  });

  it("remembers what it was late for, and does not answer it", async () => {
    const scene = await open();
    const { general, mira, bot } = scene;
    const store = createMemoryStore();
    const first = await startAgent(scene, { store });
    const before = mira.say(general, `<@${bot.id}> number 0`);
    await until(async () => expect(await heardUpTo(store, general)).toBeGreaterThanOrEqual(BigInt(before.id)));
    await first.idle();
    await first.stop(0);
    const missed = mira.say(general, `<@${bot.id}> number 1`);
    const second = await startAgent(scene, { store, platform: { answerWithinMs: 0 } });
    await until(async () => expect(await heardUpTo(store, general)).toBeGreaterThanOrEqual(BigInt(missed.id)));
    mira.say(general, `<@${bot.id}> number 2`);
    await until(() => expect(saidBy(scene, general)).toHaveLength(2));
    await second.idle();
    expect(saidBy(scene, general)).toEqual(["heard number 0", "heard number 2"]);
  });

  it("says a long answer in pieces Discord takes, none of it lost", async () => {
    const scene = await open();
    const { general, mira, bot } = scene;
    const words = Array.from({ length: 1_500 }, (_, n) => `word${n}`);
    const agent = await startAgent(scene, { store: createMemoryStore(), answer: () => words.join(" ") });
    mira.say(general, `<@${bot.id}> number 1`);
    await until(() => expect(saidBy(scene, general).join(" ").split(/\s+/)).toEqual(words));
    await agent.idle();
    for (const piece of saidBy(scene, general)) expect([...piece].length).toBeLessThanOrEqual(2_000);
  });
});

it("shows a message once after an unknown outcome, also when Discord has forgotten the nonce", async () => {
  const scene = await open({ nonceTtlMs: -1 });
  const { general, mira, hearing } = scene;
  const { client, signal } = await hearing();
  const question = mira.say(general, "well?");
  const delivery = { ...createDelivery(client, general.id, "Once."), replyToPlatformId: question.id };
  await client.send(delivery, signal);
  const receipt = await deliver(
    { delivery, createdAt: 0, isUnknown: true },
    {
      ...{
        client,
        clock: systemClock,
        random: () => 0.5,
        log: silentLog,
        onUnknown: "resend",
        maxAgeMs: 1_000,
        signal,
      },
      commit: async () => undefined,
    },
  );
  expect(receipt).toMatchObject({ state: "sent" });
  expect(saidBy(scene, general)).toEqual(["Once."]);
});
