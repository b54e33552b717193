import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { DiscordSimulator } from "../simulator.ts";

type Payload = { readonly op: number; readonly t?: string; readonly s?: number; readonly d?: Record<string, unknown> };

/** A bare connection to the gateway: what came, in order, to be taken one by one. */
export type Socket = {
  send(payload: unknown): void;
  /** The next payload that fits, leaving out what came before. */
  next(fits: (payload: Payload) => boolean): Promise<Payload>;
  /** The names of the events that came so far. */
  events(): readonly string[];
  readonly closed: Promise<number>;
  close(code?: number): void;
};

/** Opens one, closed when the test is over. */
export function connect(simulator: DiscordSimulator, query = "v=10&encoding=json"): Socket {
  const socket = new WebSocket(`${simulator.url.replace("http", "ws")}/?${query}`);
  const waiting: Payload[] = [];
  const names: string[] = [];
  let onPayload = (): void => undefined;
  socket.on("message", (bytes) => {
    const payload = JSON.parse(String(bytes)) as Payload; // The simulator's own.
    if (payload.t) names.push(payload.t);
    waiting.push(payload);
    onPayload();
  });
  const early: string[] = [];
  socket.on("open", () => {
    for (const text of early) socket.send(text);
  });
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  socket.on("error", () => socket.terminate());
  onTestFinished(() => socket.terminate());
  return {
    closed,
    events: () => names,
    send(payload) {
      const text = typeof payload === "string" ? payload : JSON.stringify(payload);
      if (socket.readyState === socket.OPEN) socket.send(text);
      else early.push(text);
    },
    next: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          for (let payload = waiting.shift(); payload; payload = waiting.shift()) {
            if (!fits(payload)) continue;
            onPayload = () => undefined;
            return resolve(payload);
          }
        };
        onPayload = look;
        look();
      }),
    close: (code) => socket.close(code),
  };
}

/** An IDENTIFY. All intents but the privileged ones are left to the test. */
export function identify(token: string, intents: number, shard?: readonly [number, number]): unknown {
  const properties = { os: "linux", browser: "test", device: "test" };
  return { op: 2, d: { token, intents, properties, ...(shard ? { shard } : {}) } };
}

/** Whether it is this event. */
export function isEvent(name: string): (payload: Payload) => boolean {
  return ({ op, t }) => op === 0 && t === name;
}
