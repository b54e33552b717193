import { join } from "node:path";
import type { Store } from "@troupe/core";
import { insertsOfAppend, insertsOfInbound, openBareFloor } from "../bare-floor.ts";
import { openHouse, toInbound } from "../house.ts";
import type { Effort, Measure, Row } from "../measure.ts";
import { type RecordedStore, recordStore, type StoreCall } from "../recorded-store.ts";
import { tidy, timeOf } from "../statistics.ts";
import { withFolder } from "../temporary-folder.ts";

const messages = 1_000;
const rooms = 100;
/** A store's thread is as fast as it gets once it has seen some. */
const warmUpMessages = 300;

/** How fast a crowd is answered. */
export const drain: Measure = {
  name: "drain",
  legend:
    "1,000 messages over 100 rooms handed in at once, until every one is answered and every receipt stored. Floor: the same rows, one message after the other, each two synchronous commits and one read of 32 messages, bare node:sqlite on the main thread.",
  async run({ rounds }: Effort): Promise<readonly Row[]> {
    const seen: { readonly ours: number; readonly floor: number }[] = [];
    await withFolder(drainOnce);
    for (let round = 0; round < rounds; round++) seen.push(await withFolder(drainOnce));
    const row: Row = {
      name: "1,000 messages over 100 rooms",
      ours: Math.max(...seen.map(({ ours }) => ours)),
      floor: Math.max(...seen.map(({ floor }) => floor)),
      unit: "/s",
      goal: { type: "ratio-at-least", limit: 0.7 },
    };
    return [row];
  },
};

/** Both rates, in messages a second. */
async function drainOnce(folder: string): Promise<{ readonly ours: number; readonly floor: number }> {
  let recorded: RecordedStore | undefined;
  const around = (store: Store): Store => {
    recorded = recordStore(store);
    return recorded.store;
  };
  const house = await openHouse({ path: join(folder, "ours.db"), around });
  const inboundsOf = (name: string, count: number) =>
    Array.from({ length: count }, (_, number) =>
      toInbound(house.agent.agentId, {
        room: `${name}-${number % rooms}`,
        eventId: `${name}-${number}`,
        number,
        at: Date.now(),
      }),
    );
  await Promise.all(inboundsOf("warm-up", warmUpMessages).map((inbound) => house.agent.receive(inbound)));
  await house.agent.idle();
  recorded?.take();
  const inbounds = inboundsOf("room", messages);
  tidy();
  const from = performance.now();
  await Promise.all(inbounds.map((inbound) => house.agent.receive(inbound)));
  await house.agent.idle();
  const oursMs = performance.now() - from;
  await house.close();
  const calls = recorded?.take().waitedFor.flat() ?? [];
  return { ours: (messages / oursMs) * 1_000, floor: (messages / timeFloor(join(folder, "bare.db"), calls)) * 1_000 };
}

/** Writes what the engine wrote for each message. */
function timeFloor(path: string, calls: readonly StoreCall[]): number {
  const bare = openBareFloor(path);
  const roomOfRun = new Map<string, string>();
  const perMessage = new Map<string, StoreCall[]>();
  for (const { inbound } of calls) if (inbound) perMessage.set(inbound.memory.id, []);
  for (const call of calls) {
    for (const { runId, body } of call.append?.entries ?? []) {
      if (body.type === "input") roomOfRun.set(runId, body.inputs[0]?.memoryId ?? "");
    }
    const runId = call.append?.entries[0]?.runId ?? call.append?.done?.runId;
    if (runId !== undefined) perMessage.get(roomOfRun.get(runId) ?? "")?.push(call);
  }
  const work = calls.flatMap(({ inbound }) => {
    if (!inbound) return [];
    const appends = perMessage.get(inbound.memory.id) ?? [];
    const roomId = inbound.room.id;
    const answered = appends.flatMap(({ append }) => (append ? insertsOfAppend(append, roomId) : []));
    return [{ roomId, accepted: bare.prepare(insertsOfInbound(inbound)), answered: bare.prepare(answered) }];
  });
  tidy();
  const ms = timeOf(() => {
    for (const { roomId, accepted, answered } of work) {
      bare.commit(accepted);
      bare.recent(roomId);
      bare.commit(answered);
    }
  });
  bare.close();
  return ms;
}
