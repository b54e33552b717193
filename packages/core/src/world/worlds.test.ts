import { afterEach, describe, expect, it } from "vitest";
import type { Inbound } from "../inbox/inbound.ts";
import type { JsonObject } from "../json.ts";
import type { Log } from "../log.ts";
import type { ChannelType } from "../memory/memory.ts";
import type { Plugin } from "../plugin/plugin.ts";
import type { Runtime } from "../plugin/runtime.ts";
import type { World } from "../room/room.ts";
import { createInbound } from "../testing/create-inbound.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createStages, type Setting, type Stage } from "../testing/stage.ts";

const stages = createStages();
afterEach(() => stages.close());

const about = { platform: "scripted", account: "scripted" };
const town: World = {
  id: "town",
  ...about,
  platformId: "t",
  name: "Town",
  data: { ownerId: "olga", adminIds: ["ann"] },
};
const ford: World = { id: "ford", ...about, platformId: "f", name: "Ford", data: { ownerId: "olga" } };

type Said = {
  readonly from?: string;
  readonly room?: string;
  readonly world?: World | null;
  readonly mention?: boolean;
  readonly isBot?: boolean;
  readonly command?: JsonObject;
};

let events = 0;

function inbound({ agent }: Stage, text: string, said: Said = {}): Inbound {
  const { from = "bo", world = town, room = world ? `hall-${world.id}` : from, command } = said;
  events += 1;
  const channelType: ChannelType = world ? "group" : "dm";
  const heard = createInbound(
    { agentId: agent.agentId, ...about },
    {
      ...{ text, eventId: `e${events}`, from, room, channelType, at: events },
      ...(said.mention === true && { mention: { mentionsAgent: true } }),
      ...(said.isBot === true && { isBot: true }),
      ...(command && { command: { name: "settings", parameters: command } }),
    },
  );
  return world ? { ...heard, world, room: { ...heard.room, worldId: world.id } } : heard;
}

/** Somebody says it, and what is answered. */
async function say(stage: Stage, text: string, said: Said = {}): Promise<string | null> {
  const before = stage.texts().length;
  await stage.agent.receive(inbound(stage, text, said));
  await stage.agent.idle();
  return stage.texts().slice(before).join("\n") || null;
}

/** Somebody asks by command. */
const settings = (stage: Stage, words: string, said: Said = {}): Promise<string | null> =>
  say(stage, `/settings ${words}`, { from: "olga", ...said, command: { text: words } });

const open = (setting: Partial<Setting> = {}): Promise<Stage> =>
  stages.open({ script: () => '{"text":"Hello."}', small: () => "[RESPOND]", ...setting });

/** A log that keeps every line, whatever its level. */
function logInto(lines: unknown[]): Log {
  const keep = (...line: readonly unknown[]): void => void lines.push(line);
  const log: Log = { error: keep, warn: keep, info: keep, debug: keep, child: () => log };
  return log;
}

const promptOf = (stage: Stage): string =>
  stage.model.requests
    .at(-1)
    ?.messages.map(({ content }) => content)
    .join("\n") ?? "";

