import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RegisteredAction } from "@troupe/core";
import { type House, openHouse, toInbound } from "../house.ts";
import type { Effort, Measure, Row } from "../measure.ts";
import { seedRoom, untilIndexed } from "../seed-room.ts";
import { lowerQuartile, tidy } from "../statistics.ts";
import { withFolder } from "../temporary-folder.ts";

const earlierMessages = 30;
const repliesPerRound = 40;

/** What thinking in steps costs beside one answer, and whether it stays linear and fair. */
export const steps: Measure = {
  name: "steps",
  legend:
    "runs in `steps` mode. One step: from `receive` to the text in `client.send`, floor: the same words in `reply` mode, in turn. A streamed reply with a listener: 400,000 characters, floor: 100,000. No-op actions in one run: 1,600, floor: 800. Turns: what the last of 400 takes, floor: the first; and how much all of them write. Six users with an action of 400 ms each, floor: one alone.",
  run: (effort) => withFolder((folder) => measure(folder, effort)),
};

const said = "Forty-one metres, if the drawing is right, and it is usually right to the width of a pencil.";
const inSteps = { mode: "steps" } as const;

async function measure(folder: string, effort: Effort): Promise<readonly Row[]> {
  return [
    await measureOneStep(folder, effort),
    await measureStream(folder, effort),
    await measureActions(folder, effort),
    ...(await measureTurns(folder)),
    await measureUsers(folder, effort),
  ];
}

async function measureOneStep(folder: string, { rounds }: Effort): Promise<Row> {
  const reply = await openHouse({
    path: join(folder, "reply.db"),
    speaks: () => ({ answer: JSON.stringify({ thought: "Plain.", actions: ["REPLY"], text: said }) }),
  });
  const steps = await openHouse({
    path: join(folder, "steps.db"),
    settings: inSteps,
    speaks: () => ({ answer: `<thought>Plain.</thought><output name="message">${said}</output>` }),
  });
  try {
    const best: { readonly reply: number; readonly steps: number }[] = [];
    for (let round = -1; round < rounds; round++) {
      await Promise.all([reply, steps].map((house) => seed(house, `${round}`)));
      tidy();
      const times = { reply: [] as number[], steps: [] as number[] };
      for (let number = 0; number < repliesPerRound; number++) {
        times.reply.push(await timeReply(reply, `${round}`, number));
        times.steps.push(await timeReply(steps, `${round}`, number));
      }
      if (round >= 0) best.push({ reply: lowerQuartile(times.reply), steps: lowerQuartile(times.steps) });
    }
    return {
      name: "one step / one reply",
      ours: Math.min(...best.map((times) => times.steps)) * 1_000,
      floor: Math.min(...best.map((times) => times.reply)) * 1_000,
      unit: "µs",
      goal: { type: "ratio-at-most", limit: 1.3 },
    };
  } finally {
    await reply.close();
    await steps.close();
  }
}

async function measureStream(folder: string, { rounds }: Effort): Promise<Row> {
  let characters = 0;
  const house = await openHouse({
    path: join(folder, "stream.db"),
    hasEdits: true,
    settings: inSteps,
    speaks: () => ({ cuts: longAnswer(characters) }),
  });
  try {
    const best = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY };
    for (let round = -1; round < Math.min(rounds, 3); round++) {
      for (const [kind, length] of [
        ["short", 100_000],
        ["long", 400_000],
      ] as const) {
        characters = length;
        tidy();
        const ms = await timeFollowed(house, `stream-${round}-${kind}`);
        if (round >= 0) best[kind] = Math.min(best[kind], ms);
      }
    }
    return {
      name: "streamed reply of 400,000 characters / of 100,000",
      ours: best.long,
      floor: best.short,
      unit: "ms",
      goal: { type: "ratio-at-most", limit: 4.5 },
    };
  } finally {
    await house.close();
  }
}

/** Words in pieces of four characters, in an output. */
function longAnswer(characters: number): readonly string[] {
  const words = `${said} `.repeat(Math.ceil(characters / said.length)).slice(0, characters);
  return ['<output name="message">', ...(words.match(/.{1,4}/gs) ?? []), "</output>"];
}

async function timeFollowed({ agent }: House, room: string): Promise<number> {
  const inbound = toInbound(agent.agentId, { room, eventId: room, number: 1, at: Date.now() });
  let heard = 0;
  const stop = agent.subscribeContext(inbound.room.id, {
    onPartial: ({ delta }) => {
      heard += delta.length;
    },
  });
  const from = performance.now();
  await agent.receive(inbound);
  await agent.idle();
  const ms = performance.now() - from;
  stop();
  if (heard === 0) throw new Error("nothing of the reply was heard while it grew");
  return ms;
}

