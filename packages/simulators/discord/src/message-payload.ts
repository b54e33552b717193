import { toChannel, toMember, toTimestamp, toUserById } from "./payload.ts";
import { placeOf } from "./snowflake.ts";
import type { Attachment, Message, Snapshot, Viewer, World } from "./world.ts";

type Payload = Readonly<Record<string, unknown>>;

/** How long the address of a file is good for. */
const fileTtlMs = 24 * 60 * 60 * 1000;

/** @see https://discord.com/developers/docs/resources/message#attachment-object */
export function toAttachment(world: World, attachment: Attachment): Payload {
  const expiry = Math.floor((world.clock.now() + fileTtlMs) / 1000).toString(16);
  const url = `${world.baseUrl}/attachments/${attachment.channelId}/${attachment.id}/${encodeURIComponent(attachment.name)}?ex=${expiry}&`;
  return {
    id: attachment.id,
    filename: attachment.name,
    size: attachment.bytes.length,
    url,
    proxy_url: url,
    content_type: attachment.mediaType,
    ...(attachment.description === null ? {} : { description: attachment.description }),
    ...(attachment.isSpoiler ? { flags: 1 << 3 } : {}),
  };
}

/** Finds a message of a channel. */
export function findMessage(world: World, channelId: string, messageId: string): Message | null {
  const messages = world.channels.get(channelId)?.messages ?? [];
  const found = messages[placeOf(messages, messageId)];
  return found?.id === messageId ? found : null;
}

/** Whether a bot may read what a message says. @see https://discord.com/developers/docs/events/gateway#message-content-intent */
export function seesContent(message: Message, viewer: Viewer): boolean {
  return (
    viewer.seesContent ||
    message.guildId === null ||
    message.authorId === viewer.userId ||
    message.applicationId === viewer.userId ||
    message.mentionIds.includes(viewer.userId)
  );
}

/** @see https://discord.com/developers/docs/resources/message#message-object */
export function toMessage(world: World, message: Message, viewer: Viewer): Payload {
  const referenced = message.type === 19 ? toReferenced(world, message, viewer) : {};
  return { ...toPlainMessage(world, message, viewer), ...referenced };
}

function toReferenced(world: World, message: Message, viewer: Viewer): Payload {
  const { reference } = message;
  if (!reference || reference.type !== 0 || reference.messageId === null) return {};
  const original = findMessage(world, reference.channelId, reference.messageId);
  return { referenced_message: original ? toPlainMessage(world, original, viewer) : null };
}

function toPlainMessage(world: World, message: Message, viewer: Viewer): Payload {
  const isReadable = seesContent(message, viewer);
  const thread = world.channels.get(message.id);
  return {
    id: message.id,
    channel_id: message.channelId,
    type: message.type,
    author: toUserById(world, message.authorId),
    content: isReadable ? message.content : "",
    timestamp: toTimestamp(message.createdMs),
    edited_timestamp: message.editedMs === null ? null : toTimestamp(message.editedMs),
    tts: message.isSpokenAloud,
    mention_everyone: message.mentionsEveryone,
    mentions: message.mentionIds.map((id) => toUserById(world, id)),
    mention_roles: [...message.mentionRoleIds],
    attachments: isReadable ? message.attachments.map((attachment) => toAttachment(world, attachment)) : [],
    embeds: isReadable ? message.embeds : [],
    components: isReadable ? message.components : [],
    pinned: message.pinnedMs !== null,
    flags: message.flags,
    ...(message.nonce === null ? {} : { nonce: message.nonce }),
    ...(message.stickers.length > 0 ? { sticker_items: toStickerItems(message) } : {}),
    ...(message.reactions.length > 0 ? { reactions: toReactions(message, viewer.userId) } : {}),
    ...toReference(message),
    ...(message.snapshots.length > 0
      ? { message_snapshots: message.snapshots.map((snapshot) => toSnapshot(world, snapshot, isReadable)) }
      : {}),
    ...(message.applicationId === null
      ? {}
      : { application_id: message.applicationId, webhook_id: message.applicationId }),
    ...toInteraction(world, message),
    ...(thread?.thread ? { thread: toChannel(world, thread, viewer.userId) } : {}),
  };
}

function toReference(message: Message): Payload {
  const { reference } = message;
  if (!reference) return {};
  return {
    message_reference: {
      type: reference.type,
      channel_id: reference.channelId,
      ...(reference.messageId === null ? {} : { message_id: reference.messageId }),
      ...(reference.guildId === null ? {} : { guild_id: reference.guildId }),
    },
  };
}

function toStickerItems(message: Pick<Message, "stickers">): Payload[] {
  return message.stickers.map((sticker) => ({ id: sticker.id, name: sticker.name, format_type: 1 }));
}

function toReactions(message: Message, viewerId: string): Payload[] {
  return message.reactions.map((reaction) => ({
    emoji: reaction.emoji,
    count: reaction.userIds.length,
    count_details: { burst: 0, normal: reaction.userIds.length },
    burst_colors: [],
    me: reaction.userIds.includes(viewerId),
    me_burst: false,
  }));
}

function toSnapshot(world: World, snapshot: Snapshot, isReadable: boolean): Payload {
  return {
    message: {
      type: snapshot.type,
      content: isReadable ? snapshot.content : "",
      embeds: isReadable ? snapshot.embeds : [],
      attachments: isReadable ? snapshot.attachments.map((attachment) => toAttachment(world, attachment)) : [],
      components: isReadable ? snapshot.components : [],
      mentions: snapshot.mentionIds.map((id) => toUserById(world, id)),
      mention_roles: [...snapshot.mentionRoleIds],
      timestamp: toTimestamp(snapshot.createdMs),
      edited_timestamp: snapshot.editedMs === null ? null : toTimestamp(snapshot.editedMs),
      flags: snapshot.flags,
      ...(snapshot.stickers.length > 0 ? { sticker_items: toStickerItems(snapshot) } : {}),
    },
  };
}

function toInteraction(world: World, message: Message): Payload {
  const { interaction } = message;
  if (!interaction) return {};
  const user = toUserById(world, interaction.userId);
  return {
    interaction_metadata: { id: interaction.id, type: interaction.type, user, authorizing_integration_owners: {} },
    ...(interaction.name === null
      ? {}
      : { interaction: { id: interaction.id, type: interaction.type, name: interaction.name, user } }),
  };
}

/** The same in the gateway's events, which tell where and by which member, too. */
export function toMessageEvent(world: World, message: Message, viewer: Viewer): Payload {
  const channelType = world.channels.get(message.channelId)?.type ?? 0;
  const guild = world.guilds.get(message.guildId ?? "");
  const member = guild?.members.get(message.authorId);
  return {
    ...toMessage(world, message, viewer),
    channel_type: channelType,
    mentions: message.mentionIds.map((id) => {
      const mentioned = guild?.members.get(id);
      return { ...toUserById(world, id), ...(mentioned ? { member: toMember(mentioned) } : {}) };
    }),
    ...(guild ? { guild_id: guild.id } : {}),
    ...(member ? { member: toMember(member) } : {}),
  };
}
