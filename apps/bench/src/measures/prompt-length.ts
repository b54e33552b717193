import { join } from "node:path";
import type { ModelRequest } from "@troupe/core";
import { openHouse, toInbound } from "../house.ts";
import type { Measure, Row } from "../measure.ts";
import { seedRoom } from "../seed-room.ts";
import { withFolder } from "../temporary-folder.ts";

/** What a reply costs in words. */
export const promptLength: Measure = {
  name: "prompt-length",
  legend:
    "characters of all messages of the prompt for a reply by the default character, with 30 earlier messages of 60.",
  run: () => withFolder(measure),
};

async function measure(folder: string): Promise<readonly Row[]> {
  const requests: ModelRequest[] = [];
  const house = await openHouse({ path: join(folder, "ours.db"), hears: (request) => requests.push(request) });
  const { agent, store } = house;
  await store.admin.write(agent.agentId, seedRoom(agent.agentId, "room", 30, Date.now() - 10_000));
  await agent.receive(toInbound(agent.agentId, { room: "room", eventId: "event", number: 31, at: Date.now() }));
  await agent.idle();
  await house.close();
  const [request] = requests;
  if (!request) throw new Error("the model was not asked");
  const ours = request.messages.reduce((sum, { content }) => sum + content.length, 0);
  return [{ name: "prompt, 30 earlier messages", ours, unit: "characters", goal: { type: "at-most", limit: 6_000 } }];
}
