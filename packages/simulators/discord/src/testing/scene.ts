import { Client, Events, GatewayIntentBits, Partials } from "discord.js";
import { onTestFinished } from "vitest";
import type { SimulatedChannel } from "../act/channel.ts";
import type { SimulatedGuild } from "../act/guild.ts";
import type { SimulatedUser } from "../act/user.ts";
import type { DiscordSimulatorOptions } from "../options.ts";
import { type DiscordSimulator, type SimulatedBot, startDiscordSimulator } from "../simulator.ts";

/** A simulator with one bot, one guild, one channel and one person in it, closed when the test is over. */
export type Scene = {
  readonly simulator: DiscordSimulator;
  readonly bot: SimulatedBot;
  readonly guild: SimulatedGuild;
  readonly general: SimulatedChannel;
  readonly mira: SimulatedUser;
};

/** Sets one up. Rate limits are off unless the options say otherwise. */
export async function startScene(options: DiscordSimulatorOptions = {}): Promise<Scene> {
  const defects: unknown[] = [];
  const simulator = await startDiscordSimulator({
    limits: false,
    onDefect: (error) => defects.push(error),
    ...options,
  });
  onTestFinished(async () => {
    await simulator.close();
    if (defects.length > 0) throw defects[0];
  });
  const bot = simulator.bots[0];
  if (!bot) throw new Error("the scene has no bot");
  const mira = simulator.createUser({ name: "mira", displayName: "Mira" });
  const guild = simulator.createGuild({ name: "Harbour" });
  guild.add(mira);
  const general = guild.createChannel({ name: "general" });
  return { simulator, bot, guild, general, mira };
}

const everything = Object.values(GatewayIntentBits).filter((bit): bit is GatewayIntentBits => typeof bit === "number");

/** What differs from a bot that asks for all intents. */
export type LoginOptions = {
  readonly token?: string;
  readonly intents?: readonly GatewayIntentBits[];
  readonly shards?: number[];
  readonly shardCount?: number;
};

/** A plain discord.js client for a simulator, destroyed when the test is over. */
function createClient(simulator: DiscordSimulator, options: LoginOptions = {}): Client {
  const client = new Client({
    intents: options.intents ?? everything,
    partials: [Partials.Channel, Partials.Message, Partials.Reaction, Partials.User],
    rest: { api: simulator.apiUrl, version: "10", timeout: 5000 },
    ...(options.shards ? { shards: options.shards } : {}),
    ...(options.shardCount === undefined ? {} : { shardCount: options.shardCount }),
  });
  client.on(Events.Error, (error) => {
    throw error;
  });
  onTestFinished(() => client.destroy());
  return client;
}

/** The same, logged in and ready. */
export async function login(simulator: DiscordSimulator, options: LoginOptions = {}): Promise<Client<true>> {
  const client = createClient(simulator, options);
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(options.token ?? simulator.bots[0]?.token ?? "");
  return await ready;
}

/** Asks the REST API as a bot does, without discord.js. */
export async function ask(
  simulator: DiscordSimulator,
  request: string,
  body?: unknown,
  token: string | null = simulator.bots[0]?.token ?? "",
): Promise<{ readonly status: number; readonly headers: Headers; readonly json: Record<string, unknown> }> {
  const [method = "GET", path = ""] = request.split(" ");
  const response = await fetch(`${simulator.apiUrl}/v10${path}`, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bot ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  // Every answer with a body is an object or a list here; the tests look at its fields.
  return {
    status: response.status,
    headers: response.headers,
    json: (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
}

/** A clock that goes when it is told to. */
export function createSetClock(startMs = 1_700_000_000_000): { now(): number; advance(ms: number): void } {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance(ms) {
      nowMs += ms;
    },
  };
}
