import { join } from "node:path";
import type { RegisteredAction } from "@troupe/core";
import { type House, openHouse, toInbound } from "../house.ts";
import type { Effort, Measure, Row } from "../measure.ts";
import { seedRoom, untilIndexed } from "../seed-room.ts";
import { lowerQuartile, tidy } from "../statistics.ts";
import { withFolder } from "../temporary-folder.ts";

const repliesPerRound = 40;
const earlierMessages = 30;

/** Whether a long list of what can be done costs anything. */
export const manyActions: Measure = {
  name: "many-actions",
  legend:
    "a reply from `receive` to the text in `client.send` with 200 registered actions, each with three parameters; floor: with 10, in turn.",
  run: (effort) => withFolder((folder) => measure(folder, effort)),
};

function actions(count: number): readonly RegisteredAction[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `TASK_${at}`,
    similes: [`JOB_${at}`, `WORK_${at}`],
    description: `Does the thing of number ${at}, carefully, and says how it went.`,
    parameters: [
      { name: "where", description: "The place it is done at", required: true, schema: { type: "string" } },
      { name: "times", description: "How often", schema: { type: "number", minimum: 1, maximum: 9, default: 1 } },
      { name: "mood", description: "In which mood", schema: { type: "string", enum: ["gentle", "brisk"] } },
    ],
    validate: async () => ({ pass: true }),
    run: async () => ({ success: true }),
  }));
}

async function measure(folder: string, { rounds }: Effort): Promise<readonly Row[]> {
  const few = await openHouse({ path: join(folder, "few.db"), actions: actions(10) });
  const many = await openHouse({ path: join(folder, "many.db"), actions: actions(200) });
  try {
    const best: { readonly few: number; readonly many: number }[] = [];
    for (let round = -1; round < rounds; round++) {
      await Promise.all([few, many].map((house) => seed(house, `${round}`)));
      tidy();
      const times = { few: [] as number[], many: [] as number[] };
      for (let number = 0; number < repliesPerRound; number++) {
        times.few.push(await timeReply(few, `${round}`, number));
        times.many.push(await timeReply(many, `${round}`, number));
      }
      if (round >= 0) best.push({ few: lowerQuartile(times.few), many: lowerQuartile(times.many) });
    }
    return [
      {
        name: "200 registered actions / 10",
        ours: Math.min(...best.map((times) => times.many)) * 1_000,
        floor: Math.min(...best.map((times) => times.few)) * 1_000,
        unit: "µs",
        goal: { type: "ratio-at-most", limit: 1.3 },
      },
    ];
  } finally {
    await few.close();
    await many.close();
  }
}

async function seed({ agent, store }: House, room: string): Promise<void> {
  await store.admin.write(agent.agentId, seedRoom(agent.agentId, room, earlierMessages, Date.now() - 10_000));
  await untilIndexed(store);
}

async function timeReply({ agent, client }: House, room: string, number: number): Promise<number> {
  const inbound = toInbound(agent.agentId, { room, eventId: `${room}-${number}`, number, at: Date.now() });
  const sent = client.nextSend();
  const from = performance.now();
  await agent.receive(inbound);
  const ms = (await sent) - from;
  await agent.idle();
  return ms;
}
