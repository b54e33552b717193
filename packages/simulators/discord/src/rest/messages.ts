import { demand, demandToSpeak, messageIn, textChannelFor } from "../access.ts";
import { announceIn } from "../announce.ts";
import { readJson, readMessageBody } from "../body.ts";
import { createFormErrors, refusal } from "../errors.ts";
import { readForm } from "../form.ts";
import { toAttachment, toMessage } from "../message-payload.ts";
import {
  announceEdit,
  createMessage,
  deleteMessage,
  editMessage,
  emptyBody,
  pageOf,
  removeMessages,
  say,
} from "../messages.ts";
import { toFullMember, viewerOf } from "../payload.ts";
import { channelPermissions, holds } from "../permissions.ts";
import { compareSnowflakes, snowflakeMs } from "../snowflake.ts";
import type { Channel, Message } from "../world.ts";
import { readQuery } from "./queries.ts";
import { type Call, nothing, ok, type Route } from "./router.ts";

const twoWeeksMs = 14 * 24 * 60 * 60 * 1000;

function channelOf(call: Call): Channel {
  return textChannelFor(call.world, call.param("channel"), call.bot.id);
}

/** The channel and the message a path names. */
export function messageOf(call: Call): { readonly channel: Channel; readonly message: Message } {
  const channel = channelOf(call);
  return { channel, message: messageIn(call.world, channel, call.param("message")) };
}

function show(call: Call, message: Message): unknown {
  return toMessage(call.world, message, viewerOf(call.bot));
}

function list(call: Call) {
  const channel = channelOf(call);
  const query = readQuery(call.request);
  const limit = query.integer("limit", { min: 1, max: 100 }) ?? 50;
  const asked = {
    before: query.snowflake("before"),
    after: query.snowflake("after"),
    around: query.snowflake("around"),
    limit,
  };
  query.check();
  const isReadable = holds(channelPermissions(call.world, channel, call.bot.id), "READ_MESSAGE_HISTORY");
  if (channel.type === 2) demand(call.world, channel, { userId: call.bot.id, all: ["CONNECT"] });
  return ok(isReadable ? pageOf(channel, asked).map((message) => show(call, message)) : []);
}

function create(call: Call) {
  const { parts, world, bot, request } = call;
  const channel = channelOf(call);
  const body = readMessageBody(readJson(request), request.files, parts.limitFileBytes);
  const isKnown = body.isNonceEnforced && body.nonce !== null;
  const earlier = isKnown && body.nonce !== null ? parts.nonces.find(bot.id, body.nonce) : null;
  if (earlier) return ok(show(call, earlier));
  const message = say(world, { channelId: channel.id, authorId: bot.id, body });
  if (body.isNonceEnforced) parts.nonces.keep(message);
  return ok(show(call, message));
}

function get(call: Call) {
  const { channel, message } = messageOf(call);
  if (!holds(channelPermissions(call.world, channel, call.bot.id), "READ_MESSAGE_HISTORY"))
    throw refusal("missingAccess");
  return ok(show(call, message));
}

/** Hiding embeds is all that can be done to another's message. */
const suppressFlag = 1 << 2;

function edit(call: Call) {
  const { parts, world, bot, request } = call;
  const { channel, message } = messageOf(call);
  const json = readJson(request);
  const body = readMessageBody(json, request.files, parts.limitFileBytes);
  const isSuppression = JSON.stringify(Object.keys(Object(json) as object)) === '["flags"]';
  if (isSuppression && message.authorId !== bot.id) {
    demand(world, channel, { userId: bot.id, all: ["MANAGE_MESSAGES"] });
    message.flags = (message.flags & ~suppressFlag) | (body.flags & suppressFlag);
    announceEdit(world, message);
  } else editMessage(world, message, { userId: bot.id, body });
  return ok(show(call, message));
}

function remove(call: Call) {
  const { message } = messageOf(call);
  deleteMessage(call.world, message, call.bot.id);
  return nothing;
}

function removeMany(call: Call) {
  const { world, bot } = call;
  const channel = channelOf(call);
  if (channel.guildId === null) throw refusal("directChannel");
  demand(world, channel, { userId: bot.id, all: ["MANAGE_MESSAGES"] });
  const errors = createFormErrors();
  const form = readForm(readJson(call.request), errors);
  form.require("messages");
  const ids = new Set(form.snowflakes("messages"));
  errors.check();
  if (ids.size < 2 || ids.size > 100) throw refusal("wrongBulk");
  if ([...ids].some((id) => world.clock.now() - snowflakeMs(id) > twoWeeksMs)) throw refusal("tooOld");
  removeMessages(
    world,
    channel,
    channel.messages.filter(({ id }) => ids.has(id)),
  );
  return nothing;
}

function type(call: Call) {
  const { world, bot } = call;
  const channel = channelOf(call);
  demandToSpeak(world, { ...channel, slowmodeSeconds: 0 }, bot.id);
  announceTyping(call, channel);
  return nothing;
}

