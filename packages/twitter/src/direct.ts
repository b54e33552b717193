import type { Inbound, Room } from "@troupe/core";
import { messageMemoryId, roomIdOf } from "@troupe/core/memory";
import type { Access } from "./access.ts";
import { openCursor } from "./cursor.ts";
import { type Hearer, toEntity, unknownPerson } from "./inbound.ts";
import { createHandOver, type ListeningParts } from "./listening.ts";
import type { Loop, Turn } from "./loop.ts";
import { directRoomId } from "./outbound.ts";
import {
  compareIds,
  type Fields,
  fieldsOf,
  idBefore,
  idIn,
  keysIn,
  listIn,
  type Page,
  readIncludes,
  readLinks,
  textIn,
  timeOfId,
} from "./payload.ts";
import { unescapeText } from "./text.ts";

const pageSize = { least: 5, most: 25 };
const mostPages = 20;

/** Hears what people write in private. Where it never listened before it begins with what comes from now on. @throws StoreError */
export async function openDirect(parts: ListeningParts, restMs: readonly [number, number]): Promise<Loop> {
  const { access, clock, state } = parts;
  const cursor = await openCursor(state, "direct", idBefore(clock.now()));
  const handOver = createHandOver(parts);

  const run = async ({ signal }: Turn): Promise<void> => {
    const found = await readEvents(access, cursor.since(), signal);
    for (const [id, { event, around }] of [...found].sort(([one], [other]) => compareIds(one, other))) {
      const inbound = toDirectInbound(event, around, parts.hearer());
      if (inbound && cursor.begin(id)) handOver([inbound], { id, cursor });
    }
  };
  return { name: "direct", restMs, isEager: true, run };
}

type Found = { readonly event: Fields; readonly around: Around };

/** Everything that is newer than an id; X shows what was written in private newest first, and takes no such id. */
async function readEvents(access: Access, since: string, signal: AbortSignal): Promise<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>();
  let nextToken: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const query = {
      "dm_event.fields": "attachments,created_at,dm_conversation_id,entities,sender_id",
      "user.fields": "name,username",
      expansions: "sender_id",
      event_types: "MessageCreate",
      ...(nextToken !== undefined && { pagination_token: nextToken }),
    };
    const asked = { method: "GET", path: "dm_events", query } as const;
    const body = fieldsOf(await access.page(asked, pageSize, { importance: "first", signal }));
    const around = readIncludes(body);
    const events = listIn(body, "data").flatMap((event) => {
      const id = idIn(event, "id");
      return id === undefined ? [] : [{ id, event }];
    });
    const fresh = events.filter(({ id }) => compareIds(id, since) > 0);
    for (const { id, event } of fresh) found.set(id, { event, around });
    nextToken = textIn(fieldsOf(body?.["meta"]), "next_token");
    if (nextToken === undefined || fresh.length < events.length || events.length === 0) break;
  }
  return found;
}

type Around = Pick<Page, "people" | "others" | "media">;

/** The event of a message in private; null when it is the account's own, or nothing that can be read. */
export function toDirectInbound(event: Fields, { people }: Around, hearer: Hearer): Inbound | null {
  const { account, agentId } = hearer;
  const id = idIn(event, "id");
  const senderId = idIn(event, "sender_id");
  const conversation = textIn(event, "dm_conversation_id");
  if (id === undefined || senderId === undefined || senderId === account) return null;
  if (conversation === undefined || !/^[\d-]{1,64}$/.test(conversation)) return null;
  const text = directText(event);
  if (text === "" && keysIn(fieldsOf(event["attachments"])).length === 0) return null;
  const created = Date.parse(textIn(event, "created_at") ?? "");
  const createdAt = Number.isFinite(created) ? created : timeOfId(id);
  const room = directRoom(account, conversation);
  const entity = toEntity(account, people.get(senderId) ?? unknownPerson(senderId));
  const isGroup = !/^\d+-\d+$/.test(conversation);
  return {
    eventId: `direct:${id}`,
    kind: "message",
    room,
    entity,
    memory: {
      id: messageMemoryId({ platform: "twitter", account, room: room.platformId, message: id }),
      agentId,
      roomId: room.id,
      entityId: entity.id,
      type: "message",
      content: {
        text: text === "" ? "[a picture]" : text,
        source: "twitter",
        channelType: room.channelType,
        ...(!isGroup && { mentionContext: { mentionsAgent: true, repliesToAgent: false } }),
      },
      createdAt,
      platformId: id,
      metadata: {
        directId: id,
        senderId,
        directConversationId: conversation,
        ...(hearer.now - createdAt > hearer.answerWithinMs && { late: true }),
      },
    },
  };
}

function directText(event: Fields): string {
  let text = textIn(event, "text") ?? "";
  for (const { url, expandedUrl, isMedia } of readLinks(fieldsOf(event["entities"]))) {
    text = text.split(url).join(isMedia ? "" : expandedUrl);
  }
  return unescapeText(text).trim();
}

/** The room of a conversation in private: between two, or of a group. */
function directRoom(account: string, conversation: string): Room {
  const platformId = directRoomId(conversation);
  return {
    id: roomIdOf("twitter", account, platformId),
    platform: "twitter",
    account,
    platformId,
    channelType: /^\d+-\d+$/.test(conversation) ? "dm" : "group",
  };
}
