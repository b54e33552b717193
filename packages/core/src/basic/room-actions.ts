import type { ActionResult, Occasion, RegisteredAction, Verdict } from "../action/action.ts";
import type { RoomStance } from "../room/room.ts";
import type { StoreAdmin } from "../store/store.ts";

/** What changing how the agent stands in a room needs. */
export type RoomActionParts = { readonly agentId: string; readonly admin: Pick<StoreAdmin, "write"> };

type StanceAction = {
  readonly name: string;
  readonly similes: readonly string[];
  readonly description: string;
  /** From which stances it makes sense. */
  readonly from: readonly RoomStance[];
  readonly to: RoomStance;
  /** What people may ask for it by, and what they hear then; the model finds its own words. */
  readonly command?: { readonly name: string; readonly text: string };
};

const stanceActions: readonly StanceAction[] = [
  {
    name: "FOLLOW_ROOM",
    similes: ["FOLLOW_CHAT", "FOLLOW_CONVERSATION"],
    description: "Listen to everything said here from now on, when asked to join in.",
    from: ["default", "stopped"],
    to: "followed",
  },
  {
    name: "UNFOLLOW_ROOM",
    similes: ["UNFOLLOW_CHAT", "UNFOLLOW_CONVERSATION"],
    description: "Only listen when addressed here, when asked to stay out again.",
    from: ["followed"],
    to: "default",
  },
  {
    name: "MUTE_ROOM",
    similes: ["MUTE_CHAT", "MUTE_CONVERSATION"],
    description: "Never answer here again until mentioned and asked back.",
    from: ["default", "followed", "stopped"],
    to: "muted",
    command: { name: "mute", text: "I am silent here now, until somebody says /unmute." },
  },
  {
    name: "UNMUTE_ROOM",
    similes: ["UNMUTE_CHAT", "UNMUTE_CONVERSATION"],
    description: "Answer here again, when asked back.",
    from: ["muted"],
    to: "default",
    command: { name: "unmute", text: "I listen here again." },
  },
];

/** FOLLOW_ROOM, UNFOLLOW_ROOM, MUTE_ROOM, UNMUTE_ROOM: how the agent stands in a group. In direct messages there is no choice. */
export function createRoomActions({ agentId, admin }: RoomActionParts): readonly RegisteredAction[] {
  return stanceActions.map(({ name, similes, description, from, to, command }) => ({
    name,
    similes,
    description,
    policy: { idempotent: true },
    ...(command && { command: command.name }),
    validate: async (occasion) => standsIn(occasion, from),
    run: async ({ room, isCommand }): Promise<ActionResult> => {
      await admin.write(agentId, [{ type: "room.stance", roomId: room.room.id, stance: to }]);
      return { success: true, ...(isCommand && command && { text: command.text }) };
    },
  }));
}

function standsIn({ room }: Occasion, from: readonly RoomStance[]): Verdict {
  if (room.room.channelType === "dm") return { pass: false, reason: "this is a direct message, not a group." };
  return from.includes(room.stance) ? { pass: true } : { pass: false, reason: `the room is ${room.stance} already.` };
}
