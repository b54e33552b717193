import { channelFor, demand, messageIn, textChannelFor } from "../access.ts";
import { readJson, readMessageBody } from "../body.ts";
import { createThread, joinThread, leaveThread } from "../channels.ts";
import { createFormErrors, refusal } from "../errors.ts";
import { type Form, readForm } from "../form.ts";
import { toMessage } from "../message-payload.ts";
import { announceEdit, createMessage, demandSomething, emptyBody } from "../messages.ts";
import { canView, toChannel, toFullMember, toThreadMember, viewerOf } from "../payload.ts";
import { channelPermissions, holds } from "../permissions.ts";
import { compareSnowflakes } from "../snowflake.ts";
import type { Channel, Message, World } from "../world.ts";
import { readArchiveMinutes } from "./channels.ts";
import { readQuery } from "./queries.ts";
import { type Call, nothing, ok, type Route } from "./router.ts";

const hasThreadFlag = 1 << 5;

/** What a new thread is to be. */
export type ThreadWish = {
  readonly name: string;
  readonly autoArchiveMinutes?: number | null;
  readonly slowmodeSeconds?: number | null;
};

function readWish(form: Form): ThreadWish {
  form.require("name");
  return {
    name: form.text("name", { min: 1, max: 100 }) ?? "",
    autoArchiveMinutes: readArchiveMinutes(form),
    slowmodeSeconds: form.integer("rate_limit_per_user", { min: 0, max: 21_600 }),
  };
}

/** Begins a thread at a message. @throws DiscordError 50013, 50024, 160004 */
export function startThreadAt(
  world: World,
  message: Message,
  { userId, wish }: { readonly userId: string; readonly wish: ThreadWish },
): Channel {
  const parent = textChannelFor(world, message.channelId, userId);
  if (parent.type !== 0 && parent.type !== 5) throw refusal("wrongChannelType");
  demand(world, parent, { userId, all: ["CREATE_PUBLIC_THREADS"] });
  if (world.channels.has(message.id)) throw refusal("hasThread");
  const thread = createThread(world, parent, {
    ...wish,
    id: message.id,
    type: parent.type === 5 ? 10 : 11,
    ownerId: userId,
  });
  message.flags |= hasThreadFlag;
  announceEdit(world, message);
  const reference = { type: 0, messageId: message.id, channelId: parent.id, guildId: parent.guildId } as const;
  createMessage(world, { channel: thread, authorId: message.authorId, body: emptyBody, type: 21, reference });
  return thread;
}

/** Begins a thread of no message. @throws DiscordError 50013, 50024 */
export function startThread(
  world: World,
  parent: Channel,
  {
    userId,
    type,
    wish,
  }: {
    readonly userId: string;
    readonly type: 10 | 11 | 12;
    readonly wish: ThreadWish & { readonly isInvitable?: boolean | null };
  },
): Channel {
  if (parent.type !== 0 && parent.type !== 5) throw refusal("wrongChannelType");
  demand(world, parent, { userId, all: [type === 12 ? "CREATE_PRIVATE_THREADS" : "CREATE_PUBLIC_THREADS"] });
  const thread = createThread(world, parent, { ...wish, type, ownerId: userId });
  if (type !== 12) {
    const reference = { type: 0, messageId: null, channelId: thread.id, guildId: parent.guildId } as const;
    createMessage(world, {
      channel: parent,
      authorId: userId,
      body: { ...emptyBody, content: wish.name },
      type: 18,
      reference,
    });
  }
  return thread;
}

/** Begins a forum post with its first message, whose id is the post's. @throws DiscordError 40067, 50013 */
export function startPost(
  world: World,
  forum: Channel,
  post: {
    readonly userId: string;
    readonly wish: ThreadWish;
    readonly body: typeof emptyBody;
    readonly tagIds: readonly string[];
  },
): { readonly thread: Channel; readonly message: Message } {
  demand(world, forum, { userId: post.userId, all: ["SEND_MESSAGES"] });
  demandSomething(post.body);
  const id = world.newId();
  const tagIds = post.tagIds.filter((tagId) => forum.tags.some((tag) => tag.id === tagId));
  const thread = createThread(world, forum, {
    ...post.wish,
    id,
    type: 11,
    ownerId: post.userId,
    appliedTagIds: tagIds,
  });
  forum.lastMessageId = thread.id;
  const message = createMessage(world, { channel: thread, authorId: post.userId, body: post.body, type: 0, id });
  return { thread, message };
}

function startAt(call: Call) {
  const { world, bot } = call;
  const parent = textChannelFor(world, call.param("channel"), bot.id);
  const message = messageIn(world, parent, call.param("message"));
  const errors = createFormErrors();
  const wish = readWish(readForm(readJson(call.request), errors));
  errors.check();
  return ok(toChannel(world, startThreadAt(world, message, { userId: bot.id, wish }), bot.id), 201);
}

function start(call: Call) {
  const { world, bot, parts } = call;
  const parent = channelFor(world, call.param("channel"), bot.id);
  const errors = createFormErrors();
  const form = readForm(readJson(call.request), errors);
  const wish = { ...readWish(form), isInvitable: form.flag("invitable") };
  if (parent.type === 15 || parent.type === 16) {
    form.require("message");
    const tagIds = form.snowflakes("applied_tags", { max: 5 }) ?? [];
    errors.check();
    const body = readMessageBody(form.fields["message"], call.request.files, parts.limitFileBytes);
    const { thread, message } = startPost(world, parent, { userId: bot.id, wish, body, tagIds });
    return ok({ ...toChannel(world, thread, bot.id), message: toMessage(world, message, viewerOf(bot)) }, 201);
  }
  const type = form.integer("type", { min: 10, max: 12 }) ?? 12;
  errors.check();
  const thread = startThread(world, parent, { userId: bot.id, type: type === 10 ? 10 : type === 11 ? 11 : 12, wish });
  return ok(toChannel(world, thread, bot.id), 201);
}

