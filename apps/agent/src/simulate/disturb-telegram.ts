import type { BotHandle, Fault, TelegramSimulator } from "@troupe/simulator-telegram";
import { pickOne } from "./stage.ts";

type Disturbance = readonly [what: string, disturb: (simulator: TelegramSimulator) => void];

/** What went wrong. Telegram knows no keys: after some of it nobody can say whether a message has arrived. */
type Disturbed = { readonly what: string; readonly hidesArrival: boolean };

const refused = (status: number, description: string, more: object = {}, isApplied = false): Fault => ({
  type: "answer",
  answer: { status, body: { ok: false, error_code: status, description, ...more } },
  isApplied,
});
const tooMany = refused(429, "Too Many Requests: retry after 1", { parameters: { retry_after: 1 } });

/** After these no client knows whether what it sent has arrived. */
const hiding: readonly Disturbance[] = [
  [
    "the next message is answered with 502, and lost",
    (simulator) => simulator.fault("sendMessage", refused(502, "Bad Gateway")),
  ],
  [
    "the connection is cut before the next message arrives",
    (simulator) => simulator.fault("sendMessage", { type: "drop", when: "before" }),
  ],
  [
    "the connection is cut after the next message arrived",
    (simulator) => simulator.fault("sendMessage", { type: "drop", when: "after" }),
  ],
  ["every connection is cut", (simulator) => simulator.cut()],
];

const plain: readonly Disturbance[] = [
  ["the next message is too much: wait a second (429)", (simulator) => simulator.fault("sendMessage", tooMany)],
  ["the next edit is too much: wait a second (429)", (simulator) => simulator.fault("editMessageText", tooMany)],
  [
    "the next edit is made, and answered with 502",
    (simulator) => simulator.fault("editMessageText", refused(502, "Bad Gateway", {}, true)),
  ],
  ["updates are refused: wait a second (429)", (simulator) => simulator.fault("getUpdates", tooMany)],
  [
    "the next updates are cut off on their way",
    (simulator) => simulator.fault("getUpdates", { type: "drop", when: "after" }),
  ],
  ["the next three updates come twice", (simulator) => eachBot(simulator, ({ updates }) => updates.duplicateNext(3))],
  [
    "an update comes again that was acknowledged",
    (simulator) =>
      eachBot(simulator, ({ updates }) => {
        const last = updates.past().at(-1);
        if (last) updates.again(last.update_id);
      }),
  ],
];

function eachBot(simulator: TelegramSimulator, work: (bot: BotHandle) => void): void {
  for (const bot of simulator.bots()) work(bot);
}

/** Lets something go wrong on Telegram, in the place of what has not gone wrong yet. */
export function disturbTelegram(simulator: TelegramSimulator, random: () => number): Disturbed {
  simulator.faults.clear();
  const [what, disturb] = pickOne(random, [...hiding, ...plain]);
  disturb(simulator);
  return { what, hidesArrival: hiding.some(([one]) => one === what) };
}