function announceTyping({ world, bot }: Call, channel: Channel): void {
  const member = world.guilds.get(channel.guildId ?? "")?.members.get(bot.id);
  announceIn(world, channel, {
    name: "TYPING_START",
    payload: () => ({
      channel_id: channel.id,
      user_id: bot.id,
      timestamp: Math.floor(world.clock.now() / 1000),
      ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
      ...(member ? { member: toFullMember(world, member) } : {}),
    }),
    subject: { type: "typing", channelId: channel.id, userId: bot.id },
  });
}

function crosspost(call: Call) {
  const { world, bot } = call;
  const { channel, message } = messageOf(call);
  if (channel.type !== 5) throw refusal("wrongChannelType");
  demand(world, channel, {
    userId: bot.id,
    all: message.authorId === bot.id ? ["SEND_MESSAGES"] : ["MANAGE_MESSAGES"],
  });
  if ((message.flags & 1) !== 0) throw refusal("alreadyCrossposted");
  message.flags |= 1;
  announceEdit(world, message);
  return ok(show(call, message));
}

/** Gives the addresses of files another day. */
function refresh(call: Call) {
  const errors = createFormErrors();
  const form = readForm(readJson(call.request), errors);
  form.require("attachment_urls");
  const urls = (form.list("attachment_urls", { min: 1, max: 50 }) ?? []).map(String);
  errors.check();
  const refreshed = urls.map((original) => {
    const attachment = call.world.attachments.get(/\/attachments\/\d+\/(\d+)\//.exec(original)?.[1] ?? "");
    return { original, refreshed: attachment ? toAttachment(call.world, attachment)["url"] : original };
  });
  return ok({ refreshed_urls: refreshed });
}

/** Newest pin first. */
function pinned(channel: Channel): Message[] {
  const found = channel.messages.filter(({ pinnedMs }) => pinnedMs !== null);
  return found.sort(
    (left, right) => (right.pinnedMs ?? 0) - (left.pinnedMs ?? 0) || compareSnowflakes(right.id, left.id),
  );
}

function listPins(call: Call) {
  return ok(pinned(channelOf(call)).map((message) => show(call, message)));
}

function pagePins(call: Call) {
  const query = readQuery(call.request);
  const limit = query.integer("limit", { min: 1, max: 50 }) ?? 50;
  const before = query.text("before");
  query.check();
  const beforeMs = before === null ? Number.POSITIVE_INFINITY : Date.parse(before);
  const found = pinned(channelOf(call)).filter(({ pinnedMs }) => (pinnedMs ?? 0) < beforeMs);
  const items = found.slice(0, limit).map((message) => ({
    pinned_at: new Date(message.pinnedMs ?? 0).toISOString(),
    message: show(call, message),
  }));
  return ok({ items, has_more: found.length > limit });
}

function setPin(call: Call, isPinned: boolean) {
  const { world, bot } = call;
  const { channel, message } = messageOf(call);
  const bits = channelPermissions(world, channel, bot.id);
  if (!holds(bits, "PIN_MESSAGES") && !holds(bits, "MANAGE_MESSAGES")) throw refusal("missingPermissions");
  if ((message.pinnedMs !== null) === isPinned) return nothing;
  if (isPinned && pinned(channel).length >= 250) throw refusal("tooManyPins");
  message.pinnedMs = isPinned ? world.clock.now() : null;
  channel.lastPinMs = isPinned ? world.clock.now() : channel.lastPinMs;
  announceEdit(world, message);
  if (isPinned) {
    const reference = { type: 0, messageId: message.id, channelId: channel.id, guildId: channel.guildId } as const;
    createMessage(world, { channel, authorId: bot.id, body: emptyBody, type: 6, reference });
  }
  announceIn(world, channel, {
    name: "CHANNEL_PINS_UPDATE",
    payload: () => ({
      channel_id: channel.id,
      last_pin_timestamp: channel.lastPinMs === null ? null : new Date(channel.lastPinMs).toISOString(),
      ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
    }),
  });
  return nothing;
}

/** Everything about messages but their reactions. @see https://discord.com/developers/docs/resources/message */
export const messageRoutes: readonly Route[] = [
  { route: "GET /channels/:channel/messages/pins", handle: pagePins },
  { route: "PUT /channels/:channel/messages/pins/:message", handle: (call) => setPin(call, true) },
  { route: "DELETE /channels/:channel/messages/pins/:message", handle: (call) => setPin(call, false) },
  { route: "GET /channels/:channel/pins", handle: listPins },
  { route: "PUT /channels/:channel/pins/:message", handle: (call) => setPin(call, true) },
  { route: "DELETE /channels/:channel/pins/:message", handle: (call) => setPin(call, false) },
  { route: "GET /channels/:channel/messages", handle: list },
  { route: "POST /channels/:channel/messages", handle: create },
  { route: "POST /channels/:channel/messages/bulk-delete", handle: removeMany },
  { route: "GET /channels/:channel/messages/:message", handle: get },
  { route: "PATCH /channels/:channel/messages/:message", handle: edit },
  { route: "DELETE /channels/:channel/messages/:message", handle: remove },
  { route: "POST /channels/:channel/messages/:message/crosspost", handle: crosspost },
  { route: "POST /channels/:channel/typing", handle: type },
  { route: "POST /attachments/refresh-urls", handle: refresh },
];
