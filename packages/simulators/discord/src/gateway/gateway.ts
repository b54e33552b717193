import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { isRecord } from "../form.ts";
import { hasIntent, judgeIntents } from "../intents.ts";
import { applicationFlags, toGuildCreate, toUser } from "../payload.ts";
import { type Application, randomText, type World } from "../world.ts";
import { type Desk, serveConnection } from "./connection.ts";
import { createIdentifyLimit, type IdentifyLimit } from "./identify-limit.ts";
import { chunkMembers } from "./members.ts";
import { dispatch, isOfShard, type Line, missedSince, type Session, toOutgoing, viewerOfSession } from "./session.ts";
import { createStream, outgoingOf, type Stream } from "./stream.ts";

/** What a gateway is made of. */
export type GatewayOptions = {
  readonly heartbeatIntervalMs: number;
  readonly replayEvents: number;
  readonly sessionTtlMs: number;
  /** Whether sends and identifies are limited as Discord limits them. */
  readonly isLimited: boolean;
};

/** A running gateway. */
export type Gateway = {
  readonly stream: Stream;
  readonly identifyLimit: IdentifyLimit;
  readonly sessions: ReadonlyMap<string, Session>;
  readonly lines: ReadonlySet<Line>;
  /** How many connections to come are refused, and heartbeats to come unanswered. */
  readonly refusals: { connections: number; heartbeats: number };
  upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends a session: who comes back to it must identify anew. */
  end(session: Session): void;
  /** Takes a session from its connection, so that it can be resumed over the same or another. */
  rest(session: Session): void;
  /** Told whenever a session begins, resumes, ends or loses its connection. */
  listen(listener: () => void): () => void;
  close(): void;
};

