import { join } from "node:path";
import type { ModelRequest } from "@troupe/core";
import { openHouse, toInbound } from "../house.ts";
import type { Measure, Row } from "../measure.ts";
import { withFolder } from "../temporary-folder.ts";

const turns = 150;
/** While everything said still fits, nothing moves; what counts is a conversation that goes on. */
const firstTurns = 30;

/** What of a prompt a vendor's cache has already, and how often the model is asked. */
export const promptPrefix: Measure = {
  name: "prompt-prefix",
  legend:
    "a conversation of 150 turns with the default character: how much of each prompt from the 31st turn on has the same beginning as the one before, on average; and how often the model is asked for a plain reply.",
  run: () => withFolder(measure),
};

async function measure(folder: string): Promise<readonly Row[]> {
  const requests: ModelRequest[] = [];
  const house = await openHouse({ path: join(folder, "ours.db"), hears: (request) => requests.push(request) });
  const { agent } = house;
  const from = Date.now();
  for (let number = 0; number < turns; number++) {
    await agent.receive(toInbound(agent.agentId, { room: "room", eventId: `${number}`, number, at: from + number }));
    await agent.idle();
  }
  await house.close();
  const prompts = requests.map(({ messages }) => JSON.stringify(messages));
  const shares = prompts.slice(firstTurns).map((prompt, at) => {
    return sharedLength(prompt, prompts[firstTurns + at - 1] ?? "") / prompt.length;
  });
  const average = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return [
    {
      name: "prompt, share known from the turn before",
      ours: average,
      unit: "of it",
      goal: { type: "at-least", limit: 0.9 },
    },
    {
      name: "model calls for a plain reply",
      ours: requests.length / turns,
      unit: "calls",
      goal: { type: "at-most", limit: 1 },
    },
  ];
}

function sharedLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}
