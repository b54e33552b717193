import type { Client, ClientParts, Command, Inbound, Log, PlatformChange } from "@troupe/core";
import { createClientState } from "@troupe/core/client";
import { systemClock } from "@troupe/core/clock";
import { silentLog } from "@troupe/core/log";
import { createMemoryStore } from "@troupe/core/testing";
import {
  type DiscordSimulator,
  type DiscordSimulatorOptions,
  type SimulatedBot,
  type SimulatedChannel,
  type SimulatedGuild,
  type SimulatedUser,
  startDiscordSimulator,
} from "@troupe/simulator-discord";
import { createDiscordClient } from "../client.ts";
import type { DiscordOptions } from "../options.ts";

/** What differs from a client that remembers nothing and has no commands. */
export type ClientSetting = {
  readonly options?: Partial<DiscordOptions>;
  readonly settings?: DiscordOptions["settings"];
  readonly store?: ReturnType<typeof createMemoryStore>;
  readonly commands?: readonly Command[];
  readonly log?: Log;
};

/** A simulator with a bot, a guild, a channel and a person, and clients on it. */
export type Scene = {
  readonly simulator: DiscordSimulator;
  readonly bot: SimulatedBot;
  readonly guild: SimulatedGuild;
  readonly general: SimulatedChannel;
  readonly mira: SimulatedUser;
  /** A client that is not started. */
  make(setting?: ClientSetting): Client;
  /** A client that hears. */
  hearing(setting?: ClientSetting): Promise<Hearing>;
  close(): Promise<void>;
};

/** A started client and what it heard. */
export type Hearing = {
  readonly client: Client;
  readonly heard: Inbound[];
  readonly changes: PlatformChange[];
  readonly signal: AbortSignal;
  readonly texts: () => string[];
  readonly stop: () => void;
};

/** Sets one up; limits are off unless the options say otherwise. */
export async function openScene(options: DiscordSimulatorOptions = {}): Promise<Scene> {
  const simulator = await startDiscordSimulator({ limits: false, ...options });
  const [bot] = simulator.bots;
  if (!bot) throw new Error("the scene has no bot");
  const mira = simulator.createUser({ name: "mira", displayName: "Mira" });
  const guild = simulator.createGuild({ name: "Harbour" });
  guild.add(mira);
  const general = guild.createChannel({ name: "general" });
  const stops: (() => void)[] = [];
  const make = (setting: ClientSetting = {}): Client =>
    createDiscordClient(toOptions(simulator, bot, setting), toParts(setting));
  return {
    simulator,
    bot,
    guild,
    general,
    mira,
    make,
    async hearing(setting) {
      const started = make(setting);
      const controller = new AbortController();
      stops.push(() => controller.abort());
      const heard: Inbound[] = [];
      const changes: PlatformChange[] = [];
      await started.start(async (told) => {
        if ("memory" in told) heard.push(told);
        else changes.push(told);
      }, controller.signal);
      return {
        client: started,
        heard,
        changes,
        signal: controller.signal,
        texts: () => heard.map(({ memory }) => memory.content.text),
        stop: () => controller.abort(),
      };
    },
    async close() {
      for (const stop of stops) stop();
      await simulator.close();
    },
  };
}

/** A client's options for a simulator. */
export function toOptions(simulator: DiscordSimulator, bot: SimulatedBot, setting: ClientSetting = {}): DiscordOptions {
  return {
    token: bot.token,
    agentId: "8b9d2c3e-0000-4000-8000-000000000001",
    agentName: "Ada",
    rest: { api: simulator.apiUrl },
    ...(setting.settings && { settings: setting.settings }),
    ...setting.options,
  };
}

/** What a client is made of in a test: real time, a store in memory. */
export function toParts({
  store = createMemoryStore(),
  commands = [],
  log = silentLog,
}: ClientSetting = {}): ClientParts {
  return {
    log,
    clock: systemClock,
    random: () => 0.5,
    state: createClientState({ agentId: "agent", platform: "discord", account: "test", keyValues: store.keyValues }),
    commands: () => commands,
  };
}
