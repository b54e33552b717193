import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { CreateCapability, EmbeddingModel } from "@troupe/core";
import { createRecallCapability } from "@troupe/core/recall";
import { type House, openHouse, toInbound } from "../house.ts";
import type { Effort, Measure, Row } from "../measure.ts";
import { seedRoom, untilIndexed } from "../seed-room.ts";
import { lowerQuartile, tidy } from "../statistics.ts";
import { withFolder } from "../temporary-folder.ts";

const repliesPerRound = 40;
/** More than a prompt shows: what was said before them is looked for. */
const earlierMessages = 60;
const room = "room";

/** Whether an embedding server that takes every request and answers none keeps anybody waiting. */
export const deadEmbedding: Measure = {
  name: "dead-embedding",
  legend:
    "from `receive` to durable, and to the text in `client.send`, with recall and an embedding server that never answers; floor: the same without an embedding model, in turn.",
  run: (effort) => withFolder((folder) => measure(folder, effort)),
};

type Times = { readonly acceptMs: number; readonly replyMs: number };

async function measure(folder: string, { rounds }: Effort): Promise<readonly Row[]> {
  const server = await openDeadServer();
  const capabilities: readonly CreateCapability[] = [createRecallCapability];
  const TEXT_EMBEDDING = createDeadModel(server);
  const dead = await openHouse({ path: join(folder, "dead.db"), capabilities, models: { TEXT_EMBEDDING } });
  const none = await openHouse({ path: join(folder, "none.db"), capabilities });
  try {
    for (const house of [dead, none]) await seed(house);
    const best: { readonly dead: Times; readonly none: Times }[] = [];
    for (let round = -1; round < rounds; round++) {
      tidy();
      const times = { dead: [] as Times[], none: [] as Times[] };
      for (let number = 0; number < repliesPerRound; number++) {
        const eventId = `${round}-${number}`;
        times.dead.push(await timeReply(dead, eventId));
        times.none.push(await timeReply(none, eventId));
      }
      if (round >= 0) best.push({ dead: quartiles(times.dead), none: quartiles(times.none) });
    }
    return [
      rowOf("message accepted, dead embedding server / none", best, ({ acceptMs }) => acceptMs),
      rowOf("reply, dead embedding server / none", best, ({ replyMs }) => replyMs),
    ];
  } finally {
    await Promise.all([dead.close(), none.close()]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function rowOf(
  name: string,
  best: readonly { readonly dead: Times; readonly none: Times }[],
  figure: (times: Times) => number,
): Row {
  return {
    name,
    ours: Math.min(...best.map(({ dead }) => figure(dead))) * 1_000,
    floor: Math.min(...best.map(({ none }) => figure(none))) * 1_000,
    unit: "µs",
    goal: { type: "ratio-at-most", limit: 1.1 },
  };
}

function quartiles(times: readonly Times[]): Times {
  return {
    acceptMs: lowerQuartile(times.map(({ acceptMs }) => acceptMs)),
    replyMs: lowerQuartile(times.map(({ replyMs }) => replyMs)),
  };
}

/** Takes connections and requests, and says nothing. */
async function openDeadServer(): Promise<Server> {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function createDeadModel(server: Server): EmbeddingModel {
  // A server on TCP always has an address of this shape.
  const { port } = server.address() as AddressInfo;
  return {
    id: "bench:dead",
    maxBatch: 64,
    async embed(texts, signal) {
      const body = JSON.stringify({ input: texts });
      const response = await fetch(`http://127.0.0.1:${port}/embeddings`, { method: "POST", body, signal });
      throw new Error(`the dead server answered with ${response.status}`);
    },
  };
}

async function seed({ agent, store }: House): Promise<void> {
  await store.admin.write(agent.agentId, seedRoom(agent.agentId, room, earlierMessages, Date.now() - 10_000));
  await untilIndexed(store);
}

async function timeReply({ agent, client }: House, eventId: string): Promise<Times> {
  const inbound = toInbound(agent.agentId, { room, eventId, number: 3, at: Date.now() });
  const sent = client.nextSend();
  const from = performance.now();
  await agent.receive(inbound);
  const acceptMs = performance.now() - from;
  const replyMs = (await sent) - from;
  await agent.idle();
  return { acceptMs, replyMs };
}
