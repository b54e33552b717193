import type { ActionResult, RegisteredAction } from "../action/action.ts";
import { errorMessage } from "../errors.ts";
import type { Room } from "../room/room.ts";
import type { Rooms } from "../store/store.ts";

/** What finding a room by name needs. */
export type SendMessageParts = { readonly agentId: string; readonly rooms: Pick<Rooms, "rooms"> };

const searchedRooms = 500;

/** SEND_MESSAGE: says something in another room, or to a person the agent has direct messages with, on any connected platform. */
export function createSendMessage(parts: SendMessageParts): RegisteredAction {
  return {
    name: "SEND_MESSAGE",
    similes: ["MESSAGE", "DM", "SEND", "SEND_DM"],
    description: "Send a message to another room or person than the one you talk to.",
    parameters: [
      { name: "to", description: "Name of the room or person", required: true, schema: { type: "string" } },
      { name: "text", description: "What to say there", required: true, schema: { type: "string" } },
      { name: "platform", description: "Where, if the name is known on several", schema: { type: "string" } },
    ],
    run: async ({ parameters, say }): Promise<ActionResult> => {
      const { to, text, platform } = parameters;
      const found = await findRooms(parts, String(to), typeof platform === "string" ? platform : undefined);
      const [room, ...others] = found;
      if (!room) return { success: false, error: `No room or person called ${String(to)} is known.` };
      if (others.length > 0) {
        const names = found.map(({ name, platform: where }) => `${name ?? "unnamed"} on ${where}`).join(", ");
        return { success: false, error: `${String(to)} could be: ${names}. Name the platform, or the room in full.` };
      }
      try {
        await say({ text: String(text) }, room);
        return { success: true, data: { room: room.id, platform: room.platform } };
      } catch (error) {
        return { success: false, error: errorMessage(error) };
      }
    },
  };
}

async function findRooms(
  { agentId, rooms }: SendMessageParts,
  wanted: string,
  platform?: string,
): Promise<readonly Room[]> {
  const rows = await rooms.rooms(agentId, { limit: searchedRooms });
  const known = rows
    .map(({ room }) => room)
    .filter((room) => platform === undefined || room.platform === platform.toLowerCase());
  const exact = known.filter(({ id, platformId }) => id === wanted || platformId === wanted);
  return exact.length > 0 ? exact : known.filter(({ name }) => name !== undefined && fold(name) === fold(wanted));
}

/** `#General` and `general`, `@bo` and `Bo` are the same name. */
function fold(name: string): string {
  return name.trim().replace(/^[#@]/, "").toLowerCase();
}
