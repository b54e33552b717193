import { join } from "node:path";
import { type House, openHouse, toInbound } from "../house.ts";
import type { Effort, Measure, Row } from "../measure.ts";
import { seedRoom, untilIndexed } from "../seed-room.ts";
import { lowerQuartile, tidy } from "../statistics.ts";
import { withFolder } from "../temporary-folder.ts";

const repliesPerRound = 40;
const lengths = { short: 100, long: 10_000 } as const;

/** Whether a long past costs anything. */
export const longRoom: Measure = {
  name: "long-room",
  legend: "the same reply in a room of 10,000 messages; floor: in a room of 100, by the same engine in turn.",
  run: (effort) => withFolder((folder) => measure(folder, effort)),
};

async function measure(folder: string, { rounds }: Effort): Promise<readonly Row[]> {
  const house = await openHouse({ path: join(folder, "ours.db") });
  try {
    for (const length of Object.values(lengths)) await seed(house, length);
    await untilIndexed(house.store);
    const best: { readonly short: number; readonly long: number }[] = [];
    for (let round = -1; round < rounds; round++) {
      tidy();
      const short: number[] = [];
      const long: number[] = [];
      for (let number = 0; number < repliesPerRound; number++) {
        short.push(await timeReply(house, lengths.short, `${round}-${number}`));
        long.push(await timeReply(house, lengths.long, `${round}-${number}`));
      }
      if (round >= 0) best.push({ short: lowerQuartile(short), long: lowerQuartile(long) });
    }
    return [
      {
        name: "room of 10,000 messages / of 100",
        ours: Math.min(...best.map(({ long }) => long)) * 1_000,
        floor: Math.min(...best.map(({ short }) => short)) * 1_000,
        unit: "µs",
        goal: { type: "ratio-at-most", limit: 1.2 },
      },
    ];
  } finally {
    await house.close();
  }
}

async function seed({ agent, store }: House, length: number): Promise<void> {
  const writes = seedRoom(agent.agentId, `room-${length}`, length, Date.now() - 10_000);
  for (let from = 0; from < writes.length; from += 500) {
    await store.admin.write(agent.agentId, writes.slice(from, from + 500));
  }
}

async function timeReply(house: House, length: number, eventId: string): Promise<number> {
  const room = `room-${length}`;
  const inbound = toInbound(house.agent.agentId, { room, eventId: `${room}-${eventId}`, number: 3, at: Date.now() });
  const sent = house.client.nextSend();
  const from = performance.now();
  await house.agent.receive(inbound);
  const ms = (await sent) - from;
  await house.agent.idle();
  return ms;
}
