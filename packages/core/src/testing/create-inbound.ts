import type { Inbound } from "../inbox/inbound.ts";
import type { ChannelType, CommandCall, MentionContext } from "../memory/memory.ts";
import { entityIdOf, messageMemoryId, roomIdOf } from "../memory/message-id.ts";

/** What somebody says on a pretended platform. */
export type HeardMessage = {
  readonly text: string;
  /** The platform's id of the event; the same one twice is the same message. */
  readonly eventId: string;
  /** Who says it: the platform's id and name of the person; `user` unless it is said. */
  readonly from?: string;
  /** The platform's id of the room; `lobby` unless it is said. */
  readonly room?: string;
  /** `dm` unless it is said. */
  readonly channelType?: ChannelType;
  readonly mention?: Partial<MentionContext>;
  readonly isBot?: boolean;
  readonly isCommand?: boolean;
  /** What it asks for by name; it is a command then. */
  readonly command?: CommandCall;
  /** Epoch milliseconds; 0 unless it is said. */
  readonly at?: number;
};

/** Which account of which agent hears it. */
export type Hearer = { readonly agentId: string; readonly platform: string; readonly account: string };

/** The event as a client of ours would hand it to the engine. */
export function createInbound(hearer: Hearer, heard: HeardMessage): Inbound {
  const { agentId, platform, account } = hearer;
  const { text, eventId, from = "user", room = "lobby", channelType = "dm", at = 0 } = heard;
  const roomId = roomIdOf(platform, account, room);
  const entityId = entityIdOf(platform, account, from);
  return {
    eventId,
    kind: heard.isCommand === true || heard.command ? "command" : "message",
    room: { id: roomId, platform, account, platformId: room, channelType, name: room },
    entity: { id: entityId, platform, account, platformId: from, name: from, isBot: heard.isBot ?? false },
    memory: {
      id: messageMemoryId({ platform, account, room, message: eventId }),
      agentId,
      roomId,
      entityId,
      type: "message",
      content: {
        text,
        source: platform,
        channelType,
        mentionContext: { mentionsAgent: false, repliesToAgent: false, ...heard.mention },
        ...(heard.command && { command: heard.command }),
      },
      createdAt: at,
      platformId: eventId,
    },
  };
}
