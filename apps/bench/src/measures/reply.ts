import { join } from "node:path";
import { type Store, silentLog } from "@troupe/core";
import { createSqliteStore } from "@troupe/store";
import {
  type BareFloor,
  type Insert,
  insertsOfAppend,
  insertsOfInbound,
  insertsOfWrites,
  openBareFloor,
} from "../bare-floor.ts";
import { type House, openHouse, toInbound } from "../house.ts";
import type { Effort, Measure, Row } from "../measure.ts";
import { type RecordedStore, type Recording, recordStore, repeatCalls } from "../recorded-store.ts";
import { seedRoom, untilIndexed } from "../seed-room.ts";
import { lowerQuartile, tidy, timeOf } from "../statistics.ts";
import { withFolder } from "../temporary-folder.ts";

const earlierMessages = 30;
const repliesPerRound = 30;

/** What a person waits for, against bare SQLite and against the store without the engine. */
export const reply: Measure = {
  name: "reply",
  legend:
    "from `receive` to the text in `client.send`, 30 earlier messages, a model that answers at once. Floor 1: the same rows in two synchronous commits and the last 32 messages, bare node:sqlite on the main thread. Floor 2: the very same calls of the store, without the engine.",
  run: (effort) => withFolder((folder) => measure(folder, effort)),
};

type Times = { readonly oursMs: number; readonly bareMs: number; readonly storeMs: number };

async function measure(folder: string, { rounds }: Effort): Promise<readonly Row[]> {
  const stage = await openStage(folder);
  try {
    const warmUp = await prepareRooms(stage, "warm-up");
    await timeReplies(stage, warmUp);
    const best: Times[] = [];
    for (let round = 0; round < rounds; round++)
      best.push(await timeReplies(stage, await prepareRooms(stage, `${round}`)));
    return rowsOf(best);
  } finally {
    await stage.close();
  }
}

function rowsOf(rounds: readonly Times[]): readonly Row[] {
  const leastUs = (figure: (times: Times) => number): number => Math.min(...rounds.map(figure)) * 1_000;
  const ours = { ours: leastUs(({ oursMs }) => oursMs), unit: "µs" } as const;
  return [
    {
      name: "reply, 30 earlier messages / bare SQLite",
      ...ours,
      floor: leastUs(({ bareMs }) => bareMs),
      goal: { type: "ratio-at-most", limit: 4 },
    },
    {
      name: "reply, 30 earlier messages / same store calls",
      ...ours,
      floor: leastUs(({ storeMs }) => storeMs),
      goal: { type: "ratio-at-most", limit: 1.5 },
    },
  ];
}

type Stage = {
  readonly house: House;
  readonly recorded: RecordedStore;
  /** Gets the same calls as the engine's store, in the same order, and so stays its twin. */
  readonly twin: Store;
  readonly bare: BareFloor;
  close(): Promise<void>;
};

async function openStage(folder: string): Promise<Stage> {
  let recorded: RecordedStore | undefined;
  const around = (store: Store): Store => {
    recorded = recordStore(store);
    return recorded.store;
  };
  const house = await openHouse({ path: join(folder, "ours.db"), around });
  const twin = await createSqliteStore({ path: join(folder, "twin.db"), log: silentLog });
  const bare = openBareFloor(join(folder, "bare.db"));
  if (!recorded) throw new Error("the house was built without its store");
  return {
    house,
    recorded,
    twin,
    bare,
    async close() {
      await house.close();
      await twin.admin.close();
      bare.close();
    },
  };
}

/** New rooms with 28 messages and one exchange each; nothing is left to do for the store afterwards. */
async function prepareRooms(stage: Stage, name: string): Promise<readonly string[]> {
  const { house, twin, bare } = stage;
  const rooms = Array.from({ length: repliesPerRound }, (_, number) => `${name}-${number}`);
  for (const room of rooms) {
    const now = Date.now();
    const seeds = seedRoom(house.agent.agentId, room, earlierMessages - 2, now - 10_000);
    await Promise.all([house.store, twin].map((store) => store.admin.write(house.agent.agentId, seeds)));
    bare.commit(bare.prepare(insertsOfWrites(seeds)));
    await timeOne(stage, { room, eventId: `${room}-first`, number: 1, at: now });
  }
  await Promise.all([house.store, twin].map(untilIndexed));
  tidy();
  return rooms;
}

/** Times one reply in each room three ways, in turns. */
async function timeReplies(stage: Stage, rooms: readonly string[]): Promise<Times> {
  const times: Times[] = [];
  for (const room of rooms) {
    times.push(await timeOne(stage, { room, eventId: `${room}-second`, number: 2, at: Date.now() }));
  }
  return {
    oursMs: lowerQuartile(times.map(({ oursMs }) => oursMs)),
    bareMs: lowerQuartile(times.map(({ bareMs }) => bareMs)),
    storeMs: lowerQuartile(times.map(({ storeMs }) => storeMs)),
  };
}

async function timeOne(stage: Stage, message: Parameters<typeof toInbound>[1]): Promise<Times> {
  const { house, recorded, twin } = stage;
  const inbound = toInbound(house.agent.agentId, message);
  const sent = house.client.nextSend().then((at) => {
    recorded.markSent();
    return at;
  });
  const from = performance.now();
  await house.agent.receive(inbound);
  const oursMs = (await sent) - from;
  await house.agent.idle();
  const recording = recorded.take();
  const storeFrom = performance.now();
  await repeatCalls(recording.waitedFor, twin);
  const storeMs = performance.now() - storeFrom;
  await repeatCalls(recording.after, twin);
  return { oursMs, storeMs, bareMs: timeBare(stage.bare, recording, inbound.room.id) };
}

function timeBare(bare: BareFloor, { waitedFor, after }: Recording, roomId: string): number {
  const rowsOf = (batches: Recording["after"], which: "inbound" | "append"): readonly Insert[] =>
    batches.flat().flatMap(({ inbound, append }) => {
      if (which === "inbound") return inbound ? insertsOfInbound(inbound) : [];
      return append ? insertsOfAppend(append, roomId) : [];
    });
  const accepted = bare.prepare(rowsOf(waitedFor, "inbound"));
  const answered = bare.prepare(rowsOf(waitedFor, "append"));
  const bareMs = timeOf(() => {
    bare.commit(accepted);
    bare.recent(roomId);
    bare.commit(answered);
  });
  bare.commit(bare.prepare(rowsOf(after, "append")));
  return bareMs;
}