describe("settings of a server", () => {
  it("are shown and changed by its owner and admins, and by nobody else", async () => {
    const stage = await open();
    expect(await settings(stage, "")).toContain("Settings of Town:\n- onlyMentions: as usual");
    expect(await settings(stage, "onlyMentions yes")).toContain("onlyMentions must be");
    expect(await settings(stage, "onlyMentions true", { from: "ann" })).toBe("onlyMentions is on in Town now.");
    expect(await settings(stage, "only_mentions")).toContain("- onlyMentions: on");
    for (const words of ["", "onlyMentions false"]) {
      expect(await settings(stage, words, { from: "bo" })).toBe("Only an owner or admin may see and change settings.");
    }
    expect(await settings(stage, "volume 11")).toContain('There is no setting "volume". There are: onlyMentions,');
    expect(await settings(stage, "only mentions default")).toBe("onlyMentions is the usual again in Town.");
  });

  it("decide when it speaks, in that server and over restarts", async () => {
    const store = createMemoryStore();
    const first = await open({ store });
    expect(await say(first, "Nice day")).toBe("Hello.");
    await settings(first, "onlyMentions true");
    await first.agent.stop(0);
    const stage = await open({ store });
    expect(await say(stage, "Nice day")).toBeNull();
    expect(await say(stage, "Nice day", { mention: true })).toBe("Hello.");
    expect(await say(stage, "Nice day", { world: ford })).toBe("Hello.");
  });

  it("hold for one room where they are set for it, over those of the server", async () => {
    const stage = await open();
    await settings(stage, "onlyMentions true");
    const parameters = { name: "onlyMentions", value: "false", where: "room" };
    const said = { from: "olga", room: "square", command: parameters };
    expect(await say(stage, "/settings", said)).toBe("onlyMentions is off in this room now.");
    expect(await say(stage, "Nice day")).toBeNull();
    expect(await say(stage, "Nice day", { room: "square" })).toBe("Hello.");
    expect(await settings(stage, "onlyMentions", { room: "square" })).toContain("onlyMentions: on; in this room off");
  });

  it("go over the character's own, as far as it lets them", async () => {
    const character = { settings: { shouldIgnoreBotMessages: true, worldSettings: ["ignore-bots"] } };
    const stage = await open({ character });
    expect(await say(stage, "Beep", { isBot: true })).toBeNull();
    await settings(stage, "ignoreBots false");
    expect(await say(stage, "Beep", { isBot: true })).toBe("Hello.");
    expect(await settings(stage, "quietHours 22:00-07:00")).toContain("There is no setting");
    const none = await open({ character: { settings: { worldSettings: false } } });
    expect(await settings(none, "onlyMentions true")).toContain("There is no setting");
  });

  it.each([
    ["quietHours 00:00-23:59", "quietHours is 00:00-23:59 in Town now.", null],
    ["quiet hours: off", "quietHours is off in Town now.", "Hello."],
    ["quietHours soon", "quietHours must be of the form 22:00-07:00, or off.", "Hello."],
    ["timeZone Mars", "timeZone is no time zone; use a name such as Europe/Berlin.", "Hello."],
    ["talkShare 0.5", "talkShare is 0.5 in Town now.", "Hello."],
    ["talkShare 7", expect.stringContaining("talkShare must be"), "Hello."],
  ])("are checked: %s", async (words, answer, then) => {
    const stage = await open();
    expect(await settings(stage, words)).toEqual(answer);
    expect(await say(stage, "Nice day")).toBe(then);
  });

  it("narrow what it may do, and never what they are changed with", async () => {
    const stage = await open();
    expect(await settings(stage, "actions.exclude DANCE")).toBe("DANCE is neither an action nor a tag of actions.");
    expect(await settings(stage, "actions.exclude settings")).toContain("may not name what settings are changed with");
    expect(await settings(stage, "actions.include send_message")).toBe("actions.include is send_message in Town now.");
    await say(stage, "Nice day");
    expect(promptOf(stage)).toContain("SEND_MESSAGE");
    expect(promptOf(stage)).not.toContain("FOLLOW_ROOM");
    expect(await settings(stage, "actions.include default")).toContain("the usual again");
    await say(stage, "Nice day");
    expect(promptOf(stage)).toContain("FOLLOW_ROOM");
  });

  it("are changed by the model for an owner, and refused to it for others", async () => {
    const change = { name: "UPDATE_SETTING", parameters: { name: "onlyMentions", value: "true" } };
    const call = JSON.stringify({ actions: [change], text: "" });
    const stage = await open({ script: () => call });
    await say(stage, "Speak only when spoken to", { from: "bo", mention: true });
    expect(await settings(stage, "onlyMentions")).toContain("as usual");
    expect(await say(stage, "Speak only when spoken to", { from: "olga", mention: true })).toBe(
      "onlyMentions is on in Town now.",
    );
  });

  it("stay with a server that the platform gave another id, with its roles", async () => {
    const stage = await open();
    await settings(stage, "onlyMentions true");
    const before = inbound(stage, "").room;
    const grown: World = { ...town, id: "city", platformId: "c" };
    const room = { ...before, id: "city-hall", platformId: "hall-city", worldId: grown.id };
    await stage.agent.receive({ kind: "world", world: grown });
    await stage.agent.receive({ kind: "moved", fromRoomId: before.id, room });
    const heard = inbound(stage, "Nice day", { world: grown });
    await stage.agent.receive(heard);
    await stage.agent.idle();
    expect(stage.texts()).toHaveLength(1);
  });

  it("belong to servers only", async () => {
    const stage = await open();
    expect(await settings(stage, "onlyMentions true", { from: "bo", world: null })).toBe(
      "You are owner or admin of no server in which I am.",
    );
  });
});

