import { join } from "node:path";
import type { RegisteredAction } from "@troupe/core";
import { type House, openHouse, toInbound } from "../house.ts";
import type { Effort, Measure, Row } from "../measure.ts";
import { seedRoom, untilIndexed } from "../seed-room.ts";
import { lowerQuartile, tidy } from "../statistics.ts";
import { withFolder } from "../temporary-folder.ts";

const earlierMessages = 30;
const runsPerRound = 40;

/** What it costs to do things, beside saying them. */
export const actionChain: Measure = {
  name: "action-chain",
  legend:
    "a run whose answer asks for two actions, the second with what the first found, until everything is stored; floor: the same answer without actions, by the same engine in turn.",
  run: (effort) => withFolder((folder) => measure(folder, effort)),
};

const find: RegisteredAction = {
  name: "FIND",
  similes: [],
  description: "Looks for something and remembers where it is.",
  parameters: [{ name: "thing", description: "What is looked for", required: true, schema: { type: "string" } }],
  run: async ({ parameters }) => ({ success: true, values: { place: `shelf of ${String(parameters["thing"])}` } }),
};

const fetch: RegisteredAction = {
  name: "FETCH",
  similes: [],
  description: "Brings what was found.",
  run: async ({ state }) => ({ success: true, data: { from: state.values["place"] ?? null } }),
};

const said = "Forty-one metres, if the drawing is right, and it is usually right to the width of a pencil.";
const answers = {
  plain: JSON.stringify({ thought: "A plain answer.", actions: ["REPLY"], text: said }),
  chain: JSON.stringify({
    thought: "Find and fetch.",
    actions: [{ name: "FIND", parameters: { thing: "drawing" } }, { name: "FETCH" }],
    text: said,
  }),
} as const;
type Kind = keyof typeof answers;

async function measure(folder: string, { rounds }: Effort): Promise<readonly Row[]> {
  let kind: Kind = "plain";
  const house = await openHouse({
    path: join(folder, "ours.db"),
    actions: [find, fetch],
    speaks: () => ({ answer: answers[kind] }),
  });
  try {
    const best: Record<Kind, number[]> = { plain: [], chain: [] };
    for (let round = -1; round < rounds; round++) {
      await seed(house, `${round}`);
      const times: Record<Kind, number[]> = { plain: [], chain: [] };
      for (let number = 0; number < 2 * runsPerRound; number++) {
        kind = number % 2 === 0 ? "plain" : "chain";
        times[kind].push(await timeRun(house, `${round}`, number));
      }
      if (round < 0) continue;
      best.plain.push(lowerQuartile(times.plain));
      best.chain.push(lowerQuartile(times.chain));
    }
    return [
      {
        name: "two chained actions / plain reply",
        ours: Math.min(...best.chain) * 1_000,
        floor: Math.min(...best.plain) * 1_000,
        unit: "µs",
        goal: { type: "ratio-at-most", limit: 2 },
      },
    ];
  } finally {
    await house.close();
  }
}

async function seed({ agent, store }: House, room: string): Promise<void> {
  await store.admin.write(agent.agentId, seedRoom(agent.agentId, room, earlierMessages, Date.now() - 10_000));
  await untilIndexed(store);
  tidy();
}

async function timeRun({ agent }: House, room: string, number: number): Promise<number> {
  const inbound = toInbound(agent.agentId, { room, eventId: `${room}-${number}`, number, at: Date.now() });
  const from = performance.now();
  await agent.receive(inbound);
  await agent.idle();
  return performance.now() - from;
}
