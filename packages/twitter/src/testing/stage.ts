import {
  type Client,
  type ClientParts,
  type ClientState,
  type Clock,
  type Delivery,
  type Inbound,
  type PlatformSettings,
  type Receive,
  type SendResult,
  silentLog,
  systemClock,
} from "@troupe/core";
import { createClientState } from "@troupe/core/client";
import { createDelivery, createMemoryStore } from "@troupe/core/testing";
import {
  type SimulatedUser,
  startTwitterSimulator,
  type TwitterSimulator,
  type TwitterSimulatorOptions,
} from "@troupe/simulator-twitter";
import { afterEach, vi } from "vitest";
import { createTwitterClient } from "../client.ts";
import type { TwitterOptions } from "../options.ts";

const closers: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Something to be done when the test is over. */
export function onEnd(close: () => Promise<void> | void): void {
  closers.push(close);
}

/** An X for one test, with room for anybody who asks often. */
export async function openTwitter(options: TwitterSimulatorOptions = {}): Promise<TwitterSimulator> {
  const plenty = { user: 1_000_000 };
  const simulator = await startTwitterSimulator({
    limits: { "GET /2/users/:id/mentions": plenty, "GET /2/dm_events": plenty, "GET /2/users/:id/tweets": plenty },
    onDefect: (error) => {
      throw error;
    },
    ...options,
  });
  onEnd(() => simulator.close());
  return simulator;
}

/** A clock of today on which every wait is over in a moment. */
export const hastyClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 2), signal),
};

/** A client's state, which several may share. */
export function createState(): ClientState {
  const { keyValues } = createMemoryStore({ clock: systemClock });
  return createClientState({ agentId: "agent", platform: "twitter", account: "test", keyValues });
}

/** How a connected client is to be. */
export type Setting = {
  readonly settings?: PlatformSettings;
  readonly options?: Partial<TwitterOptions>;
  readonly parts?: Partial<ClientParts>;
  readonly receive?: Receive;
};

/** A client for an account of a simulator. */
export function clientOf(simulator: TwitterSimulator, bot: SimulatedUser, setting: Setting = {}): Client {
  const { settings, options, parts } = setting;
  return createTwitterClient(
    {
      credentials: simulator.credentials(bot),
      agentId: "agent",
      agentName: "Ada",
      settings: { mentions: true, pollIntervalSeconds: 0.01, dailySpendUsd: "unlimited", ...settings },
      apiRoot: simulator.url,
      ...options,
    },
    {
      log: silentLog,
      clock: hastyClock,
      random: () => 0.5,
      state: createState(),
      commands: () => [],
      ...parts,
    },
  );
}

/** A client that is connected, and what it heard. */
export type Stage = {
  readonly simulator: TwitterSimulator;
  readonly bot: SimulatedUser;
  readonly client: Client;
  readonly heard: readonly Inbound[];
  readonly signal: AbortSignal;
  stop(): void;
  /** Sends a text, or whatever else a delivery has, to a room; each with a run of its own. */
  deliver(room: string, content: string | Partial<Delivery>): Promise<SendResult>;
  /** The next event that is heard, by its number. */
  nth(number: number): Promise<Inbound>;
};

/** Waits for something to be true. */
export const until = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 5_000, interval: 2 });

/** A delivery with a run of its own. */
export function deliveryOf(client: Client, room: string, content: string | Partial<Delivery>, n: number): Delivery {
  const more = typeof content === "string" ? {} : content;
  const text = typeof content === "string" ? content : (content.content?.text ?? "");
  const base = createDelivery(client, room, text, 0);
  return { ...base, runId: `run-${n}`, key: `run-${n}/1.text/0`, nonce: `nonce${n}`, ...more };
}

/** Connects a client to an X of its own, or to one that is there. */
export async function connect(
  setting: Setting = {},
  existing?: { readonly simulator: TwitterSimulator; readonly bot: SimulatedUser },
): Promise<Stage> {
  const simulator = existing?.simulator ?? (await openTwitter());
  const bot = existing?.bot ?? simulator.createUser({ username: "ada_bot", name: "Ada" });
  const client = clientOf(simulator, bot, setting);
  const stopping = new AbortController();
  onEnd(() => stopping.abort());
  const heard: Inbound[] = [];
  await client.start(async (told) => {
    await setting.receive?.(told);
    if ("memory" in told) heard.push(told);
  }, stopping.signal);
  let deliveries = 0;
  return {
    ...{ simulator, bot, client, heard },
    signal: stopping.signal,
    stop: () => stopping.abort(),
    deliver(room, content) {
      deliveries += 1;
      return client.send(deliveryOf(client, room, content, deliveries), stopping.signal);
    },
    nth: (number) =>
      vi.waitFor(
        () => {
          const found = heard[number];
          if (!found) throw new Error(`Only ${heard.length} events were heard.`);
          return found;
        },
        { timeout: 5_000, interval: 2 },
      ),
  };
}
