import { TwitterApi } from "twitter-api-v2";
import { afterEach } from "vitest";
import {
  type App,
  type SimulatedUser,
  startTwitterSimulator,
  type TwitterSimulator,
  type TwitterSimulatorOptions,
} from "../index.ts";

/** A clock that stands still until it is moved. */
export function setClock(startAt = Date.UTC(2026, 5, 1)): { now(): number; advance(ms: number): void } {
  let now = startAt;
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
  };
}

const open: { close(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** Starts a simulator that is closed after the test. */
export async function start(options: TwitterSimulatorOptions = {}): Promise<TwitterSimulator> {
  const simulator = await startTwitterSimulator({
    onDefect: (error) => {
      throw error;
    },
    ...options,
  });
  open.push(simulator);
  return simulator;
}

/** An agent to a simulator that is ended after the test. */
export function agentOf(simulator: TwitterSimulator): ReturnType<TwitterSimulator["agent"]> {
  const agent = simulator.agent();
  open.push({ close: () => agent.destroy() });
  return agent;
}

/** A plain client with the four keys of an account. */
export function clientOf(simulator: TwitterSimulator, user: SimulatedUser, app?: App): TwitterApi {
  return new TwitterApi(simulator.credentials(user, app), { httpAgent: agentOf(simulator) });
}

/** What a client's call was refused with. */
export async function refusal(call: Promise<unknown>): Promise<{
  code: number;
  data: Record<string, unknown>;
  rateLimit?: { limit: number; remaining: number; reset: number };
}> {
  try {
    await call;
  } catch (error) {
    // The library's errors carry these.
    return error as Awaited<ReturnType<typeof refusal>>;
  }
  throw new Error("it was not refused");
}