function threadOf(call: Call): Channel {
  const channel = channelFor(call.world, call.param("channel"), call.bot.id);
  if (!channel.thread) throw refusal("wrongChannelType");
  return channel;
}

function join(call: Call) {
  const thread = threadOf(call);
  if (thread.thread?.isArchived) throw refusal("archivedThread");
  joinThread(call.world, thread, call.bot.id);
  return nothing;
}

function add(call: Call) {
  const thread = threadOf(call);
  if (thread.thread?.isArchived) throw refusal("archivedThread");
  demand(call.world, thread, { userId: call.bot.id, all: ["SEND_MESSAGES_IN_THREADS"] });
  const members = call.world.guilds.get(thread.guildId ?? "")?.members;
  if (!members?.has(call.param("user"))) throw refusal("unknownMember");
  joinThread(call.world, thread, call.param("user"));
  return nothing;
}

function leave(call: Call) {
  const thread = threadOf(call);
  leaveThread(call.world, thread, call.bot.id);
  return nothing;
}

function remove(call: Call) {
  const { world, bot } = call;
  const thread = threadOf(call);
  const isOwn = thread.type === 12 && thread.thread?.ownerId === bot.id;
  if (!isOwn) demand(world, thread, { userId: bot.id, all: ["MANAGE_THREADS"] });
  leaveThread(world, thread, call.param("user"));
  return nothing;
}

function member(call: Call, userId: string) {
  const thread = threadOf(call);
  if (!thread.thread?.members.has(userId)) throw refusal("unknownMember");
  return ok(toThreadMember(thread, userId));
}

function members(call: Call) {
  const { world } = call;
  const thread = threadOf(call);
  const isFull = readQuery(call.request).flag("with_member") ?? false;
  const guild = world.guilds.get(thread.guildId ?? "");
  const ids = [...(thread.thread?.members.keys() ?? [])];
  return ok(
    ids.map((id) => {
      const found = guild?.members.get(id);
      return { ...toThreadMember(thread, id), ...(isFull && found ? { member: toFullMember(world, found) } : {}) };
    }),
  );
}

function threadsIn(world: World, isMeant: (channel: Channel) => boolean): Channel[] {
  return [...world.channels.values()].filter((channel) => channel.thread && isMeant(channel));
}

/** Threads as the listings show them, with the bot's own membership of each. */
function toThreadList(world: World, threads: readonly Channel[], botId: string): Readonly<Record<string, unknown>> {
  return {
    threads: threads.map((thread) => toChannel(world, thread, botId)),
    members: threads.filter(({ thread }) => thread?.members.has(botId)).map((thread) => toThreadMember(thread, botId)),
  };
}

/** A guild's active threads this bot can view. */
export function activeThreads(world: World, guildId: string, botId: string): Readonly<Record<string, unknown>> {
  const isMeant = (channel: Channel): boolean =>
    channel.guildId === guildId && !channel.thread?.isArchived && canView(world, channel, botId);
  const threads = threadsIn(world, isMeant).sort((left, right) => compareSnowflakes(right.id, left.id));
  return toThreadList(world, threads, botId);
}

function archived(call: Call, kind: "public" | "private" | "joined") {
  const { world, bot } = call;
  const parent = channelFor(world, call.param("channel"), bot.id);
  demand(world, parent, { userId: bot.id, all: ["READ_MESSAGE_HISTORY"] });
  if (kind === "private" && !holds(channelPermissions(world, parent, bot.id), "MANAGE_THREADS"))
    throw refusal("missingPermissions");
  const query = readQuery(call.request);
  const limit = query.integer("limit", { min: 1, max: 100 }) ?? 50;
  const before = query.text("before");
  query.check();
  const beforeMs = before === null ? Number.POSITIVE_INFINITY : Date.parse(before);
  const found = threadsIn(world, (channel) => {
    if (channel.parentId !== parent.id || !channel.thread?.isArchived) return false;
    if ((kind === "public") === (channel.type === 12)) return false;
    return kind === "joined" ? channel.thread.members.has(bot.id) : channel.thread.archivedMs < beforeMs;
  }).sort((left, right) => (right.thread?.archivedMs ?? 0) - (left.thread?.archivedMs ?? 0));
  return ok({ ...toThreadList(world, found.slice(0, limit), bot.id), has_more: found.length > limit });
}

/** @see https://discord.com/developers/docs/topics/threads */
export const threadRoutes: readonly Route[] = [
  { route: "POST /channels/:channel/messages/:message/threads", handle: startAt },
  { route: "POST /channels/:channel/threads", handle: start },
  { route: "GET /channels/:channel/threads/archived/public", handle: (call) => archived(call, "public") },
  { route: "GET /channels/:channel/threads/archived/private", handle: (call) => archived(call, "private") },
  { route: "GET /channels/:channel/users/@me/threads/archived/private", handle: (call) => archived(call, "joined") },
  { route: "GET /channels/:channel/thread-members", handle: members },
  { route: "GET /channels/:channel/thread-members/@me", handle: (call) => member(call, call.bot.id) },
  { route: "PUT /channels/:channel/thread-members/@me", handle: join },
  { route: "DELETE /channels/:channel/thread-members/@me", handle: leave },
  { route: "GET /channels/:channel/thread-members/:user", handle: (call) => member(call, call.param("user")) },
  { route: "PUT /channels/:channel/thread-members/:user", handle: add },
  { route: "DELETE /channels/:channel/thread-members/:user", handle: remove },
];
