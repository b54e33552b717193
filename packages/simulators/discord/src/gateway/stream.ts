import { isWanted } from "../intents.ts";
import { canView } from "../payload.ts";
import type { World, WorldEvent } from "../world.ts";
import { dispatch, isOfShard, type Outgoing, type Session, toOutgoing, viewerOfSession } from "./session.ts";

/**
 * The way of events from the world to the sessions. It can be told to go wrong: to hold everything back,
 * to send the next ones twice, or to collect some and send them last first.
 */
export type Stream = {
  /** Sends an event to one session, through whatever goes wrong. */
  push(outgoing: Outgoing): void;
  hold(): void;
  release(): void;
  duplicate(count: number): void;
  reorder(count: number): void;
  /** Loses the next events for good, as if they had never happened. */
  lose(count: number): void;
};

/** Makes the way. */
export function createStream(keptEvents: number): Stream {
  let isHeld = false;
  let held: Outgoing[] = [];
  let duplicates = 0;
  let losses = 0;
  let reorderSize = 0;
  let collected: Outgoing[] = [];
  const send = (outgoing: Outgoing): void => dispatch(outgoing, keptEvents);
  const push = (outgoing: Outgoing): void => {
    if (isHeld) return void held.push(outgoing);
    if (losses > 0) {
      losses -= 1;
      return;
    }
    if (reorderSize > 0) {
      collected.push(outgoing);
      if (collected.length < reorderSize) return;
      const last = collected.reverse();
      collected = [];
      reorderSize = 0;
      for (const entry of last) send(entry);
      return;
    }
    send(outgoing);
    if (duplicates === 0) return;
    duplicates -= 1;
    send(outgoing);
  };
  return {
    push,
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      const late = held;
      held = [];
      for (const outgoing of late) push(outgoing);
    },
    duplicate(count) {
      duplicates += count;
    },
    reorder(count) {
      reorderSize = count;
    },
    lose(count) {
      losses += count;
    },
  };
}

/** What a session is to be sent of an event; null: nothing. */
export function outgoingOf(world: World, event: WorldEvent, session: Session): Outgoing | null {
  const isDirect = event.guildId === null && event.channelId !== null;
  if (!isOfShard(session.shard, event.guildId) || !isWanted(session.intents, { name: event.name, isDirect }))
    return null;
  if (!isFor(world, event, session.application.id)) return null;
  const data = event.payload(viewerOfSession(session));
  return data === null ? null : toOutgoing(session, event.name, data);
}

function isFor(world: World, event: WorldEvent, applicationId: string): boolean {
  if (event.onlyFor) return event.onlyFor.includes(applicationId);
  if (event.channelId !== null) {
    const channel = world.channels.get(event.channelId);
    return channel !== undefined && canView(world, channel, applicationId);
  }
  return world.guilds.get(event.guildId ?? "")?.members.has(applicationId) ?? false;
}
