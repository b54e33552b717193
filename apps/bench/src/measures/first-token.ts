import { join } from "node:path";
import { insertsOfWrites, openBareFloor } from "../bare-floor.ts";
import { openHouse, toInbound } from "../house.ts";
import type { Effort, Measure, Row } from "../measure.ts";
import { place } from "../project.ts";
import { seedRoom } from "../seed-room.ts";
import { lowerQuartile, tidy, timeOf } from "../statistics.ts";
import type { StubModelOptions } from "../stub-model.ts";
import { withFolder } from "../temporary-folder.ts";

const repliesPerRound = 3;
const warmUpReplies = 60;

/** What is added before the first word of a streamed answer is seen. */
export const firstToken: Measure = {
  name: "first-token",
  legend:
    "a model that says 200 pieces, one every 5 ms, to a client with edits. Whole: from `receive` to the first text in `client.send`, without the model's own time. After the model: from the model's first visible piece to the first text in `client.send`. Floor: one synchronous commit of one row, bare node:sqlite on the main thread.",
  run: (effort) => withFolder((folder) => measure(folder, effort)),
};

type Times = { readonly wholeMs: number; readonly afterModelMs: number; readonly floorMs: number };

async function measure(folder: string, { rounds }: Effort): Promise<readonly Row[]> {
  let speaks: StubModelOptions = {};
  const house = await openHouse({ path: join(folder, "ours.db"), hasEdits: true, speaks: () => speaks });
  const bare = openBareFloor(join(folder, "bare.db"));
  const { agent, store, client, model } = house;
  const timeCommit = (number: number): number => {
    const opened = { key: `run-${number}/1.text/0`, runId: `run-${number}`, roomId: "room", agentId: agent.agentId };
    const target = { ...place, target: "room", kind: "message", nonce: `${number}` } as const;
    const delivery = { ...opened, ...target, content: { text: "" } };
    const rows = bare.prepare(insertsOfWrites([{ type: "delivery.put", delivery, state: "sending", isOpen: true }]));
    return timeOf(() => bare.commit(rows));
  };
  const timeReply = async (number: number): Promise<Times> => {
    const room = `room-${number}`;
    const now = Date.now();
    await store.admin.write(agent.agentId, seedRoom(agent.agentId, room, 30, now - 10_000));
    const inbound = toInbound(agent.agentId, { room, eventId: `event-${number}`, number, at: now });
    const sent = client.nextSend();
    const from = performance.now();
    await agent.receive(inbound);
    const shownAt = await sent;
    const floorMs = timeCommit(number);
    await agent.idle();
    const modelMs = model.saidAt() - model.askedAt();
    return { wholeMs: shownAt - from - modelMs, afterModelMs: shownAt - model.saidAt(), floorMs };
  };
  try {
    let number = 0;
    while (number < warmUpReplies) await timeReply(number++);
    speaks = { everyMs: 5, pieces: 200 };
    const best: Times[] = [];
    for (let round = 0; round < rounds; round++) {
      tidy();
      const times: Times[] = [];
      for (let reply = 0; reply < repliesPerRound; reply++) times.push(await timeReply(number++));
      best.push({
        wholeMs: lowerQuartile(times.map(({ wholeMs }) => wholeMs)),
        afterModelMs: lowerQuartile(times.map(({ afterModelMs }) => afterModelMs)),
        floorMs: lowerQuartile(times.map(({ floorMs }) => floorMs)),
      });
    }
    return rowsOf(best);
  } finally {
    await house.close();
    bare.close();
  }
}

function rowsOf(best: readonly Times[]): readonly Row[] {
  const floor = Math.min(...best.map(({ floorMs }) => floorMs)) * 1_000;
  const rest = { floor, unit: "µs", goal: { type: "ratio-at-most", limit: 15 } } as const;
  return [
    { name: "first visible token, whole", ours: Math.min(...best.map(({ wholeMs }) => wholeMs)) * 1_000, ...rest },
    {
      name: "first visible token, after the model",
      ours: Math.min(...best.map(({ afterModelMs }) => afterModelMs)) * 1_000,
      ...rest,
    },
  ];
}
