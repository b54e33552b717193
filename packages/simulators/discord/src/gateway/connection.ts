import type { WebSocket } from "ws";
import { isRecord } from "../form.ts";
import type { World } from "../world.ts";
import type { Line, Session } from "./session.ts";

/** How often a bot may send something. @see https://discord.com/developers/docs/events/gateway#rate-limiting */
const sendLimit = { count: 120, windowMs: 60_000 };
/** The largest payload a bot may send. */
const limitPayloadBytes = 4096;

/** What becomes of a bot's payloads. */
export type Desk = {
  readonly world: World;
  readonly heartbeatIntervalMs: number;
  /** Whether the 120 sends a minute are enforced. */
  readonly isLimited: boolean;
  /** Whether the next heartbeat is answered. */
  takesHeartbeat(): boolean;
  /** @returns the session that speaks over this line from now on, or null when it was refused. */
  identify(line: Line, data: Readonly<Record<string, unknown>>): Session | null;
  resume(line: Line, data: Readonly<Record<string, unknown>>): Session | null;
  /** Members were asked for. */
  requestMembers(session: Session, data: Readonly<Record<string, unknown>>): void;
  /** The connection is gone; `isFinal`: the bot said it will not come back. */
  leave(session: Session, line: Line, isFinal: boolean): void;
};

/**
 * Serves one connection: HELLO first, then IDENTIFY or RESUME, which must be the first thing besides heartbeats, then the rest.
 * @returns what can be done to it
 */
export function serveConnection(socket: WebSocket, desk: Desk): Line {
  let session: Session | null = null;
  let sent: number[] = [];
  let lastBeat: NodeJS.Timeout | null = null;
  const sendText = (text: string): void => {
    if (socket.readyState === socket.OPEN) socket.send(text);
  };
  const line: Line = {
    sendText,
    send: (payload) => sendText(JSON.stringify(payload)),
    close: (code, reason) => socket.close(code, reason),
    forget() {
      session = null;
    },
    cut: () => socket.terminate(),
  };
  const awaitHeartbeat = (): void => {
    if (lastBeat) clearTimeout(lastBeat);
    const isLate = (): void => line.close(4000, "Heartbeat missed");
    lastBeat = setTimeout(isLate, desk.heartbeatIntervalMs * 2);
  };
  const isTooMuch = (): boolean => {
    if (!desk.isLimited) return false;
    const now = desk.world.clock.now();
    sent = [...sent.filter((at) => at > now - sendLimit.windowMs), now];
    return sent.length > sendLimit.count;
  };
  const begin = (begun: "identify" | "resume", data: Readonly<Record<string, unknown>>): void => {
    if (session) return line.close(4005, "Already authenticated.");
    session = desk[begun](line, data);
  };
  socket.on("message", (bytes) => {
    if (isTooMuch()) return line.close(4008, "Rate limited.");
    const payload = decode(String(bytes));
    if (!payload) return line.close(4002, "Error while decoding payload.");
    const data = isRecord(payload["d"]) ? payload["d"] : {};
    switch (payload["op"]) {
      case 1:
        awaitHeartbeat();
        if (desk.takesHeartbeat()) line.send({ op: 11 });
        return;
      case 2:
        return begin("identify", data);
      case 6:
        return begin("resume", data);
    }
    if (!session) return line.close(4003, "Not authenticated.");
    if (payload["op"] === 3) session.presence = data;
    else if (payload["op"] === 8) desk.requestMembers(session, data);
    else if (payload["op"] !== 4 && payload["op"] !== 31 && payload["op"] !== 43) line.close(4001, "Unknown opcode.");
  });
  socket.on("error", () => socket.terminate());
  socket.on("close", (code) => {
    if (lastBeat) clearTimeout(lastBeat);
    if (session) desk.leave(session, line, code === 1000 || code === 1001);
  });
  line.send({ op: 10, d: { heartbeat_interval: desk.heartbeatIntervalMs, _trace: [] } });
  awaitHeartbeat();
  return line;
}

function decode(text: string): Readonly<Record<string, unknown>> | null {
  if (Buffer.byteLength(text) > limitPayloadBytes) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && Number.isInteger(value["op"]) ? value : null;
  } catch {
    return null;
  }
}
