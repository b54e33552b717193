import { outermost, type Within } from "../action/executable-call.ts";
import type { HandedMessage } from "../action/handed-message.ts";
import { isList, isObject } from "../action/json-kind.ts";
import { TroupeError } from "../errors.ts";
import type { Inbound } from "../inbox/inbound.ts";
import type { JsonObject } from "../json.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { Memory } from "../memory/memory.ts";
import type { Store } from "../store/store.ts";

/** What is known of a message that is handed over, besides what it says itself. */
export type Handing = {
  readonly agentId: string;
  /** Unique for this message, the same whenever it is handed over again. */
  readonly eventId: string;
  readonly roomId: string;
  readonly entityId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Kept with the message. */
  readonly metadata: JsonObject;
};

/**
 * A handed message as the inbox takes it: in a room and by somebody we know.
 * @throws TroupeError `not_found` naming the room or the entity, `invalid` for a message without a text.
 */
export async function toHandedInbound(
  { content, metadata }: HandedMessage,
  { agentId, eventId, roomId, entityId, at, metadata: own }: Handing,
  { rooms }: Pick<Store, "rooms">,
): Promise<Inbound> {
  if (typeof content?.text !== "string") {
    throw new TroupeError("invalid", 'a message was handed over without a text; give it content: { text: "…" }');
  }
  const [row, [entity]] = await Promise.all([rooms.room(agentId, roomId), rooms.entities(agentId, [entityId])]);
  if (!row) throw unknown("room", roomId);
  if (!entity) throw unknown("entity", entityId);
  const { room, world } = row;
  const memory: Memory = {
    id: deriveId("memory", agentId, "handed", eventId),
    agentId,
    roomId,
    entityId,
    type: "message",
    content: {
      source: room.platform,
      channelType: room.channelType,
      ...content,
      mentionContext: { mentionsAgent: true, repliesToAgent: false, ...content.mentionContext },
    },
    createdAt: at,
    metadata: { ...metadata, ...own },
  };
  return { eventId: `handed/${eventId}`, kind: "message", ...(world && { world }), room, entity, memory };
}

function unknown(what: string, id: string): TroupeError {
  return new TroupeError(
    "not_found",
    `a message was handed over for the ${what} ${id}, which is not known; hear or write it first, or correct the id`,
  );
}

/** What a message is marked with that an action hands over: within which calls its run takes place. */
export function handedWithin(
  { actions, held }: Within,
  by: { readonly runId: string; readonly callId: string },
): JsonObject {
  return { handedBy: { ...by, actions, held: [...held] } };
}

/** Within which calls the run of a message takes place; {@link outermost} for all that nobody handed over. */
export function withinOf({ metadata }: Memory): Within {
  const by = metadata?.["handedBy"];
  if (!isObject(by)) return outermost;
  const names = (list: unknown): readonly string[] =>
    isList(list) ? list.filter((name) => typeof name === "string") : [];
  return { actions: names(by["actions"]), held: new Set(names(by["held"])) };
}
