import { isEphemeral, textChannelFor } from "./access.ts";
import type { MessageBody, NewReference } from "./body.ts";
import { invalidForm, refusal } from "./errors.ts";
import { findMessage, seesContent } from "./message-payload.ts";
import { viewerOf } from "./payload.ts";
import { channelPermissions, holds } from "./permissions.ts";
import type { Channel, Message, Reference, Snapshot, World } from "./world.ts";

/** Types that people make; the others are the system's. */
export const spokenTypes: ReadonlySet<number> = new Set([0, 19, 20, 23]);

type Resolved = {
  readonly reference: Reference;
  readonly snapshots: readonly Snapshot[];
  readonly repliedToId: string | null;
};

/** Finds what a message answers or forwards; null: nothing. @throws DiscordError 50001, 50035, 160002, 160014 */
export function resolveReference(
  world: World,
  channel: Channel,
  { authorId, body }: { readonly authorId: string; readonly body: MessageBody },
): Resolved | null {
  const asked = body.reference;
  if (!asked) return null;
  return asked.type === 1 ? resolveForward(world, authorId, asked) : resolveReply(world, channel, { authorId, asked });
}

function resolveReply(
  world: World,
  channel: Channel,
  { authorId, asked }: { readonly authorId: string; readonly asked: NewReference },
): Resolved | null {
  if (!holds(channelPermissions(world, channel, authorId), "READ_MESSAGE_HISTORY"))
    throw refusal("replyWithoutHistory");
  if (asked.channelId !== null && asked.channelId !== channel.id) {
    throw invalidForm(
      ["message_reference"],
      "MESSAGE_REFERENCE_CANNOT_CROSS_CHANNEL",
      "Cannot reply to a message in another channel",
    );
  }
  const original = findMessage(world, channel.id, asked.messageId);
  if (!original || isEphemeral(original)) {
    if (!asked.failsWithout) return null;
    throw invalidForm(["message_reference"], "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message");
  }
  if (!spokenTypes.has(original.type) && original.type !== 7) {
    throw invalidForm(
      ["message_reference"],
      "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE",
      "Cannot reply to a system message",
    );
  }
  const reference = { type: 0, messageId: original.id, channelId: channel.id, guildId: channel.guildId } as const;
  return { reference, snapshots: [], repliedToId: original.authorId };
}

function resolveForward(world: World, authorId: string, asked: NewReference): Resolved {
  const source = textChannelFor(world, asked.channelId ?? "", authorId);
  if (!holds(channelPermissions(world, source, authorId), "READ_MESSAGE_HISTORY")) throw refusal("missingAccess");
  const original = findMessage(world, source.id, asked.messageId);
  if (!original || isEphemeral(original)) {
    throw invalidForm(["message_reference"], "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message");
  }
  if (!spokenTypes.has(original.type)) {
    throw invalidForm(["message_reference"], "MESSAGE_REFERENCE_INVALID_TYPE", "This message cannot be forwarded");
  }
  const application = world.applications.get(authorId);
  const isReadable = !application || seesContent(original, viewerOf(application));
  if (!isReadable) throw refusal("unreadableForward");
  const reference = { type: 1, messageId: original.id, channelId: source.id, guildId: source.guildId } as const;
  // The forward of a forward copies what that one copied.
  return {
    reference,
    snapshots: original.snapshots.length > 0 ? original.snapshots : [toSnapshot(original)],
    repliedToId: null,
  };
}

function toSnapshot(message: Message): Snapshot {
  const {
    content,
    embeds,
    components,
    attachments,
    stickers,
    mentionIds,
    mentionRoleIds,
    flags,
    type,
    createdMs,
    editedMs,
  } = message;
  return {
    content,
    embeds,
    components,
    attachments,
    stickers,
    mentionIds,
    mentionRoleIds,
    flags,
    type,
    createdMs,
    editedMs,
  };
}
