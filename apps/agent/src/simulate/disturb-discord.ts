import type { DiscordSimulator } from "@troupe/simulator-discord";
import { pickOne } from "./stage.ts";

type Disturbance = readonly [what: string, disturb: (simulator: DiscordSimulator) => void];

const sends = "POST /api/v10/channels/*/messages";
const limited = {
  status: 429,
  headers: { "retry-after": "1.000", "x-ratelimit-scope": "user" },
  body: { message: "You are being rate limited.", retry_after: 1, global: false },
} as const;

const disturbances: readonly Disturbance[] = [
  [
    "the next message is answered with 502, and lost",
    ({ faults }) => faults.add({ match: sends, fault: { type: "answer", answer: { status: 502 } } }),
  ],
  [
    "the next message arrives, and is answered with 502",
    ({ faults }) => faults.add({ match: sends, fault: { type: "answer", answer: { status: 502 }, isApplied: true } }),
  ],
  [
    "the connection is cut before the next message arrives",
    ({ faults }) => faults.add({ match: sends, fault: { type: "drop", when: "before" } }),
  ],
  [
    "the connection is cut after the next message arrived",
    ({ faults }) => faults.add({ match: sends, fault: { type: "drop", when: "after" } }),
  ],
  [
    "the next message is too much: wait a second (429)",
    ({ faults }) => faults.add({ match: sends, fault: { type: "answer", answer: limited } }),
  ],
  [
    "the next edit is answered with 500",
    ({ faults }) =>
      faults.add({
        match: "PATCH /api/v10/channels/*/messages/*",
        fault: { type: "answer", answer: { status: 500 }, isApplied: true },
      }),
  ],
  ["the gateway is cut", ({ gateway }) => gateway.cut()],
  ["the gateway asks everybody to reconnect (op 7)", ({ gateway }) => gateway.requestReconnect()],
  ["the gateway forgets its sessions (op 9)", ({ gateway }) => gateway.invalidate(false)],
  ["the gateway closes and ends the sessions (4009)", ({ gateway }) => gateway.close(4009)],
  ["the next three events come twice", ({ gateway }) => gateway.duplicate(3)],
  ["every connection is cut", (simulator) => simulator.cut()],
];

/** Lets something go wrong on Discord, in the place of what has not gone wrong yet, and says what. */
export function disturbDiscord(simulator: DiscordSimulator, random: () => number): string {
  simulator.faults.clear();
  const [what, disturb] = pickOne(random, disturbances);
  disturb(simulator);
  return what;
}
