import { demand, demandToSpeak, isEphemeral, textChannelFor } from "./access.ts";
import { announceIn } from "./announce.ts";
import type { MessageBody, NewFile } from "./body.ts";
import { componentsOnlyFlag } from "./components.ts";
import { invalidForm, refusal } from "./errors.ts";
import { type AllowedMentions, defaultMentions, findMentions, isBlank } from "./mentions.ts";
import { toMessageEvent } from "./message-payload.ts";
import type { Permission } from "./permissions.ts";
import { resolveReference, spokenTypes } from "./references.ts";
import { compareSnowflakes, placeOf } from "./snowflake.ts";
import type {
  Attachment,
  Channel,
  InteractionMetadata,
  Message,
  Reference,
  Snapshot,
  Sticker,
  World,
} from "./world.ts";

/** Nothing said yet: to be filled by whoever makes a body without a request. */
export const emptyBody: MessageBody = {
  content: null,
  embeds: null,
  components: null,
  files: [],
  keptAttachmentIds: null,
  allowedMentions: null,
  reference: null,
  stickerIds: [],
  nonce: null,
  isNonceEnforced: false,
  isSpokenAloud: false,
  flags: 0,
};

/** The flags a bot may set: no embeds, no notifications, components only. */
const settableFlags = (1 << 2) | (1 << 12) | componentsOnlyFlag;
/** Put off: a bot's answer to an interaction that is still to come. */
export const loadingFlag = 1 << 7;

/** Says something where the speaker's permissions allow. @throws DiscordError */
export function say(
  world: World,
  said: { readonly channelId: string; readonly authorId: string; readonly body: MessageBody },
): Message {
  const { authorId, body } = said;
  const channel = textChannelFor(world, said.channelId, authorId);
  demandToSpeak(world, channel, authorId);
  demandToSay(world, channel, said);
  const resolved = resolveReference(world, channel, said);
  const message = createMessage(world, {
    channel,
    authorId,
    body,
    type: resolved?.reference.type === 0 ? 19 : 0,
    reference: resolved?.reference ?? null,
    snapshots: resolved?.snapshots ?? [],
    repliedToId: resolved?.repliedToId ?? null,
  });
  channel.lastSaidMs.set(authorId, world.clock.now());
  return message;
}

function demandToSay(
  world: World,
  channel: Channel,
  { authorId, body }: { readonly authorId: string; readonly body: MessageBody },
): void {
  const all: Permission[] = [];
  if (body.embeds && body.embeds.length > 0) all.push("EMBED_LINKS");
  if (body.files.length > 0) all.push("ATTACH_FILES");
  if (body.isSpokenAloud && channel.guildId !== null) all.push("SEND_TTS_MESSAGES");
  demand(world, channel, { userId: authorId, all });
  if (body.reference?.type === 1) return;
  demandSomething(body);
}

/** @throws DiscordError 50006 when there is nothing to show. */
export function demandSomething(body: MessageBody): void {
  const hasParts = [body.embeds, body.components, body.files, body.stickerIds].some((part) => part && part.length > 0);
  if (isBlank(body.content ?? "") && !hasParts) throw refusal("emptyMessage");
  if ((body.flags & componentsOnlyFlag) === 0) return;
  if (isBlank(body.content ?? "")) return;
  const message = "The 'content' field cannot be used when using MessageFlags.IS_COMPONENTS_V2";
  throw invalidForm(["content"], "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", message);
}

/** What a message is made of, whoever it is by. */
export type Draft = {
  readonly channel: Channel;
  readonly authorId: string;
  readonly body: MessageBody;
  readonly type: number;
  readonly reference?: Reference | null;
  readonly snapshots?: readonly Snapshot[];
  readonly repliedToId?: string | null;
  readonly applicationId?: string | null;
  readonly interaction?: InteractionMetadata | null;
  /** What holds when the body does not say whom it may mention. */
  readonly mentions?: AllowedMentions;
  readonly flags?: number;
  /** The id, where it is not a new one. */
  readonly id?: string;
};

