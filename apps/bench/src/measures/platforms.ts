import { join } from "node:path";
import type { Effort, Measure, Row } from "../measure.ts";
import {
  type OpenScene,
  openInMemory,
  openOnDiscord,
  openOnTelegram,
  openPlatformHouse,
  type PlatformHouse,
} from "../platform-stage.ts";
import { lineOf } from "../said.ts";
import { lowerQuartile, tidy } from "../statistics.ts";
import { withFolder } from "../temporary-folder.ts";

const rooms = 50;
const messages = 1_000;
const replies = 40;
const warmUpReplies = 20;

const onPlatforms: readonly { readonly name: string; readonly open: OpenScene }[] = [
  { name: "Discord", open: openOnDiscord },
  { name: "Telegram", open: openOnTelegram },
];

/** What a platform adds to the way of a message, and whether it keeps anything of it. */
export const platforms: Measure = {
  name: "platforms",
  legend:
    "through the real client and the simulator beside it in the same process. Floor: the same on a client in memory, same engine, same kind of store, model at once. Drained: 1,000 messages over 50 channels said at once, until the other side has every answer, each room's in order. A message and back: from what is said to the answer on the other side, one at a time. Memory: what is still held after garbage collection, per 100,000 messages heard, by the slope over the last 20,000 of 30,000, a fiftieth of them answered.",
  run: (effort) => withFolder((folder) => measure(folder, effort)),
};

async function measure(folder: string, { rounds }: Effort): Promise<readonly Row[]> {
  const floors: Times[] = [];
  const ours = new Map<string, Times[]>(onPlatforms.map(({ name }) => [name, []]));
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    floors.push(await timeOn(join(folder, `floor-${round}.db`), openInMemory));
    for (const { name, open } of onPlatforms) {
      ours.get(name)?.push(await timeOn(join(folder, `${name}-${round}.db`), open));
    }
  }
  const rows: Row[] = [];
  for (const { name, open } of onPlatforms) {
    const own = ours.get(name) ?? [];
    const best = (times: readonly Times[], figure: keyof Times): number => Math.min(...times.map((one) => one[figure]));
    const goal = { type: "ratio-at-most", limit: 3 } as const;
    for (const [what, figure] of [
      ["1,000 messages drained", "drainMs"],
      ["a message and back", "replyMs"],
    ] as const) {
      rows.push({ name: `${name}, ${what}`, ours: best(own, figure), floor: best(floors, figure), unit: "ms", goal });
    }
    const grownMb = await growth(join(folder, `${name}-memory.db`), open);
    const flat = { type: "at-most", limit: 10 } as const;
    rows.push({ name: `${name}, memory per 100,000 messages`, ours: grownMb, unit: "MB", goal: flat });
  }
  return rows;
}

type Times = { readonly drainMs: number; readonly replyMs: number };

async function timeOn(path: string, open: OpenScene): Promise<Times> {
  const house = await openPlatformHouse(path, open, rooms);
  try {
    await timeReplies(house, warmUpReplies);
    tidy();
    const replyMs = await timeReplies(house, replies);
    tidy();
    return { replyMs, drainMs: await timeDrain(house) };
  } finally {
    await house.close();
  }
}

/** One at a time, each in another room. */
async function timeReplies({ agent, scene }: PlatformHouse, count: number): Promise<number> {
  const times: number[] = [];
  for (let number = 0; number < count; number++) {
    const answered = Promise.withResolvers<number>();
    scene.onAnswer(() => answered.resolve(performance.now()));
    const from = performance.now();
    scene.say(number % rooms, lineOf(number), true);
    times.push((await answered.promise) - from);
    await agent.idle();
  }
  return lowerQuartile(times);
}

/** All at once, round after round through the rooms. @throws Error when a room's answers are not in the order of its messages. */
async function timeDrain({ agent, scene }: PlatformHouse): Promise<number> {
  const said = Array.from({ length: rooms }, (): string[] => []);
  const answered = Array.from({ length: rooms }, (): string[] => []);
  const all = Promise.withResolvers<void>();
  let count = 0;
  scene.onAnswer((room, id) => {
    answered[room]?.push(id);
    count += 1;
    if (count === messages) all.resolve();
  });
  const from = performance.now();
  for (let number = 0; number < messages; number++) {
    const room = number % rooms;
    said[room]?.push(scene.say(room, lineOf(number), true));
  }
  await all.promise;
  const drainMs = performance.now() - from;
  await agent.idle();
  const odd = said.findIndex((ids, room) => ids.join() !== answered[room]?.join());
  if (odd >= 0) throw new Error(`room ${odd} was not answered once a message, in order: ${answered[odd]?.join(", ")}`);
  return drainMs;
}

const memoryMessages = 30_000;
const answeredShare = 50;
const looks = 12;

/** Megabytes held per 100,000 messages: the slope of what is left after collecting garbage. */
async function growth(path: string, open: OpenScene): Promise<number> {
  const house = await openPlatformHouse(path, open, rooms);
  const { scene, agent } = house;
  try {
    const points: { readonly said: number; readonly heldMb: number }[] = [];
    let said = 0;
    for (let look = 0; look < looks; look++) {
      while (said < ((look + 1) * memoryMessages) / looks) {
        const answered = Promise.withResolvers<void>();
        scene.onAnswer(() => answered.resolve());
        for (let number = 0; number < answeredShare; number++, said++) {
          // The last one of each batch is answered, and so all before it in its room were heard.
          scene.say(((said / answeredShare) % rooms) | 0, lineOf(said), number === answeredShare - 1);
        }
        await answered.promise;
      }
      await agent.idle();
      tidy();
      points.push({ said, heldMb: heldMegabytes() });
    }
    return slope(points.slice(looks / 3)) * 100_000;
  } finally {
    await house.close();
  }
}

function heldMegabytes(): number {
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return (heapUsed + external + arrayBuffers) / 2 ** 20;
}

/** By least squares, in megabytes a message. */
function slope(points: readonly { readonly said: number; readonly heldMb: number }[]): number {
  const mean = (figure: (point: (typeof points)[number]) => number): number =>
    points.reduce((sum, point) => sum + figure(point), 0) / points.length;
  const [x, y] = [mean(({ said }) => said), mean(({ heldMb }) => heldMb)];
  const covariance = mean(({ said, heldMb }) => (said - x) * (heldMb - y));
  return covariance / mean(({ said }) => (said - x) ** 2);
}
