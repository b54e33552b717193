import type { Clock } from "../../clock.ts";
import type { ContextRef } from "../../context/context-definition.ts";
import type { BroughtContexts } from "../../context/context-definitions.ts";
import type { RunExtras } from "../../context/context-frame.ts";
import type { SentInput } from "../../context/context-inbound.ts";
import type { Contexts, ContextView } from "../../context/contexts.ts";
import type { InputTasks } from "../../context/input-work.ts";
import { TroupeError } from "../../errors.ts";
import type { Events } from "../../event/event.ts";
import type { Inbound } from "../../inbox/inbound.ts";
import type { Log } from "../../log.ts";
import type { RegisteredRoute } from "../../plugin/bind-route.ts";
import type { Store } from "../../store/store.ts";
import type { Entry, RunOutcome } from "../entry.ts";
import { awaitOutcome } from "../handed-outcome.ts";
import type { RunContexts } from "../run.ts";
import type { ContextFeed, ContextListener } from "./context-feed.ts";

/** What became of an input that was sent to a context. */
export type SentOutcome = {
  readonly contextId: string;
  readonly memoryId: string;
  readonly runId: string;
  /** A step that was answered completely has seen it. False: its run ended before. */
  readonly isCovered: boolean;
  /** How its run ended, when it has. */
  readonly outcome?: RunOutcome;
  readonly reason?: string;
};

/** What a run is given beside its context, and who follows it. `signal` calls it off. */
export type RunOptions = RunExtras & ContextListener & { readonly signal?: AbortSignal };

/** A run that is over. */
export type RunResult = {
  readonly contextId: string;
  readonly runId: string;
  readonly outcome: RunOutcome;
  readonly reason?: string;
  /** Of the run that covered the input, in order. */
  readonly entries: readonly Entry[];
};

/** What an agent does with its contexts. */
export type ContextVerbs = {
  /**
   * Gives something to a context, made if need be. Resolves when a step that was answered completely has seen it, or when its
   * run has ended before that. @throws ValidationError when it does not fit; TroupeError `unavailable` when it is kept for later.
   */
  send(ref: ContextRef, input: SentInput): Promise<SentOutcome>;
  /** Like `send`, with more than the context brings, and resolves when the run that covers the input has ended. */
  run(ref: ContextRef, input: SentInput, options?: RunOptions): Promise<RunResult>;
  /** Reads a context as it is kept; null when there is none. */
  getContext(which: ContextRef | string): Promise<ContextView | null>;
  /** Page by page, by id. */
  getContexts(page: { readonly limit: number; readonly after?: string }): Promise<readonly ContextView[]>;
};