const nothing: RegisteredAction = {
  name: "NOTHING",
  similes: [],
  description: "Does nothing.",
  run: async () => ({ success: true }),
};

async function measureActions(folder: string, { rounds }: Effort): Promise<Row> {
  let count = 0;
  const house = await openHouse({
    path: join(folder, "actions.db"),
    actions: [nothing],
    settings: inSteps,
    speaks: (asked) => ({ answer: asked % 2 === 1 ? '<action name="NOTHING"/>\n'.repeat(count) : said }),
  });
  try {
    const best = { few: Number.POSITIVE_INFINITY, many: Number.POSITIVE_INFINITY };
    for (let round = -1; round < Math.min(rounds, 3); round++) {
      for (const [kind, actions] of [
        ["few", 800],
        ["many", 1_600],
      ] as const) {
        count = actions;
        tidy();
        const ms = await timeRun(house, `actions-${round}-${kind}`, 1);
        if (round >= 0) best[kind] = Math.min(best[kind], ms);
      }
    }
    return {
      name: "1,600 no-op actions in a run / 800",
      ours: best.many,
      floor: best.few,
      unit: "ms",
      goal: { type: "ratio-at-most", limit: 2.2 },
    };
  } finally {
    await house.close();
  }
}

const turns = 400;
const turnsCompared = 40;

async function measureTurns(folder: string): Promise<readonly Row[]> {
  const house = await openHouse({
    path: join(folder, "turns.db"),
    settings: inSteps,
    speaks: () => ({ answer: `<thought>Plain.</thought><output name="message">${said}</output>` }),
  });
  try {
    for (let number = 0; number < turnsCompared; number++) await timeRun(house, "warm-up", number);
    tidy();
    const before = await sizeBytes(house, join(folder, "before.db"));
    const times: number[] = [];
    for (let number = 0; number < turns; number++) times.push(await timeRun(house, "long", number));
    const after = await sizeBytes(house, join(folder, "after.db"));
    return [
      {
        name: "the last of 400 turns / the first",
        ours: lowerQuartile(times.slice(-turnsCompared)) * 1_000,
        floor: lowerQuartile(times.slice(0, turnsCompared)) * 1_000,
        unit: "µs",
        goal: { type: "ratio-at-most", limit: 1.2 },
      },
      { name: "400 turns write", ours: (after - before) / 1_000_000, unit: "MB", goal: { type: "at-most", limit: 4 } },
    ];
  } finally {
    await house.close();
  }
}

/** What a copy of the database takes. */
async function sizeBytes({ store }: House, path: string): Promise<number> {
  await untilIndexed(store);
  await store.admin.backup(path);
  return statSync(path).size;
}

const users = 6;
const slowMs = 400;

async function measureUsers(folder: string, { rounds }: Effort): Promise<Row> {
  const slow: RegisteredAction = {
    name: "SLOW",
    similes: [],
    description: "Takes its time.",
    run: async () => {
      await sleep(slowMs);
      return { success: true };
    },
  };
  const house = await openHouse({
    path: join(folder, "users.db"),
    actions: [slow],
    settings: inSteps,
    speaks: (_, request) => ({
      answer: request.messages.some(({ content }) => content.includes('<result action="SLOW"'))
        ? said
        : '<action name="SLOW"/>',
    }),
  });
  try {
    const best = { one: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY };
    for (let round = -1; round < Math.min(rounds, 3); round++) {
      const one = await timeUsers(house, [`${round}-alone`]);
      const all = await timeUsers(
        house,
        Array.from({ length: users }, (_, user) => `${round}-${user}`),
      );
      if (round < 0) continue;
      best.one = Math.min(best.one, one);
      best.all = Math.min(best.all, all);
    }
    return {
      name: "six users with a slow action / one alone",
      ours: best.all,
      floor: best.one,
      unit: "ms",
      goal: { type: "ratio-at-most", limit: 1.15 },
    };
  } finally {
    await house.close();
  }
}

async function timeUsers({ agent }: House, rooms: readonly string[]): Promise<number> {
  const inbounds = rooms.map((room) => toInbound(agent.agentId, { room, eventId: room, number: 1, at: Date.now() }));
  const from = performance.now();
  await Promise.all(inbounds.map((inbound) => agent.receive(inbound)));
  await agent.idle();
  return performance.now() - from;
}

async function seed({ agent, store }: House, room: string): Promise<void> {
  await store.admin.write(agent.agentId, seedRoom(agent.agentId, room, earlierMessages, Date.now() - 10_000));
  await untilIndexed(store);
}

async function timeRun({ agent }: House, room: string, number: number): Promise<number> {
  const inbound = toInbound(agent.agentId, { room, eventId: `${room}-${number}`, number, at: Date.now() });
  const from = performance.now();
  await agent.receive(inbound);
  await agent.idle();
  return performance.now() - from;
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