/** Starts a gateway for a world's bots. */
export function createGateway(world: World, options: GatewayOptions): Gateway {
  const server = new WebSocketServer({ noServer: true, maxPayload: 1024 * 1024 });
  const sessions = new Map<string, Session>();
  const lines = new Set<Line>();
  const listeners = new Set<() => void>();
  const stream = createStream(options.replayEvents);
  const identifyLimit = createIdentifyLimit(world.clock, options.isLimited);
  const refusals = { connections: 0, heartbeats: 0 };
  const tell = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const end = (session: Session): void => {
    sessions.delete(session.id);
    session.line = null;
    tell();
  };
  const rest = (session: Session): void => {
    session.line = null;
    session.quietSinceMs = world.clock.now();
    tell();
  };
  const parts = { world, options, sessions, stream, identifyLimit, tell };
  const desk: Desk = {
    world,
    heartbeatIntervalMs: options.heartbeatIntervalMs,
    isLimited: options.isLimited,
    takesHeartbeat() {
      if (refusals.heartbeats <= 0) return true;
      refusals.heartbeats -= 1;
      return false;
    },
    identify: (line, data) => identify(parts, line, data),
    resume: (line, data) => resume(parts, line, data),
    requestMembers: (session, data) => chunkMembers({ world, session, stream }, data),
    leave(session, line, isFinal) {
      if (session.line !== line) return;
      if (isFinal) end(session);
      else rest(session);
    },
  };
  const unlisten = world.listen((event) => {
    for (const session of [...sessions.values()]) {
      if (isOver(session, parts)) sessions.delete(session.id);
      const outgoing = outgoingOf(world, event, session);
      if (outgoing) stream.push(outgoing);
    }
  });
  return {
    stream,
    identifyLimit,
    sessions,
    lines,
    refusals,
    end,
    rest,
    upgrade(message, socket, head) {
      if (refusals.connections > 0) {
        refusals.connections -= 1;
        socket.destroy();
        return;
      }
      server.handleUpgrade(message, socket, head, (webSocket) => {
        const line = welcome(webSocket, message, desk);
        if (!line) return;
        lines.add(line);
        webSocket.on("close", () => lines.delete(line));
      });
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      unlisten();
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}

type Parts = {
  readonly world: World;
  readonly options: GatewayOptions;
  readonly sessions: Map<string, Session>;
  readonly stream: Stream;
  readonly identifyLimit: IdentifyLimit;
  readonly tell: () => void;
};

function welcome(socket: WebSocket, message: IncomingMessage, desk: Desk): Line | null {
  const query = new URL(message.url ?? "/", "ws://localhost").searchParams;
  const version = query.get("v") ?? "10";
  const isSpoken =
    (version === "10" || version === "9") && (query.get("encoding") ?? "json") === "json" && !query.get("compress");
  if (isSpoken) return serveConnection(socket, desk);
  socket.on("error", () => socket.terminate());
  socket.close(4012, "This gateway speaks version 10 in JSON, uncompressed.");
  return null;
}

function isOver(session: Session, { world, options }: Parts): boolean {
  return session.line === null && world.clock.now() - session.quietSinceMs > options.sessionTtlMs;
}

function byToken(world: World, token: unknown): Application | null {
  const bare = typeof token === "string" ? token.replace(/^Bot /, "") : "";
  return [...world.applications.values()].find((application) => application.token === bare) ?? null;
}

function readShard(value: unknown): readonly [number, number] | null {
  if (value === undefined || value === null) return [0, 1];
  if (!Array.isArray(value) || value.length !== 2) return null;
  const [id, count]: unknown[] = value;
  const isValid = Number.isInteger(id) && Number.isInteger(count) && Number(id) >= 0 && Number(count) > Number(id);
  return isValid ? [Number(id), Number(count)] : null;
}

function identify(parts: Parts, line: Line, data: Readonly<Record<string, unknown>>): Session | null {
  const { world, sessions } = parts;
  const refuse = (code: number, reason: string): null => {
    line.close(code, reason);
    return null;
  };
  const application = byToken(world, data["token"]);
  if (!application) return refuse(4004, "Authentication failed.");
  const shard = readShard(data["shard"]);
  if (!shard) return refuse(4010, "Invalid shard.");
  const wrong = judgeIntents(data["intents"], application.privilegedBits);
  if (wrong) return refuse(wrong, wrong === 4013 ? "Invalid intent(s)." : "Disallowed intent(s).");
  if (!isRecord(data["properties"])) return refuse(4002, "Error while decoding payload.");
  if (!parts.identifyLimit.take(application, shard[0])) {
    line.send({ op: 9, d: false });
    return null;
  }
  const session: Session = {
    id: randomText(world, 32),
    application,
    // Checked by judgeIntents.
    intents: Number(data["intents"]),
    shard,
    sequence: 0,
    replay: [],
    line,
    quietSinceMs: 0,
    presence: data["presence"] ?? null,
  };
  sessions.set(session.id, session);
  greet(parts, session);
  parts.tell();
  return session;
}

function greet({ world, options }: Parts, session: Session): void {
  const { application, shard } = session;
  const own = [...world.guilds.values()].filter(
    (guild) => guild.members.has(application.id) && isOfShard(shard, guild.id),
  );
  const ready = {
    v: 10,
    user: { ...toUser(application.user), verified: true, mfa_enabled: false, email: null },
    user_settings: {},
    session_id: session.id,
    session_type: "normal",
    resume_gateway_url: world.baseUrl.replace(/^http/, "ws"),
    relationships: [],
    private_channels: [],
    presences: [],
    guilds: own.map((guild) => ({ id: guild.id, unavailable: true })),
    shard,
    application: { id: application.id, flags: applicationFlags(application) },
    _trace: [],
  };
  dispatch(toOutgoing(session, "READY", ready), options.replayEvents);
  if (!hasIntent(session.intents, "GUILDS")) return;
  for (const guild of own.filter(({ isAvailable }) => isAvailable)) {
    const data = toGuildCreate(world, guild, viewerOfSession(session));
    // A greeting goes past the faults of the stream.
    dispatch(toOutgoing(session, "GUILD_CREATE", data), options.replayEvents);
  }
}

function resume(parts: Parts, line: Line, data: Readonly<Record<string, unknown>>): Session | null {
  const session = parts.sessions.get(String(data["session_id"]));
  const application = byToken(parts.world, data["token"]);
  if (!application) {
    line.close(4004, "Authentication failed.");
    return null;
  }
  if (!session || session.application !== application || isOver(session, parts)) {
    if (session) parts.sessions.delete(session.id);
    line.send({ op: 9, d: false });
    return null;
  }
  const sequence = Number(data["seq"]);
  if (!Number.isInteger(sequence) || sequence < 0 || sequence > session.sequence) {
    line.close(4007, "Invalid seq.");
    return null;
  }
  const missed = missedSince(session, sequence);
  if (!missed) {
    parts.sessions.delete(session.id);
    line.send({ op: 9, d: false });
    return null;
  }
  session.line?.close(4000, "Resumed elsewhere.");
  session.line = line;
  for (const text of missed) line.sendText(text);
  session.sequence += 1;
  line.send({ op: 0, t: "RESUMED", s: session.sequence, d: { _trace: [] } });
  parts.tell();
  return session;
}
