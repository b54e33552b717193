import type { JsonObject } from "../json.ts";
import type { ChannelType } from "../memory/memory.ts";

/** A server or guild: what rooms belong to on platforms that group them. */
export type World = {
  readonly id: string;
  readonly platform: string;
  readonly account: string;
  readonly platformId: string;
  readonly name?: string;
  readonly data?: JsonObject;
};

/** A conversation: a channel, direct message, thread, topic or tweet conversation. */
export type Room = {
  readonly id: string;
  readonly worldId?: string;
  readonly platform: string;
  readonly account: string;
  readonly platformId: string;
  readonly channelType: ChannelType;
  readonly name?: string;
  /** `parentPlatformId`: the platform's id of the room this one is a part of, a topic's chat or a thread's channel. */
  readonly data?: JsonObject;
};

/** Who speaks in a room: a person, a bot, the agent itself. */
export type Entity = {
  readonly id: string;
  readonly platform: string;
  readonly account: string;
  readonly platformId: string;
  /** The name others see. */
  readonly name: string;
  readonly isBot?: boolean;
  readonly data?: JsonObject;
};

/**
 * How the agent stands in a room; a missing row means `default`.
 * `followed`: it listens to everything. `muted`: it never answers. `stopped`: a conversation ended, silent until addressed.
 */
export type RoomStance = "default" | "followed" | "muted" | "stopped";
