import { isList, isObject } from "../action/json-kind.ts";
import { TroupeError } from "../errors.ts";
import type { Inbound } from "../inbox/inbound.ts";
import type { JsonObject } from "../json.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { Choice, CommandCall, Memory } from "../memory/memory.ts";
import { entityIdOf } from "../memory/message-id.ts";
import type { Entity } from "../room/room.ts";
import type { RoomRow, Store } from "../store/store.ts";

/** Something the agent itself has decided to say in a room, with answers to choose from. */
export type Told = { readonly text: string; readonly choices?: readonly Choice[] };

/** Who asks for what tasks put into rooms, when nobody did: by this name and platform's id. */
const nobody = { platformId: "troupe-schedule", name: "Schedule" } as const;

/** The command of inputs that say what is to be told; only inputs of our own carry it together with what they tell. */
export const tellCommand = "tell";

/** What a message of ours is to have told, or null: metadata is written by clients and by us, never by people. */
export function toldOf({ content, metadata }: Memory): Told | null {
  const told = metadata?.["told"];
  if (content.command?.name !== tellCommand || !isObject(told) || typeof told["text"] !== "string") return null;
  const choices = isList(told["choices"]) ? told["choices"].flatMap((one) => toChoice(one) ?? []) : [];
  return { text: told["text"], ...(choices.length > 0 && { choices }) };
}

function toChoice(one: unknown): Choice | null {
  if (!isObject(one)) return null;
  const { value, label } = one;
  return typeof value === "string" && typeof label === "string" ? { value, label } : null;
}

/** A text with its choices as numbered lines, for platforms without buttons. */
export function withNumbers({ text, choices = [] }: Told): string {
  return [text, ...choices.map(({ label }, n) => `${n + 1}. ${label}`)].join("\n");
}

/** Into which room, on whose behalf, and by what it is told apart from every other input. */
export type Placing = {
  readonly agentId: string;
  readonly roomId: string | undefined;
  readonly entityId?: string | undefined;
  /** The same event is put there once. */
  readonly eventId: string;
  /** Epoch milliseconds. */
  readonly at: number;
};

/** The input by which a room is told something, once, in its turn. @throws TroupeError `not_found` when room or person are gone. */
export async function toldInbound(told: Told, placing: Placing, store: Pick<Store, "rooms">): Promise<Inbound> {
  const { text, choices } = told;
  const kept: JsonObject = { text, ...(choices && { choices: choices.map((choice) => ({ ...choice })) }) };
  const said = { text: `(${text})`, command: { name: tellCommand, parameters: {} }, metadata: { told: kept } };
  return placedInbound(said, placing, store);
}

/** What is put into a room as if it had been asked for there. */
export type PlacedMessage = { readonly text: string; readonly command: CommandCall; readonly metadata?: JsonObject };

/** A command in a room we know, from a person we know or from {@link nobody}. @throws TroupeError `not_found`. */
export async function placedInbound(
  { text, command, metadata }: PlacedMessage,
  { agentId, roomId, entityId, eventId, at }: Placing,
  { rooms }: Pick<Store, "rooms">,
): Promise<Inbound> {
  if (roomId === undefined) {
    throw new TroupeError("invalid", "it is to be said in a room, and none is named; plan it anew with a room");
  }
  const [row, [person]] = await Promise.all([
    rooms.room(agentId, roomId),
    entityId === undefined ? [] : rooms.entities(agentId, [entityId]),
  ]);
  if (!row) throw new TroupeError("not_found", `the room ${roomId} is not known any more; plan it anew in another one`);
  const { room, world } = row;
  const entity = person ?? nobodyIn(row);
  const memory: Memory = {
    id: deriveId("memory", agentId, "placed", eventId),
    agentId,
    roomId: room.id,
    entityId: entity.id,
    type: "message",
    content: { text, source: room.platform, channelType: room.channelType, command },
    createdAt: at,
    ...(metadata && { metadata }),
  };
  return { eventId, kind: "command", ...(world && { world }), room, entity, memory };
}

function nobodyIn({ room }: RoomRow): Entity {
  const { platform, account } = room;
  return { id: entityIdOf(platform, account, nobody.platformId), platform, account, ...nobody };
}
