import { Telegraf } from "telegraf";
import { afterEach } from "vitest";
import { startTelegramSimulator, type TelegramSimulator, type TelegramSimulatorOptions } from "../index.ts";

type Closer = () => Promise<void> | void;
const closers: Closer[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Something to be done when the test is over. */
export function onEnd(close: Closer): void {
  closers.push(close);
}

/** A simulator for one test, without flood control unless it is asked for. */
export async function start(options: TelegramSimulatorOptions = {}): Promise<TelegramSimulator> {
  const simulator = await startTelegramSimulator({ flood: false, ...options });
  onEnd(() => simulator.close());
  return simulator;
}

/** A plain telegraf bot, pointed at the simulator. */
export function connect(simulator: TelegramSimulator, token = simulator.bot().token()): Telegraf {
  return new Telegraf(token, { telegram: { apiRoot: simulator.url, webhookReply: false } });
}

/** Lets a telegraf bot poll until the test is over; resolves when it asks for updates. */
export async function launch(simulator: TelegramSimulator, bot: Telegraf): Promise<void> {
  const running = bot.launch();
  const ended = running.catch((error: unknown) => error);
  onEnd(async () => {
    bot.stop();
    simulator.cut();
    await ended;
  });
  await until(() => simulator.requests("getUpdates").length > 0);
}

/** Waits for a turn of the event loop until something is so. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 20_000; turn += 1) {
    if (isSo()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error("It never came to be so");
}

/** What a call with plain fetch is answered with. */
export type Answer = {
  readonly status: number;
  readonly ok: boolean;
  readonly result?: unknown;
  readonly error_code?: number;
  readonly description?: string;
  readonly parameters?: Readonly<Record<string, number>>;
};

/** Calls a method with JSON. */
export async function call(
  simulator: TelegramSimulator,
  method: string,
  parameters: unknown = {},
  token = simulator.bot().token(),
): Promise<Answer> {
  const response = await fetch(`${simulator.url}/bot${token}/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(parameters),
  });
  return { status: response.status, ...((await response.json()) as Omit<Answer, "status">) };
}

/** A clock and timers that stand still until they are moved. */
export function setClock(startMs = Date.UTC(2026, 0, 1)) {
  let now = startMs;
  const waiting = new Set<{ readonly atMs: number; readonly run: () => void }>();
  return {
    clock: { now: () => now },
    timers: {
      after(delayMs: number, run: () => void) {
        const timer = { atMs: now + delayMs, run };
        waiting.add(timer);
        return () => {
          waiting.delete(timer);
        };
      },
    },
    /** How many wait. */
    count: () => waiting.size,
    /** How long until the next of them, in milliseconds. */
    nextMs: () => Math.min(...[...waiting].map(({ atMs }) => atMs - now)),
    /** Moves the time, and rings what was waiting for it. */
    advance(ms: number) {
      now += ms;
      for (const timer of [...waiting].sort((one, other) => one.atMs - other.atMs)) {
        if (timer.atMs > now || !waiting.delete(timer)) continue;
        timer.run();
      }
    },
  };
}
