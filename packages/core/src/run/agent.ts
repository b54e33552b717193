import type { RegisteredAction } from "../action/action.ts";
import { createActionTools } from "../action/action-tools.ts";
import { createLocks } from "../action/locks.ts";
import { createRateLimits } from "../action/rate-limits.ts";
import { createActionResolver, normalizeActionName } from "../action/resolve-action.ts";
import { basicActions } from "../basic/basic-actions.ts";
import type { Character } from "../character/character.ts";
import type { Client } from "../client/client.ts";
import type { Clock } from "../clock.ts";
import { TroupeError } from "../errors.ts";
import { createEvents, type Listener } from "../event/event.ts";
import { createContextQueue } from "../inbox/context-queue.ts";
import type { Inbound } from "../inbox/inbound.ts";
import { toAccepted } from "../inbox/to-accepted.ts";
import type { Log } from "../log.ts";
import { deriveAgentId } from "../memory/derive-id.ts";
import type { Models } from "../model/model.ts";
import { createTargetQueues } from "../outbox/target-queues.ts";
import { builtInProviders } from "../state/built-in-providers.ts";
import type { RegisteredProvider } from "../state/provider.ts";
import type { Store } from "../store/store.ts";
import { coalesce, mayCoalesce } from "./coalesce.ts";
import { performRun } from "./perform-run.ts";
import { createPartIndex } from "./recorder.ts";
import type { Reviewer, RunParts } from "./run.ts";
import { type RunDefaults, runSettings } from "./run-settings.ts";

/** What an agent is made of. Everything it needs comes in here; two agents share only what they are both given. */
export type AgentParts = {
  readonly character: Character;
  readonly store: Store;
  readonly models: Models;
  readonly clients: readonly Client[];
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly log: Log;
  /** Actions and providers beside the built-in ones. */
  readonly actions?: readonly RegisteredAction[];
  readonly providers?: readonly RegisteredProvider[];
  /** Whoever may hold an answer back before it is sent, in order. */
  readonly reviewers?: readonly Reviewer[];
  /** Names this process among those that may hold a context; unique per process start. */
  readonly owner: string;
  readonly defaults?: RunDefaults;
};

/** A character at work. States: made → started → stopped; it is started and stopped once. */
export type Agent = {
  readonly agentId: string;
  readonly character: Character;
  /**
   * Goes on with what was under way, then connects the clients. Resolves when all are connected or have said why not; a client
   * that refuses is reported and the others go on.
   * @throws StoreError when the store cannot be read. @throws ClientError when no client could be connected.
   */
  start(): Promise<void>;
  /** Hears no more, finishes or parks what is under way within `graceMs` and a little, and resolves. */
  stop(graceMs?: number): Promise<void>;
  /** Accepts one event: resolves when it is durable. Clients are handed this at `start`. */
  receive(inbound: Inbound): Promise<void>;
  /** Resolves when every accepted input has its outcome or is parked. */
  idle(): Promise<void>;
  /** Hears what happens; returns the function that ends the listening. */
  on(listener: Listener): () => void;
};

const defaultGraceMs = 3_000;

/** Puts an agent together; nothing runs before `start`. */
export function createAgent(given: AgentParts): Agent {
  const { character, store, clock, clients } = given;
  const agentId = deriveAgentId(character);
  const log = given.log.child({ agentId, character: character.name });
  const events = createEvents(log);
  const runParts = toRunParts(given, agentId, { log, events });
  const hearing = new AbortController();
  const queue = createContextQueue({
    agentId,
    owner: given.owner,
    inbox: store.inbox,
    clock,
    log,
    concurrency: given.defaults?.concurrency ?? 64,
    work: async (lease, signal) => performRun(await coalesce(lease, runParts, signal), runParts, signal),
  });

  const receive = async (inbound: Inbound): Promise<void> => {
    if (hearing.signal.aborted) throw new TroupeError("aborted", "the agent is stopping and accepts nothing more");
    const accepted = await store.inbox.accept(agentId, toAccepted(inbound, agentId), {
      at: clock.now(),
      owner: given.owner,
    });
    if (accepted.type === "duplicate") log.debug({ eventId: inbound.eventId }, "heard before; nothing more happens");
    else if (accepted.lease) queue.take(accepted.lease);
  };

  return {
    agentId,
    character,
    receive,
    idle: () => queue.idle(),
    on: (listener) => events.on(listener),
    async start() {
      await queue.start();
      await connect(clients, { receive, signal: hearing.signal, log });
    },
    async stop(graceMs = defaultGraceMs) {
      hearing.abort(new TroupeError("aborted", "the agent stops"));
      await queue.stop(graceMs);
    },
  };
}

/** Later ones take the place of earlier ones of the same name; then by priority, highest first, as registered. */
function inPromptOrder(actions: readonly RegisteredAction[]): readonly RegisteredAction[] {
  const byName = new Map(actions.map((action) => [normalizeActionName(action.name), action]));
  return [...byName.values()].sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
}

function toRunParts(given: AgentParts, agentId: string, { log, events }: Pick<RunParts, "log" | "events">): RunParts {
  const { character, clients } = given;
  const actions = inPromptOrder([...basicActions({ agentId, store: given.store }), ...(given.actions ?? [])]);
  const settings = runSettings(character, given.defaults);
  return {
    agentId,
    character,
    settings,
    ...(settings.format === "tools" && { tools: createActionTools(actions) }),
    mayCoalesce: mayCoalesce(character, clients),
    models: given.models,
    actions,
    resolveAction: createActionResolver(actions),
    providers: [...builtInProviders(character), ...(given.providers ?? [])],
    clientFor: (platform, account) =>
      clients.find((client) => client.platform === platform && client.account === account) ?? null,
    store: given.store,
    reviewers: given.reviewers ?? [],
    locks: createLocks(),
    rateLimits: createRateLimits({ keyValues: given.store.keyValues, clock: given.clock, agentId }),
    targets: createTargetQueues(),
    partIndex: createPartIndex(),
    events,
    clock: given.clock,
    random: given.random,
    log,
  };
}

type Connecting = {
  readonly receive: (inbound: Inbound) => Promise<void>;
  readonly signal: AbortSignal;
  readonly log: Log;
};

async function connect(clients: readonly Client[], { receive, signal, log }: Connecting): Promise<void> {
  const results = await Promise.allSettled(clients.map((client) => client.start(receive, signal)));
  const refusals = results.flatMap((result, at) => {
    if (result.status === "fulfilled") return [];
    log.error(
      { platform: clients[at]?.platform, err: result.reason },
      "a client could not be connected; the others go on",
    );
    return [result.reason];
  });
  if (refusals.length > 0 && refusals.length === clients.length) throw refusals[0];
}
