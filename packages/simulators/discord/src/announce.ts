import type { Channel, EventSubject, Viewer, World } from "./world.ts";

const other: EventSubject = { type: "other" };

/** Tells whoever can view a channel. */
export function announceIn(
  world: World,
  channel: Channel,
  event: { readonly name: string; readonly payload: (viewer: Viewer) => unknown; readonly subject?: EventSubject },
): void {
  world.emit({
    name: event.name,
    guildId: channel.guildId,
    channelId: channel.id,
    onlyFor: null,
    payload: event.payload,
    subject: event.subject ?? other,
  });
}

/** Tells every bot of a guild, or only some. */
export function announceTo(
  world: World,
  guildId: string | null,
  event: {
    readonly name: string;
    readonly payload: (viewer: Viewer) => unknown;
    readonly onlyFor?: readonly string[];
    readonly subject?: EventSubject;
  },
): void {
  world.emit({
    name: event.name,
    guildId,
    channelId: null,
    onlyFor: event.onlyFor ?? null,
    payload: event.payload,
    subject: event.subject ?? other,
  });
}
