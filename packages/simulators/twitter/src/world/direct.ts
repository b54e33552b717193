import { forbidden, invalidBody } from "../problem.ts";
import { show } from "../text/entities.ts";
import { type DirectEvent, findByUsername, type User, type World } from "./world.ts";

const limitLength = 10_000;

/** A direct message to be sent. */
export type DirectDraft = {
  readonly sender: User;
  readonly conversationId: string;
  readonly text: string;
  readonly mediaIds?: readonly string[];
};

/** The conversation of two, made when there is none: `smaller-larger` of their ids. */
export function conversationOf(world: World, one: User, other: User): string {
  const ids = [one.id, other.id].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
  const id = ids.join("-");
  if (!world.conversations.has(id)) world.conversations.set(id, ids);
  return id;
}

/** Opens a conversation of several. */
export function openGroup(world: World, creator: User, others: readonly User[]): string {
  const id = world.newId();
  const participantIds = [...new Set([creator.id, ...others.map((user) => user.id)])];
  world.conversations.set(id, participantIds);
  add(world, { conversationId: id, type: "ParticipantsJoin", senderId: creator.id, participantIds });
  return id;
}

/** Writes a message. @throws Problem when it is empty, too long, or a participant does not take messages from this account. */
export function writeDirect(world: World, draft: DirectDraft): DirectEvent {
  const { sender, conversationId, text, mediaIds = [] } = draft;
  const participants = world.conversations.get(conversationId);
  if (participants === undefined || !participants.includes(sender.id)) throw notPermitted();
  if (text === "" && mediaIds.length === 0) throw invalidBody("$.text", "must be at least 1 characters long");
  if ([...text].length > limitLength) throw invalidBody("$.text", `must be at most ${limitLength} characters long`);
  for (const id of mediaIds) {
    const media = world.media.get(id);
    if (media?.ownerId !== sender.id || media.readyAtMs === null)
      throw invalidBody("$.attachments", "the media is invalid");
  }
  for (const id of participants) if (id !== sender.id) checkTakes(world, sender, id);
  return add(world, { conversationId, type: "MessageCreate", senderId: sender.id, text, mediaIds });
}

function checkTakes(world: World, sender: User, receiverId: string): void {
  const receiver = world.users.get(receiverId);
  const isOpen =
    receiver?.standing === "active" &&
    !world.blocks.has(receiverId, sender.id) &&
    (receiver.takesDirectMessages ||
      world.follows.has(receiverId, sender.id) ||
      hasWritten(world, receiverId, sender.id));
  if (!isOpen) throw notPermitted();
}

function hasWritten(world: World, from: string, to: string): boolean {
  return world.directEvents.some(
    ({ senderId, conversationId }) => senderId === from && (world.conversations.get(conversationId) ?? []).includes(to),
  );
}

function notPermitted(): Error {
  return forbidden("You do not have permission to DM one or more participants.");
}

type Added = Pick<DirectEvent, "conversationId" | "type" | "senderId"> &
  Partial<Pick<DirectEvent, "text" | "mediaIds" | "participantIds">>;

function add(world: World, added: Added): DirectEvent {
  const id = world.newId();
  const event: DirectEvent = {
    mediaIds: [],
    participantIds: [],
    ...added,
    id,
    createdAtMs: world.clock.now(),
    isDeleted: false,
    ...show(added.text ?? "", { seed: id, find: (name) => findByUsername(world, name) }),
  };
  world.directEvents.push(event);
  world.changed();
  return event;
}
