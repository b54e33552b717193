import {
  type ClientParts,
  type Clock,
  type Command,
  type Delivery,
  type Inbound,
  type PlatformChange,
  type Receive,
  type SendResult,
  silentLog,
  systemClock,
} from "@troupe/core";
import { createClientState } from "@troupe/core/client";
import { createDelivery, createMemoryStore } from "@troupe/core/testing";
import {
  startTelegramSimulator,
  type TelegramSimulator,
  type TelegramSimulatorOptions,
} from "@troupe/simulator-telegram";
import { afterEach, vi } from "vitest";
import { createTelegramClient, type TelegramClient } from "../client.ts";
import type { TelegramOptions } from "../options.ts";

const closers: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Something to be done when the test is over. */
export function onEnd(close: () => Promise<void> | void): void {
  closers.push(close);
}

/** A Telegram for one test, without flood control unless it is asked for. */
export async function openTelegram(options: TelegramSimulatorOptions = {}): Promise<TelegramSimulator> {
  const simulator = await startTelegramSimulator({
    flood: false,
    bots: [{ username: "ada_bot", firstName: "Ada", hasPrivacyMode: false }],
    ...options,
  });
  onEnd(() => simulator.close());
  return simulator;
}

/** A clock of today on which every wait is over at once. */
export const hastyClock: Clock = {
  now: () => Date.now(),
  sleep: (_ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      setImmediate(() => (signal?.aborted === true ? reject(signal.reason) : resolve()));
    }),
};

/** Parts of a client, with a state that several may share. */
function clientParts(more: Partial<ClientParts> = {}): ClientParts {
  const { keyValues } = createMemoryStore({ clock: systemClock });
  return {
    log: silentLog,
    clock: systemClock,
    random: () => 0.5,
    state: createClientState({ agentId: "agent", platform: "telegram", account: "test", keyValues }),
    commands: () => [],
    ...more,
  };
}

/** How a connected client is to be. */
export type Setting = {
  readonly options?: Partial<TelegramOptions>;
  readonly parts?: Partial<ClientParts>;
  readonly simulator?: TelegramSimulatorOptions;
  readonly receive?: Receive;
};

/** A client that hears, and the Telegram it is connected to. */
export type Stage = {
  readonly simulator: TelegramSimulator;
  readonly client: TelegramClient;
  readonly heard: readonly Inbound[];
  readonly changes: readonly PlatformChange[];
  readonly signal: AbortSignal;
  stop(): void;
  /** Sends a text, or whatever else a delivery has, to a room. */
  deliver(room: string | number, content: string | Partial<Delivery>): Promise<SendResult>;
  /** The next message that is heard, by its number. */
  nth(number: number): Promise<Inbound>;
};

/** A client for a simulator. */
export function clientOf(simulator: TelegramSimulator, { options, parts }: Setting = {}): TelegramClient {
  return createTelegramClient(
    {
      token: simulator.bot().token(),
      agentId: "agent",
      agentName: "Ada",
      settings: {},
      apiRoot: simulator.url,
      rates: false,
      pollMs: 5_000,
      ...options,
    },
    clientParts(parts),
  );
}

/** Connects a client to a Telegram of its own, or to one that is there. */
export async function connect(setting: Setting = {}, existing?: TelegramSimulator): Promise<Stage> {
  const simulator = existing ?? (await openTelegram(setting.simulator));
  const client = clientOf(simulator, setting);
  const stopping = new AbortController();
  onEnd(() => stopping.abort());
  const heard: Inbound[] = [];
  const changes: PlatformChange[] = [];
  await client.start(async (told) => {
    await setting.receive?.(told);
    if ("memory" in told) heard.push(told);
    else changes.push(told);
  }, stopping.signal);
  await vi.waitFor(
    () => {
      if (setting.options?.webhook === undefined && simulator.requests("getUpdates").length === 0) throw new Error("…");
    },
    { interval: 2 },
  );
  let deliveries = 0;
  return {
    simulator,
    client,
    heard,
    changes,
    signal: stopping.signal,
    stop: () => stopping.abort(),
    deliver(room, content) {
      deliveries += 1;
      const more = typeof content === "string" ? {} : content;
      const text = typeof content === "string" ? content : (content.content?.text ?? "");
      return client.send({ ...createDelivery(client, String(room), text, deliveries), ...more }, stopping.signal);
    },
    nth: (number) =>
      vi.waitFor(
        () => {
          const found = heard[number];
          if (!found) throw new Error(`Only ${heard.length} messages were heard.`);
          return found;
        },
        { timeout: 5_000, interval: 2 },
      ),
  };
}

/** A command without parameters. */
export const command = (name: string): Command => ({ name, description: `Does ${name}.`, parameters: [] });