describe("settings in direct messages", () => {
  it("are those of the server somebody leads, which is to be named if there are several", async () => {
    const stage = await open();
    await say(stage, "Hi", { world: town });
    expect(await settings(stage, "", { world: null })).toContain("Settings of Town:");
    await say(stage, "Hi", { world: ford });
    expect(await settings(stage, "talkShare 0.2", { world: null })).toBe(
      "Which server? Name one with server: Ford, Town.",
    );
    const named = { name: "talkShare", value: "0.2", server: "ford" };
    expect(await say(stage, "/settings", { from: "olga", world: null, command: named })).toBe(
      "talkShare is 0.2 in Ford now.",
    );
  });

  it("are in the prompt for whoever leads a server, and never in a group", async () => {
    const stage = await open();
    await settings(stage, "talkShare 0.2");
    await say(stage, "How is it?", { from: "olga", world: null });
    expect(promptOf(stage)).toContain('Of "Town":\n- onlyMentions: as usual');
    expect(promptOf(stage)).toContain("- talkShare: 0.2");
    await say(stage, "How is it?", { from: "olga", mention: true });
    expect(promptOf(stage)).not.toContain("talkShare: 0.2");
    await say(stage, "How is it?", { from: "bo", world: null });
    expect(promptOf(stage)).not.toContain("talkShare");
  });
});

