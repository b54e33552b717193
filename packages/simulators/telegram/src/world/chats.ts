import { postMessage } from "./post.ts";
import type { Bot, Chat, Member, User, World } from "./world.ts";

/** A chat that is to be. */
type NewChat = Pick<Chat, "id" | "type" | "title"> & Partial<Pick<Chat, "username" | "isForum" | "pair">>;

function createChat(fields: NewChat): Chat {
  const { id, type, title, username, isForum = false, pair = null } = fields;
  return {
    id,
    type,
    title,
    username,
    isForum,
    pair,
    isStarted: false,
    isBlocked: false,
    members: new Map(),
    topics: new Map(),
    permissions: {},
    reactions: null,
    migratedTo: null,
    lastBotId: null,
    nextMessageId: 1,
    messages: [],
    byId: new Map(),
    pinned: [],
  };
}

/** What a bot and a user share; made when it is first looked for. */
export function privateChat(world: World, bot: Bot, user: User): Chat {
  const key = `${bot.user.id}:${user.id}`;
  const there = world.privateChats.get(key);
  if (there) return there;
  const chat = createChat({ id: user.id, type: "private", title: "", pair: { bot, user } });
  world.privateChats.set(key, chat);
  return chat;
}

/** A group, supergroup or channel to be. */
export type NewGroup = {
  readonly type: "group" | "supergroup" | "channel";
  readonly title: string;
  readonly username?: string | undefined;
  readonly isForum?: boolean | undefined;
};

/** Founds a chat; nobody is in it yet. */
export function foundChat(world: World, { type, title, username, isForum }: NewGroup): Chat {
  const number = world.nextId;
  world.nextId += 1;
  const id = type === "group" ? -number : -(1_000_000_000_000 + 1_000_000_000 + number);
  const chat = createChat({ id, type, title, username, ...(isForum === undefined ? {} : { isForum }) });
  // The General topic has the number of the message that says the group was made.
  if (isForum) chat.nextMessageId = 2;
  if (isForum) chat.topics.set(1, { id: 1, name: "General", iconColor: 0x6fb9f0, isClosed: false, created: null });
  world.chats.set(id, chat);
  return chat;
}

/** Makes a supergroup of a basic group; the old one only says where it went. */
export function upgradeGroup(world: World, group: Chat, by: User): Chat {
  const supergroup = foundChat(world, { type: "supergroup", title: group.title });
  supergroup.permissions = group.permissions;
  for (const member of group.members.values()) supergroup.members.set(member.user.id, upgraded(member));
  group.migratedTo = supergroup.id;
  postMessage(world, { chat: group, from: by, content: { migrate_to_chat_id: supergroup.id } });
  postMessage(world, { chat: supergroup, from: by, content: { migrate_from_chat_id: group.id } });
  return supergroup;
}

function upgraded(member: Member): Member {
  return member.status === "administrator"
    ? { ...member, rights: { ...member.rights, can_manage_topics: true } }
    : member;
}

/** Starts a topic of a forum. */
export function createTopic(
  world: World,
  topic: { readonly chat: Chat; readonly by: User; readonly name: string; readonly iconColor?: number },
): number {
  const { chat, by, name, iconColor = 0x6fb9f0 } = topic;
  const id = chat.nextMessageId;
  const created = postMessage(world, {
    chat,
    from: by,
    topicId: id,
    content: { forum_topic_created: { name, icon_color: iconColor } },
  });
  chat.topics.set(id, { id, name, iconColor, isClosed: false, created });
  return id;
}

/** Closes a topic, or opens it again. */
export function closeTopic(
  world: World,
  {
    chat,
    by,
    id,
    isClosed,
  }: { readonly chat: Chat; readonly by: User; readonly id: number; readonly isClosed: boolean },
): void {
  const topic = chat.topics.get(id);
  if (!topic || topic.isClosed === isClosed) return;
  topic.isClosed = isClosed;
  postMessage(world, {
    chat,
    from: by,
    topicId: id,
    content: isClosed ? { forum_topic_closed: {} } : { forum_topic_reopened: {} },
  });
}