/** Puts a message into its channel and tells whoever can view it; asks for no permission. */
export function createMessage(world: World, draft: Draft): Message {
  const { channel, body } = draft;
  const id = draft.id ?? world.newId();
  const allowed = body.allowedMentions ?? draft.mentions ?? defaultMentions;
  const content = cleaned(body.content ?? "");
  const mentioned = findMentions(world, { channel, authorId: draft.authorId, content, allowed });
  const pinged = draft.repliedToId && allowed.repliedUser ? [draft.repliedToId] : [];
  const message: Message = {
    id,
    channelId: channel.id,
    guildId: channel.guildId,
    authorId: draft.authorId,
    applicationId: draft.applicationId ?? null,
    type: draft.type,
    content,
    embeds: body.embeds ?? [],
    components: body.components ?? [],
    attachments: body.files.map((file) => keepFile(world, channel, file)),
    stickers: stickersOf(world, channel, body.stickerIds),
    mentionIds: [...new Set([...mentioned.userIds, ...pinged])],
    mentionRoleIds: mentioned.roleIds,
    mentionsEveryone: mentioned.everyone,
    reference: draft.reference ?? null,
    snapshots: draft.snapshots ?? [],
    interaction: draft.interaction ?? null,
    flags: (body.flags & settableFlags) | (draft.flags ?? 0),
    isSpokenAloud: body.isSpokenAloud,
    nonce: body.nonce,
    createdMs: world.clock.now(),
    editedMs: null,
    pinnedMs: null,
    reactions: [],
  };
  if (isEphemeral(message)) return message;
  keepMessage(world, channel, message);
  announceIn(world, channel, {
    name: "MESSAGE_CREATE",
    payload: (viewer) => toMessageEvent(world, message, viewer),
    subject: { type: "message", message },
  });
  return message;
}

/** Discord takes white space off both ends, and what is no text out of it. */
function cleaned(content: string): string {
  return content.toWellFormed().replaceAll("\u0000", "").trim();
}

function keepFile(world: World, channel: Channel, file: NewFile): Attachment {
  const { name, mediaType, description, bytes } = file;
  const isSpoiler = name.startsWith("SPOILER_");
  const attachment = { id: world.newId(), channelId: channel.id, name, mediaType, description, isSpoiler, bytes };
  world.attachments.set(attachment.id, attachment);
  return attachment;
}

function stickersOf(world: World, channel: Channel, ids: readonly string[]): Sticker[] {
  return ids.map((id, place) => {
    const guild = world.guilds.get(channel.guildId ?? "");
    const found = guild?.stickers.get(id);
    if (!found) throw invalidForm(["sticker_ids", String(place)], "STICKER_NOT_USABLE", "Sticker not usable");
    return found;
  });
}

function keepMessage(world: World, channel: Channel, message: Message): void {
  const { messages, thread } = channel;
  messages.splice(placeOf(messages, message.id), 0, message);
  channel.lastMessageId = message.id;
  if (thread) {
    thread.totalMessages += 1;
    if (spokenTypes.has(message.type) && !thread.members.has(message.authorId)) {
      thread.members.set(message.authorId, world.clock.now());
    }
    if (thread.isArchived && !thread.isLocked) thread.isArchived = false;
  }
  // A tenth more than are kept, so that not every message moves all others.
  if (messages.length <= world.keptMessages * 1.1) return;
  for (const old of messages.splice(0, messages.length - world.keptMessages)) forgetFiles(world, old);
}

function forgetFiles(world: World, message: Message): void {
  for (const { id } of message.attachments) world.attachments.delete(id);
}

/** Changes what a message says; asks for no permission. */
export function changeMessage(world: World, message: Message, body: MessageBody): void {
  const channel = world.channels.get(message.channelId);
  if (!channel) throw refusal("unknownChannel");
  const kept = message.attachments.filter(({ id }) => body.keptAttachmentIds?.includes(id) ?? true);
  const isNothing =
    isBlank(body.content ?? message.content) &&
    [body.embeds ?? message.embeds, body.components ?? message.components, kept, body.files, message.stickers].every(
      (part) => part.length === 0,
    );
  if (isNothing && message.snapshots.length === 0) throw refusal("emptyMessage");
  if (body.content !== null) {
    message.content = cleaned(body.content);
    const allowed = body.allowedMentions ?? defaultMentions;
    const mentioned = findMentions(world, { channel, authorId: message.authorId, content: message.content, allowed });
    message.mentionIds = mentioned.userIds;
    message.mentionRoleIds = mentioned.roleIds;
    message.mentionsEveryone = mentioned.everyone;
  }
  if (body.embeds !== null) message.embeds = body.embeds;
  if (body.components !== null) message.components = body.components;
  message.attachments = [...kept, ...body.files.map((file) => keepFile(world, channel, file))];
  // What was awaited and comes is no edit.
  if ((message.flags & loadingFlag) === 0) message.editedMs = world.clock.now();
  message.flags &= ~loadingFlag;
  announceEdit(world, message);
}