/** An agent's contexts, loaded when the first is needed. */
export type AgentContexts = {
  readonly verbs: ContextVerbs;
  readonly forRuns: RunContexts;
  /** The context that takes what a client heard; null: the room's own lane. */
  laneOf(inbound: Inbound): Promise<string | null>;
  /** Registers what somebody brings; where nobody brings anything nothing is loaded. */
  bring(owner: string, brought: BroughtContexts): Promise<void>;
  takeBack(owner: string): void;
  routes(): readonly RegisteredRoute[];
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** What contexts are put together with. */
export type AgentContextsParts = {
  readonly agentId: string;
  readonly store: Store;
  readonly events: Events;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: () => string;
  readonly accept: (inbound: Inbound) => Promise<void>;
  readonly feed: () => ContextFeed;
  /** What inputs plan with; null where nothing plans. */
  readonly planning: () => InputTasks | null;
  /** Aborted when the agent stops. */
  readonly signal: AbortSignal;
};

/** Nothing is loaded before somebody asks. */
export function createAgentContexts(parts: AgentContextsParts): AgentContexts {
  const hooks = new Map<string, Hook>();
  const extras = new Map<string, RunOptions>();
  let opened: Contexts | null = null;
  let opening: Promise<Contexts> | null = null;
  let isStarted = false;
  const open = (): Promise<Contexts> => {
    opening ??= load(parts, hooks).then(async (contexts) => {
      opened = contexts;
      if (isStarted) await contexts.start();
      return contexts;
    });
    return opening;
  };
  const find = (memoryIds: readonly string[]): readonly RunOptions[] => memoryIds.flatMap((id) => extras.get(id) ?? []);
  return {
    verbs: {
      send: async (ref, input) => sendTo({ ref, input, contexts: await open(), hooks }, parts),
      run: async (ref, input, options = {}) =>
        runIn({ ref, input, contexts: await open(), hooks, options, extras }, parts),
      getContext: async (which) => (await open()).get(which),
      getContexts: async (page) => (await open()).list(page),
    },
    forRuns: {
      source: async () => (await open()).source,
      extrasOf: (memoryIds) => find(memoryIds)[0],
      signalsOf: (memoryIds) => find(memoryIds).flatMap(({ signal }) => signal ?? []),
    },
    laneOf: async (inbound) => (opened ? opened.source.laneOf(inbound) : null),
    async bring(owner, brought) {
      const { contexts = [], inputs = [], outputs = [] } = brought;
      if (contexts.length + inputs.length + outputs.length > 0) (await open()).bring(owner, brought);
    },
    takeBack: (owner) => opened?.takeBack(owner),
    routes: () => opened?.routes() ?? [],
    async start() {
      isStarted = true;
      await opened?.start();
    },
    stop: async () => opened?.stop(),
  };
}

/** Told of an input just before it is accepted, by the id under which it was sent. */
type Hook = (inbound: Inbound) => void;

async function load(parts: AgentContextsParts, hooks: ReadonlyMap<string, Hook>): Promise<Contexts> {
  const { createContexts } = await import("../../context/contexts.ts");
  const { agentId, store, events, clock, log, newId } = parts;
  const planning = parts.planning();
  return createContexts({
    ...{ agentId, store, events, clock, log, newId },
    ...(planning && { planning }),
    accept: async (inbound) => {
      for (const [eventId, hook] of hooks) if (inbound.eventId.endsWith(`/${eventId}`)) hook(inbound);
      await parts.accept(inbound);
    },
  });
}

type Sending = {
  readonly ref: ContextRef;
  readonly input: SentInput;
  readonly contexts: Contexts;
  readonly hooks: Map<string, Hook>;
};

/** Sends, with somebody told of the input just before it is accepted. */
async function sendWith({ ref, input, contexts, hooks }: Sending, newId: () => string, hook: Hook): Promise<string> {
  const given = typeof input === "string" ? { text: input } : input;
  const eventId = given.eventId ?? newId();
  hooks.set(eventId, hook);
  try {
    return (await contexts.send(ref, { ...given, eventId })).memoryId;
  } finally {
    hooks.delete(eventId);
  }
}

type Waiting = {
  readonly contextId: string;
  /** The run whose step covered it. */
  readonly covered: Promise<string>;
  readonly ended: Promise<void>;
  end(): void;
};

function waitFor({ room, memory }: Inbound, { feed, events, signal }: AgentContextsParts): Waiting {
  const { promise, resolve } = Promise.withResolvers<string>();
  const stop = feed().subscribe(room.id, {
    onCovered: (runId, memoryIds) => (memoryIds.includes(memory.id) ? resolve(runId) : undefined),
  });
  const outcome = awaitOutcome(memory.id, events, signal);
  return {
    contextId: room.id,
    covered: promise,
    ended: outcome.ended,
    end() {
      stop();
      outcome.end();
    },
  };
}

async function sendTo(sending: Sending, parts: AgentContextsParts): Promise<SentOutcome> {
  const waits: Waiting[] = [];
  try {
    const memoryId = await sendWith(sending, parts.newId, (inbound) => waits.push(waitFor(inbound, parts)));
    const [waiting] = waits;
    if (!waiting) throw new TroupeError("internal", "an input was sent and nobody waits for it");
    const { contextId } = waiting;
    const done = await outcomeOf(memoryId, parts);
    if (done) return { contextId, memoryId, isCovered: done.outcome === "answered", ...done };
    const runId = await Promise.race([waiting.covered, waiting.ended]);
    if (runId !== undefined) return { contextId, memoryId, runId, isCovered: true };
    return { contextId, memoryId, isCovered: false, ...(await needOutcome(memoryId, parts)) };
  } finally {
    for (const waiting of waits) waiting.end();
  }
}

type Running = Sending & { readonly options: RunOptions; readonly extras: Map<string, RunOptions> };

async function runIn(running: Running, parts: AgentContextsParts): Promise<RunResult> {
  const { options, extras } = running;
  const waits: Waiting[] = [];
  const closers: (() => void)[] = [];
  try {
    const memoryId = await sendWith(running, parts.newId, (inbound) => {
      const { id } = inbound.memory;
      extras.set(id, options);
      closers.push(() => extras.delete(id), parts.feed().subscribe(inbound.room.id, options));
      waits.push(waitFor(inbound, parts));
    });
    const known = await outcomeOf(memoryId, parts);
    if (!known) await waits[0]?.ended;
    const { runId, outcome, reason } = known ?? (await needOutcome(memoryId, parts));
    const entries = await parts.store.journal.entries(parts.agentId, runId);
    const contextId = waits[0]?.contextId ?? "";
    return { contextId, runId, outcome, entries, ...(reason !== undefined && { reason }) };
  } finally {
    for (const waiting of waits) waiting.end();
    for (const close of closers) close();
  }
}

type Ended = { readonly runId: string; readonly outcome: RunOutcome; readonly reason?: string };

async function outcomeOf(memoryId: string, { store, agentId }: AgentContextsParts): Promise<Ended | null> {
  const row = await store.inbox.find(agentId, memoryId);
  if (row?.outcome === undefined || row.runId === undefined) return null;
  const { runId, outcome, reason } = row;
  return { runId, outcome, ...(reason !== undefined && { reason }) };
}

async function needOutcome(memoryId: string, parts: AgentContextsParts): Promise<Ended> {
  const found = await outcomeOf(memoryId, parts);
  if (found) return found;
  throw new TroupeError("not_found", "the input was forgotten before it could be told what became of it");
}
