import { hasIntent } from "../intents.ts";
import type { Application, Viewer } from "../world.ts";

/** What a session can be written to. */
export type Line = {
  send(payload: unknown): void;
  /** The same of what is written down already. */
  sendText(text: string): void;
  close(code: number, reason: string): void;
  /** Makes it as it was before it identified. */
  forget(): void;
  /** Cuts it without a word. */
  cut(): void;
};

/**
 * A bot's conversation with the gateway. It outlives its connections: while there is none, events wait in `replay` for a resume,
 * until too many have come or too much time has passed; then it ends and the bot must identify anew.
 */
export type Session = {
  readonly id: string;
  readonly application: Application;
  readonly intents: number;
  readonly shard: readonly [id: number, count: number];
  /** The number of the newest event. */
  sequence: number;
  readonly replay: { readonly sequence: number; readonly text: string }[];
  line: Line | null;
  /** Since when there is no connection, in milliseconds. */
  quietSinceMs: number;
  presence: unknown;
};

/** What a session's intents let it see. */
export function viewerOfSession(session: Session): Viewer {
  return {
    userId: session.application.id,
    seesContent: hasIntent(session.intents, "MESSAGE_CONTENT"),
    seesMembers: hasIntent(session.intents, "GUILD_MEMBERS"),
  };
}

/** Whether a guild's events, or with null those of no guild, go to this shard. @see https://discord.com/developers/docs/events/gateway#sharding */
export function isOfShard([id, count]: Session["shard"], guildId: string | null): boolean {
  return guildId === null ? id === 0 : Number((BigInt(guildId) >> 22n) % BigInt(count)) === id;
}

/** An event on its way to a session. Written down when it happened: what it tells of may be another when it is sent. */
export type Outgoing = { readonly session: Session; readonly name: string; readonly json: string };

/** Writes an event down. */
export function toOutgoing(session: Session, name: string, data: unknown): Outgoing {
  return { session, name, json: JSON.stringify(data) ?? "null" };
}

/** Numbers an event, keeps it for a resume and sends it when somebody listens. */
export function dispatch({ session, name, json }: Outgoing, keptEvents: number): void {
  session.sequence += 1;
  const text = `{"op":0,"t":${JSON.stringify(name)},"s":${session.sequence},"d":${json}}`;
  session.replay.push({ sequence: session.sequence, text });
  if (session.replay.length > keptEvents) session.replay.shift();
  session.line?.sendText(text);
}

/** What was missed after an event; null when it is not all there any more. */
export function missedSince(session: Session, sequence: number): readonly string[] | null {
  if (sequence === session.sequence) return [];
  const oldest = session.replay[0]?.sequence ?? session.sequence + 1;
  if (sequence < oldest - 1) return null;
  return session.replay.filter((entry) => entry.sequence > sequence).map((entry) => entry.text);
}
