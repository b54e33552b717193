import { type Agent, type Clock, type Store, silentLog, systemClock } from "@troupe/core";
import { createAgent } from "@troupe/core/agent";
import { readCharacter } from "@troupe/core/character";
import { createMemoryStore, createScriptedModel } from "@troupe/core/testing";
import type { TelegramSimulator, UserHandle } from "@troupe/simulator-telegram";
import { afterEach, describe, expect, it, vi } from "vitest";
import { clientOf, hastyClock, openTelegram, type Setting } from "./testing/stage.ts";

const agents: Agent[] = [];
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.stop(0)));
});

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 5 });

type Cast = Setting & { readonly store?: Store; readonly platform?: object; readonly clock?: Clock };

/** Waits before another attempt are over at once, deadlines are not. */
const impatient: Clock = {
  ...systemClock,
  sleep: (ms, signal) => (ms < 100_000 ? hastyClock : systemClock).sleep(ms, signal),
};

/** An agent that repeats what it hears, at work on a Telegram. */
async function startAgent(
  simulator: TelegramSimulator,
  { store, platform = {}, clock = systemClock, ...setting }: Cast = {},
) {
  const reading = readCharacter(
    { id: "8b9d2c3e-0000-4000-8000-000000000001", name: "Ada", bio: "An engineer.", platforms: { telegram: platform } },
    { source: "test" },
  );
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  const client = clientOf(simulator, setting);
  const agent = createAgent({
    character: reading.character,
    store: store ?? createMemoryStore({ clock: systemClock }),
    models: {
      TEXT_LARGE: createScriptedModel((request) => {
        const said = /number \d+/.exec(lastLine(request))?.[0] ?? "nothing";
        return JSON.stringify({ text: `heard ${said}` });
      }),
      TEXT_SMALL: createScriptedModel(() => "[RESPOND]"),
    },
    clients: [client],
    clock,
    random: () => 0.5,
    log: silentLog,
    owner: `test-${agents.length}`,
  });
  agents.push(agent);
  await agent.start();
  return { agent, client };
}

/** The newest message in a prompt. */
function lastLine(request: unknown): string {
  return (
    JSON.stringify(request)
      .match(/number \d+/g)
      ?.at(-1) ?? ""
  );
}

describe("an agent on Telegram", () => {
  it("answers hundreds of messages in fifty chats, each chat in order", async () => {
    const simulator = await openTelegram();
    const bot = simulator.bot();
    const people = Array.from({ length: 50 }, () => simulator.createUser());
    let count = 0;
    for (let round = 0; round < 5; round += 1) {
      for (const person of people) person.say(bot, `number ${(count += 1)}`);
    }
    const { agent } = await startAgent(simulator, { platform: { coalesceMs: 0 } });
    await until(() => expect(bot.updates.pending()).toBe(0));
    await agent.idle();
    const numbers = people.map((person) => said(simulator, person).map((text) => Number(/\d+/.exec(text ?? "")?.[0])));
    for (const [index, heard] of numbers.entries()) {
      expect(heard).toEqual(Array.from({ length: 5 }, (_, round) => round * 50 + index + 1));
    }
  }, 60_000);

  it("answers once what was kept by a process that died before it told Telegram so", async () => {
    const simulator = await openTelegram();
    const bot = simulator.bot();
    const bo = simulator.createUser();
    const store = createMemoryStore({ clock: systemClock });
    const first = await startAgent(simulator, { store });
    bo.say(bot, "number 1");
    await until(() => expect(bot.updates.pending()).toBe(0));
    await first.agent.idle();
    await first.agent.stop(0);
    bot.updates.again(bot.updates.past().at(-1)?.update_id ?? 0);
    bo.say(bot, "number 2");
    const { agent } = await startAgent(simulator, { store });
    await until(() => expect(bot.updates.pending()).toBe(0));
    await agent.idle();
    await until(() => expect(said(simulator, bo)).toEqual(["heard number 1", "heard number 2"]));
  });

  it("holds a message of unknown outcome where the character's file says so, and sends it again elsewhere", async () => {
    const simulator = await openTelegram();
    const [held, resent] = [simulator.createUser(), simulator.createUser()];
    const onUnknown = { [String(held.id)]: "hold" };
    const options = { settings: { onUnknown } };
    const { agent } = await startAgent(simulator, {
      options,
      platform: { onUnknown },
      parts: { clock: impatient },
      clock: impatient,
    });
    for (const user of [held, resent]) {
      simulator.fault("sendMessage", { type: "drop", when: "before" });
      user.say(simulator.bot(), "number 1");
      await until(() => expect(simulator.bot().updates.pending()).toBe(0));
      await agent.idle();
    }
    expect(said(simulator, held)).toEqual([]);
    expect(said(simulator, resent)).toEqual(["heard number 1"]);
  });

  it("is silent about what is too old, in groups that are off, and answers in topics of an allowed chat", async () => {
    let now = Date.now() - 3 * 86_400_000;
    const simulator = await openTelegram({ clock: { now: () => now } });
    const bo = simulator.createUser();
    const forum = simulator.createSupergroup({ isForum: true, members: [bo, simulator.bot()], isSettled: true });
    const other = simulator.createSupergroup({ members: [bo, simulator.bot()], isSettled: true });
    const topic = forum.createTopic("Cats");
    now = Date.now() - 20 * 3_600_000;
    bo.say(forum, { text: "@ada_bot number 1", topic });
    now = Date.now();
    bo.say(forum, { text: "number 2", topic });
    bo.say(other, "number 3");
    const platform = { allowedRoomIds: [String(forum.id)], groupPolicy: "all" };
    const options = { settings: { answerWithinMs: 3_600_000 } };
    const { agent } = await startAgent(simulator, { platform, options });
    await until(() => expect(simulator.bot().updates.pending()).toBe(0));
    await agent.idle();
    const answers = [...forum.messages(), ...other.messages()].filter(({ from }) => from?.id === simulator.bot().id);
    expect(answers.map(({ text, message_thread_id }) => [text, message_thread_id])).toEqual([
      ["heard number 2", topic],
    ]);
  });
});

/** What the bot said to somebody in private. */
function said(simulator: TelegramSimulator, user: UserHandle): readonly (string | undefined)[] {
  const messages = user.chatWith(simulator.bot()).messages();
  return messages.filter(({ from }) => from?.id === simulator.bot().id).map(({ text }) => text);
}