/** Tells whoever can view a message that it is another now. */
export function announceEdit(world: World, message: Message): void {
  const channel = world.channels.get(message.channelId);
  if (!channel) return;
  const subject = { type: "edit", message } as const;
  if (isEphemeral(message)) return;
  announceIn(world, channel, {
    name: "MESSAGE_UPDATE",
    payload: (viewer) => toMessageEvent(world, message, viewer),
    subject,
  });
}

/** Edits one's own message. @throws DiscordError 50005, 50013, 50083 */
export function editMessage(
  world: World,
  message: Message,
  edit: { readonly userId: string; readonly body: MessageBody },
): void {
  const channel = textChannelFor(world, message.channelId, edit.userId);
  if (channel.thread?.isArchived) throw refusal("archivedThread");
  if (message.authorId !== edit.userId) throw refusal("othersMessage");
  if (!spokenTypes.has(message.type)) throw refusal("systemMessage");
  const all: Permission[] = [];
  if (edit.body.embeds && edit.body.embeds.length > 0) all.push("EMBED_LINKS");
  if (edit.body.files.length > 0) all.push("ATTACH_FILES");
  demand(world, channel, { userId: edit.userId, all });
  changeMessage(world, message, edit.body);
}

/** Takes a message away. @throws DiscordError 50003, 50013, 50021 */
export function deleteMessage(world: World, message: Message, userId: string): void {
  const channel = textChannelFor(world, message.channelId, userId);
  if (message.authorId !== userId) {
    if (channel.guildId === null) throw refusal("directChannel");
    demand(world, channel, { userId, all: ["MANAGE_MESSAGES"] });
  }
  if (message.type === 21 || message.type === 1 || message.type === 2) throw refusal("systemMessage");
  removeMessage(world, channel, message);
}

/** Takes it away without a question. */
export function removeMessage(world: World, channel: Channel, message: Message): void {
  forgetMessage(world, channel, message);
  announceIn(world, channel, {
    name: "MESSAGE_DELETE",
    payload: () => ({
      id: message.id,
      channel_id: channel.id,
      ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
    }),
    subject: { type: "deletion", message },
  });
}

/** Takes several away at once, which is one event. */
export function removeMessages(world: World, channel: Channel, messages: readonly Message[]): void {
  for (const message of messages) forgetMessage(world, channel, message);
  announceIn(world, channel, {
    name: "MESSAGE_DELETE_BULK",
    payload: () => ({ ids: messages.map(({ id }) => id), channel_id: channel.id, guild_id: channel.guildId }),
  });
}

function forgetMessage(world: World, channel: Channel, message: Message): void {
  const place = placeOf(channel.messages, message.id);
  if (channel.messages[place] === message) channel.messages.splice(place, 1);
  forgetFiles(world, message);
}

/** A page of a channel's messages, newest first. */
export function pageOf(
  channel: Channel,
  {
    before,
    after,
    around,
    limit,
  }: {
    readonly before?: string | null;
    readonly after?: string | null;
    readonly around?: string | null;
    readonly limit: number;
  },
): Message[] {
  const { messages } = channel;
  let [start, end] = [Math.max(0, messages.length - limit), messages.length];
  if (around) {
    start = Math.max(0, placeOf(messages, around) - Math.floor(limit / 2));
    end = start + limit;
  } else if (after) {
    const place = placeOf(messages, after);
    start = messages[place] && compareSnowflakes(messages[place].id, after) === 0 ? place + 1 : place;
    end = start + limit;
  } else if (before) {
    end = placeOf(messages, before);
    start = Math.max(0, end - limit);
  }
  return messages.slice(start, end).reverse();
}
