import { TroupeError, ValidationError } from "../errors.ts";
import type { Inbound } from "../inbox/inbound.ts";
import type { JsonValue } from "../json.ts";
import { deriveId } from "../memory/derive-id.ts";
import { entityIdOf } from "../memory/message-id.ts";
import type { Room } from "../room/room.ts";
import type { Store } from "../store/store.ts";
import { contextAccount, contextPlatform } from "./context-client.ts";
import type { ContextPlace } from "./context-definition.ts";
import type { ContextInput, InputSender } from "./context-input.ts";
import { roomType } from "./context-ref.ts";
import { toPlainJson } from "./plain-json.ts";

/** What is sent to a context: words, or a value for one of its inputs. */
export type SentInput =
  | string
  | (Sent & { readonly text: string })
  | (Sent & { readonly input: string; readonly value?: unknown });

type Sent = {
  /** The same id again is the same input: it changes nothing. */
  readonly eventId?: string;
  readonly from?: InputSender;
};

/** An input that was read by its schema. */
export type ReadInput = {
  /** The name of the input; null for words. */
  readonly name: string | null;
  readonly text: string;
  readonly value: JsonValue;
  readonly eventId?: string;
  readonly from?: InputSender;
};

/** Reads what is sent. @throws ValidationError naming the context, the input and what does not fit. */
export function readInput(given: SentInput, type: string, inputs: readonly ContextInput[]): ReadInput {
  if (typeof given === "string") return { name: null, text: given, value: given };
  const sent = {
    ...(given.eventId !== undefined && { eventId: given.eventId }),
    ...(given.from && { from: given.from }),
  };
  if ("text" in given) {
    if (typeof given.text !== "string")
      throw new ValidationError(`An input for context ${type} has no text; give it one.`);
    return { name: null, text: given.text, value: given.text, ...sent };
  }
  const input = inputs.find(({ name }) => name === given.input);
  if (!input) {
    const known = inputs.map(({ name }) => name).join(", ") || "none";
    throw new ValidationError(`Context ${type} has no input ${String(given.input)}; it has ${known}.`);
  }
  const read = given.value === undefined ? input.read(null) : input.read(given.value);
  if (!read.ok) throw new ValidationError(`The input ${input.name} of context ${type} does not fit: ${read.problem}.`);
  const text: unknown = input.format(read.value);
  if (typeof text !== "string")
    throw new ValidationError(`The format of input ${input.name} of context ${type} gave no text.`);
  return { name: input.name, text, value: read.value, ...sent };
}

/** What an inbound is made with. */
export type InboundParts = {
  readonly agentId: string;
  readonly rooms: Pick<Store["rooms"], "room">;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly newId: () => string;
};

/**
 * An input as the inbox takes it. A room's context gets it in its room, any other in a room of its own, which is no conversation on
 * any platform. @throws TroupeError `not_found` when the room is not known.
 */
export async function toContextInbound(place: ContextPlace, input: ReadInput, parts: InboundParts): Promise<Inbound> {
  const { agentId, at, newId } = parts;
  const { name, text, value, from, eventId = newId() } = input;
  const room = place.type === roomType ? await knownRoom(place.id, parts) : roomOf(place);
  const sender = from ?? { id: `input:${name ?? "text"}`, name: name ?? "input" };
  const { platform, account } = room;
  const whole = `context/${place.id}/${name ?? ""}/${eventId}`;
  const kept = toPlainJson({ input: name, value });
  return {
    eventId: whole,
    kind: "message",
    room,
    entity: {
      id: entityIdOf(contextPlatform, contextAccount, sender.id),
      platform,
      account,
      platformId: sender.id,
      name: sender.name,
    },
    memory: {
      id: deriveId("memory", agentId, whole),
      agentId,
      roomId: room.id,
      entityId: entityIdOf(contextPlatform, contextAccount, sender.id),
      type: "message",
      content: {
        text,
        source: platform,
        channelType: room.channelType,
        mentionContext: { mentionsAgent: true, repliesToAgent: false },
      },
      createdAt: at,
      metadata: { contextId: place.id, ...(kept.ok && { given: kept.value }) },
    },
  };
}

async function knownRoom(id: string, { agentId, rooms }: InboundParts): Promise<Room> {
  const row = await rooms.room(agentId, id);
  if (row) return row.room;
  throw new TroupeError(
    "not_found",
    `there is no room ${id.slice(0, 100)} to send to; correct the id, or hear it first`,
  );
}

function roomOf({ id, type, key }: ContextPlace): Room {
  return {
    id,
    platform: contextPlatform,
    account: contextAccount,
    platformId: `${type}/${key}`,
    channelType: "dm",
    name: key === "default" ? type : `${type} ${key.slice(0, 80)}`,
    // Contexts think in steps, whatever the character does elsewhere.
    data: { mode: "steps" },
  };
}