describe("settings of plugins", () => {
  const secret = "sk-very-secret-value";

  async function withShop(
    setting: Partial<Setting> = {},
  ): Promise<{ readonly stage: Stage; readonly runtime: () => Runtime }> {
    let given: Runtime | null = null;
    const shop: Plugin = {
      name: "shop",
      settings: [
        {
          name: "currency",
          description: "What prices are in.",
          schema: { type: "string", enum: ["EUR", "GBP"], default: "EUR" },
        },
        {
          name: "apiKey",
          description: "The key of the shop.",
          schema: { type: "string", pattern: "^sk-" },
          secret: true,
        },
      ],
      init: (_config, runtime) => void (given = runtime),
    };
    const stage = await open({ plugins: [shop], ...setting });
    const runtime = (): Runtime => {
      if (!given) throw new Error("the plugin was not installed");
      return given;
    };
    return { stage, runtime };
  }

  /** Everything that is kept of what was said and done. */
  async function everything(stage: Stage): Promise<string> {
    const { store, agent } = stage;
    const { agentId } = agent;
    const memories = await store.memories.list(agentId, { types: ["message"], limit: 500 });
    const runs = await store.journal.runs(agentId, { limit: 500 });
    const entries = await Promise.all(runs.map(({ id }) => store.journal.entries(agentId, id)));
    const hashes = [...new Set(JSON.stringify(entries).match(/[0-9a-f]{64}/g))];
    const parts = [...(await store.journal.parts(agentId, hashes)).values()];
    const outbox = await store.outbox.list(agentId, { limit: 500 });
    return JSON.stringify([memories, entries, parts, outbox, stage.model.requests, stage.small.requests, stage.events]);
  }

  it("are checked by their own schema, and read with their defaults", async () => {
    const { stage, runtime } = await withShop();
    expect(await runtime().getWorldSetting("town", "currency")).toBe("EUR");
    expect(await settings(stage, "currency gbp")).toBe("currency is GBP in Town now.");
    expect(await runtime().getWorldSetting("town", "currency")).toBe("GBP");
    expect(await runtime().getWorldSetting("ford", "currency")).toBe("EUR");
    expect(await settings(stage, "currency USD")).toContain("currency must be");
    await expect(runtime().getWorldSetting("town", "onlyMentions")).rejects.toThrow("shop declares no setting");
  });

  it("that are secret are asked for in direct messages, and are found nowhere afterwards", async () => {
    const lines: unknown[] = [];
    const { stage, runtime } = await withShop({ log: logInto(lines) });
    await say(stage, "Hi");
    const direct = { from: "olga", world: null };
    expect(await settings(stage, "apiKey", direct)).toContain(
      "Send me the value of apiKey for Town as your next message.",
    );
    expect(await say(stage, secret, direct)).toBe("apiKey is set for Town. Delete your message if you can.");
    expect(await runtime().getWorldSetting("town", "apiKey")).toBe(secret);
    expect(await settings(stage, "apikey", direct)).toContain("Send me the value");
    expect(await say(stage, "cancel", direct)).toBe("Hello.");
    expect(await say(stage, "What is my key?", direct)).toBe("Hello.");
    expect(promptOf(stage)).toContain("- apiKey: set (a secret)");
    expect(await everything(stage)).not.toContain(secret);
    expect(JSON.stringify(lines)).not.toContain(secret);
    expect(await settings(stage, "", {})).toContain("- apiKey: set (a secret)");
  });

  it("that are secret are taken out of a command too, and refused in a group", async () => {
    const { stage, runtime } = await withShop();
    expect(await settings(stage, `apiKey ${secret}`)).toMatch(
      /^apiKey is a secret: write to me directly .*Delete that message/,
    );
    expect(await runtime().getWorldSetting("town", "apiKey")).toBeNull();
    expect(await settings(stage, `apiKey ${secret}`, { from: "olga", world: null })).toContain("apiKey is set");
    expect(await runtime().getWorldSetting("town", "apiKey")).toBe(secret);
    await say(stage, "Nice day");
    expect(await everything(stage)).not.toContain(secret);
    expect(await settings(stage, "apiKey default", { from: "olga", world: null })).toBe("apiKey is forgotten.");
    expect(await runtime().getWorldSetting("town", "apiKey")).toBeNull();
  });

  it("that are secret are kept out when the message is corrected, and when it cannot be one", async () => {
    const { stage, runtime } = await withShop();
    await say(stage, "Hi");
    const direct = { from: "olga", world: null };
    await settings(stage, "apiKey", direct);
    const message = inbound(stage, `x${secret}`, direct);
    await stage.agent.receive(message);
    await stage.agent.idle();
    expect(stage.texts().at(-1)).toContain("That cannot be a value of apiKey: The key of the shop.");
    const { id: memoryId, roomId } = message.memory;
    await stage.agent.receive({ kind: "edited", roomId, memoryId, content: { text: secret } });
    await stage.agent.idle();
    await say(stage, "And now?", direct);
    expect(await everything(stage)).not.toContain(secret);
    expect(await runtime().getWorldSetting("town", "apiKey")).toBeNull();
  });

  it("that are secret no model can set, and nobody else can give", async () => {
    const call = (value: string) =>
      JSON.stringify({ actions: [{ name: "UPDATE_SETTING", parameters: { name: "apiKey", value } }], text: "" });
    const { stage, runtime } = await withShop({ script: () => call("sk-from-the-model") });
    await settings(stage, "");
    expect(await say(stage, "Set the key", { from: "olga", world: null })).toContain("Send me the value of apiKey");
    expect(await runtime().getWorldSetting("town", "apiKey")).toBeNull();
    expect(await settings(stage, "apiKey sk-mine", { from: "bo", world: null })).toContain(
      "owner or admin of no server",
    );
    expect(await runtime().getWorldSetting("town", "apiKey")).toBeNull();
  });

  it("of one name are refused to the second plugin", async () => {
    const lines: unknown[] = [];
    const mine = {
      name: "a",
      settings: [{ name: "quiet_hours", description: "x", schema: { type: "string" } }],
    } as const;
    await open({ plugins: [mine], log: logInto(lines) });
    expect(JSON.stringify(lines)).toContain("a declares the setting quiet_hours, a name that is taken; rename it");
  });
});

describe("a server the agent is taken into", () => {
  it("hears nothing until somebody speaks", async () => {
    const stage = await open();
    const { room, entity } = inbound(stage, "");
    await stage.agent.receive({ kind: "joined", world: town, room, entity, isAgent: true });
    await stage.agent.idle();
    expect(stage.texts()).toEqual([]);
    expect(stage.events.map(({ type }) => type)).toContain("ROOM_JOINED");
  });

  it("hears what its character says to that, once", async () => {
    const stage = await open({ character: { settings: { joinMessage: "Good day, I am Ada." } } });
    const { room, entity } = inbound(stage, "");
    const joined = { kind: "joined", world: town, room, entity, isAgent: true } as const;
    await stage.agent.receive(joined);
    await stage.agent.receive(joined);
    await stage.agent.receive({ ...joined, isAgent: false });
    await stage.agent.idle();
    expect(stage.texts()).toEqual(["Good day, I am Ada."]);
    expect(stage.model.requests).toEqual([]);
  });
});
