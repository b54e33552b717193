import type { Gateway } from "./gateway.ts";
import { type Session, toOutgoing } from "./session.ts";

/** Whose connections are meant; all when nothing is said. */
type Target = { readonly bot?: { readonly id: string }; readonly shard?: number };

/** A session seen from outside. */
export type SessionView = {
  readonly id: string;
  readonly botId: string;
  readonly shard: readonly [id: number, count: number];
  readonly intents: number;
  /** The number of its newest event. */
  readonly sequence: number;
  readonly isConnected: boolean;
  /** What the bot last said of itself. */
  readonly presence: unknown;
};

/** What can be done to the gateway. */
export type GatewayControl = {
  readonly sessions: readonly SessionView[];
  /** Connections open now, also those that have not identified yet. */
  readonly connections: number;
  /** Resolves once this many sessions are connected; 1 when absent. @throws Error after `timeoutMs`, 10 s when absent. */
  connected(
    wanted?: Target & { readonly count?: number; readonly timeoutMs?: number; readonly signal?: AbortSignal },
  ): Promise<void>;
  /** Closes with this code. The codes that end a session end it. */
  close(code: number, target?: Target): void;
  /** Cuts the connections without a word. */
  cut(target?: Target): void;
  /** Op 7: reconnect and resume. */
  requestReconnect(target?: Target): void;
  /** Op 9: the session is invalid; unless it is resumable it ends. */
  invalidate(isResumable: boolean, target?: Target): void;
  /** Op 1: a heartbeat is wanted at once. */
  requestHeartbeat(target?: Target): void;
  /** Ends sessions while their connections go on or are gone already: whoever resumes must identify anew. */
  dropSessions(target?: Target): void;
  /** Refuses the next connections. */
  refuse(count: number): void;
  /** Leaves the next heartbeats unanswered. */
  swallowHeartbeats(count: number): void;
  /** Sends each of the next events twice. */
  duplicate(count: number): void;
  /** Collects the next events and sends them last first. */
  reorder(count: number): void;
  /** Loses the next events for good. */
  lose(count: number): void;
  /** Holds all events back, until `release`. */
  hold(): void;
  release(): void;
  /** Sends an event of any name and content, as odd as it may be. */
  dispatch(name: string, data: unknown, target?: Target): void;
};

/** After these a session cannot be resumed. @see https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
const endingCodes = new Set([4003, 4004, 4007, 4009, 4010, 4011, 4012, 4013, 4014]);

/** Makes the outside control of a gateway. */
export function createGatewayControl(gateway: Gateway): GatewayControl {
  const { stream, refusals } = gateway;
  const meant = ({ bot, shard }: Target = {}): Session[] =>
    [...gateway.sessions.values()].filter(
      (session) => (!bot || session.application.id === bot.id) && (shard === undefined || session.shard[0] === shard),
    );
  const send = (target: Target | undefined, payload: unknown): void => {
    for (const session of meant(target)) session.line?.send(payload);
  };
  return {
    get sessions() {
      return meant().map(toView);
    },
    get connections() {
      return gateway.lines.size;
    },
    connected: (wanted = {}) => connected(gateway, () => meant(wanted), wanted),
    close(code, target) {
      for (const session of meant(target)) {
        const { line } = session;
        if (endingCodes.has(code)) gateway.end(session);
        line?.close(code, "");
      }
    },
    cut(target) {
      for (const session of meant(target)) session.line?.cut();
    },
    requestReconnect: (target) => send(target, { op: 7, d: null }),
    invalidate(isResumable, target) {
      for (const session of meant(target)) {
        const { line } = session;
        if (isResumable) gateway.rest(session);
        else gateway.end(session);
        line?.forget();
        line?.send({ op: 9, d: isResumable });
      }
    },
    requestHeartbeat: (target) => send(target, { op: 1, d: null }),
    dropSessions(target) {
      for (const session of meant(target)) gateway.end(session);
    },
    refuse(count) {
      refusals.connections += count;
    },
    swallowHeartbeats(count) {
      refusals.heartbeats += count;
    },
    duplicate: stream.duplicate,
    reorder: stream.reorder,
    lose: stream.lose,
    hold: stream.hold,
    release: stream.release,
    dispatch(name, data, target) {
      for (const session of meant(target)) stream.push(toOutgoing(session, name, data));
    },
  };
}

function toView(session: Session): SessionView {
  const { id, application, shard, intents, sequence, line, presence } = session;
  return { id, botId: application.id, shard, intents, sequence, isConnected: line !== null, presence };
}

function connected(
  gateway: Gateway,
  meant: () => readonly Session[],
  {
    count = 1,
    timeoutMs = 10_000,
    signal,
  }: { readonly count?: number; readonly timeoutMs?: number; readonly signal?: AbortSignal },
): Promise<void> {
  const isThere = (): boolean => meant().filter(({ line }) => line !== null).length >= count;
  if (isThere()) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const end = (error: Error | null): void => {
      unlisten();
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      if (error) reject(error);
      else resolve();
    };
    const onAbort = (): void => end(new Error("waiting for a session was given up"));
    const unlisten = gateway.listen(() => {
      if (isThere()) end(null);
    });
    const timer = setTimeout(
      () => end(new Error(`no ${count} sessions were connected within ${timeoutMs} ms`)),
      timeoutMs,
    );
    signal?.addEventListener("abort", onAbort);
  });
}
