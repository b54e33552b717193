import { forbidden, invalidBody, missing, notFound } from "../problem.ts";
import { directDocument } from "../render/document.ts";
import { viewParameters } from "../render/fields.ts";
import { pageOf, tokens } from "../render/paging.ts";
import { conversationOf, openGroup, writeDirect } from "../world/direct.ts";
import type { DirectEvent, User } from "../world/world.ts";
import { ids, type JsonObject, objectBody, optionalObject, optionalText } from "./json-body.ts";
import { asUser, type Call, idParameter, lookOf, type Reply, type Route, userOf } from "./route.ts";

const readScopes = ["dm.read", "tweet.read", "users.read"];
const writeScopes = ["dm.write", "dm.read", "tweet.read", "users.read"];
const query = [...viewParameters.direct, "max_results", "pagination_token", "event_types"];
const keptMs = 30 * 24 * 60 * 60_000;

/** Direct messages. */
export const directRoutes: readonly Route[] = [
  {
    endpoint: "POST /2/dm_conversations/with/:participant_id/messages",
    auth: asUser,
    scopes: writeScopes,
    needs: "direct",
    handle: (call) => {
      const other = participant(call, idParameter(call, "participant_id"));
      return write(call, conversationOf(call.world, userOf(call), other), messageOf(call.body));
    },
  },
  {
    endpoint: "POST /2/dm_conversations/:id/messages",
    auth: asUser,
    scopes: writeScopes,
    needs: "direct",
    handle: (call) => write(call, conversationParameter(call), messageOf(call.body)),
  },
  {
    endpoint: "POST /2/dm_conversations",
    auth: asUser,
    scopes: writeScopes,
    needs: "direct",
    handle: (call) => {
      const keys = ["conversation_type", "participant_ids", "message"];
      const body = objectBody(call.body, keys);
      if (body["conversation_type"] !== "Group")
        throw invalidBody("$.conversation_type", "does not have a value in the enumeration [Group]");
      const others = ids(body, "participant_ids").map((id) => participant(call, id));
      if (others.length < 2 || others.length > 49) throw invalidBody("$.participant_ids", "must have 2 to 49 items");
      const message = messageOf(body["message"]);
      return write(call, openGroup(call.world, userOf(call), others), message);
    },
  },
  {
    endpoint: "GET /2/dm_events",
    auth: asUser,
    scopes: readScopes,
    needs: "direct",
    query,
    isOwnedRead: true,
    handle: (call) => list(call, () => true),
  },
  {
    endpoint: "GET /2/dm_events/:id",
    auth: asUser,
    scopes: readScopes,
    needs: "direct",
    query: viewParameters.direct,
    handle: (call) => {
      const value = idParameter(call, "id");
      const event = ownEvents(call).find(({ id }) => id === value);
      if (event === undefined) return { body: { errors: [missing({ resource: "dm_event", parameter: "id", value })] } };
      const { body, reads } = directDocument(lookOf(call, "direct"), [event]);
      const [data] = body["data"] as readonly unknown[];
      return { body: { ...body, data }, reads };
    },
  },
  {
    endpoint: "DELETE /2/dm_events/:id",
    auth: asUser,
    scopes: writeScopes,
    needs: "direct",
    handle: (call) => {
      const value = idParameter(call, "id");
      const event = ownEvents(call).find(({ id }) => id === value);
      if (event === undefined) throw notFound(`Could not find dm_event with id: [${value}].`);
      if (event.senderId !== userOf(call).id) throw forbidden("You are not authorized to delete this message.");
      event.isDeleted = true;
      call.world.changed();
      return { body: { data: { deleted: true } }, price: "interaction-delete" };
    },
  },
  {
    endpoint: "GET /2/dm_conversations/with/:participant_id/dm_events",
    auth: asUser,
    scopes: readScopes,
    needs: "direct",
    query,
    isOwnedRead: true,
    handle: (call) => {
      const other = participant(call, idParameter(call, "participant_id"));
      const conversationId = conversationOf(call.world, userOf(call), other);
      return list(call, (event) => event.conversationId === conversationId);
    },
  },
  {
    endpoint: "GET /2/dm_conversations/:id/dm_events",
    auth: asUser,
    scopes: readScopes,
    needs: "direct",
    query,
    isOwnedRead: true,
    handle: (call) => {
      const conversationId = conversationParameter(call);
      return list(call, (event) => event.conversationId === conversationId);
    },
  },
];

function participant({ world }: Call, id: string): User {
  const user = world.users.get(id);
  if (user === undefined || user.standing !== "active")
    throw forbidden("You do not have permission to DM one or more participants.");
  return user;
}

function conversationParameter({ params }: Call): string {
  const value = params["id"] ?? "";
  if (!/^\d{1,19}(-\d{1,19})?$/.test(value)) throw notFound(`Could not find dm_conversation with id: [${value}].`);
  return value;
}

type Message = { readonly text: string; readonly mediaIds: readonly string[] };

function messageOf(body: unknown): Message {
  const message = objectBody(body, ["text", "attachments"]);
  const attachments = message["attachments"];
  if (attachments !== undefined && !Array.isArray(attachments)) throw invalidBody("$.attachments", "array expected");
  const mediaIds = (attachments ?? []).map((_, index) => {
    // Arrays have their items under their places.
    const item = optionalObject(attachments as unknown as JsonObject, String(index), ["media_id"]);
    return optionalText(item ?? {}, "media_id") ?? "";
  });
  return { text: optionalText(message, "text") ?? "", mediaIds };
}

function write(call: Call, conversationId: string, message: Message): Reply {
  const event = writeDirect(call.world, { sender: userOf(call), conversationId, ...message });
  return {
    status: 201,
    body: { data: { dm_conversation_id: conversationId, dm_event_id: event.id } },
    price: "direct-create",
  };
}

// X keeps the events of the last thirty days.
function ownEvents(call: Call): DirectEvent[] {
  const { world } = call;
  const own = userOf(call).id;
  return world.directEvents.filter(
    (event) =>
      !event.isDeleted &&
      event.createdAtMs > world.clock.now() - keptMs &&
      (world.conversations.get(event.conversationId) ?? []).includes(own),
  );
}

function list(call: Call, isMeant: (event: DirectEvent) => boolean): Reply {
  const types = (call.query.get("event_types") ?? "").split(",").filter(Boolean);
  const events = ownEvents(call).filter(
    (event) => isMeant(event) && (types.length === 0 || types.includes(event.type)),
  );
  const items = events.map((event) => ({ order: BigInt(event.id), value: event }));
  const page = pageOf(items, call.query, { min: 1, max: 100, usual: 100 });
  const meta = { result_count: page.values.length, ...tokens(page) };
  return directDocument(lookOf(call, "direct"), page.values, { meta });
}
