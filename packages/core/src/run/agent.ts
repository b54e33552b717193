import type { Character } from "../character/character.ts";
import type { Receive } from "../client/client.ts";
import type { Command } from "../client/client-parts.ts";
import { TroupeError } from "../errors.ts";
import { createEvents, type Listener } from "../event/event.ts";
import { isChange, type PlatformChange } from "../inbox/change.ts";
import { changeWrites } from "../inbox/change-writes.ts";
import { createContextQueue } from "../inbox/context-queue.ts";
import type { Inbound } from "../inbox/inbound.ts";
import { deriveAgentId } from "../memory/derive-id.ts";
import type { Lease } from "../store/store.ts";
import type { TaskBook } from "../task/task-book.ts";
import { createAccept } from "./accept.ts";
import type { AgentParts } from "./agent-parts.ts";
import { createCapabilities } from "./capabilities.ts";
import { changeEvents } from "./change-events.ts";
import { commandList } from "./commands.ts";
import { connectClients } from "./connect-clients.ts";
import { createMessages } from "./hand-messages.ts";
import { createPreparation } from "./preparation.ts";
import { createRunParts } from "./run-parts.ts";
import { type ContextVerbs, createAgentContexts } from "./steps/agent-contexts.ts";
import type { ContextListener } from "./steps/context-feed.ts";
import { createWorker, loadEngine } from "./work-off.ts";

/** A character at work. States: made → started → stopped; it is started and stopped once. */
export type Agent = ContextVerbs & {
  readonly agentId: string;
  readonly character: Character;
  /**
   * Goes on with what was under way, and connects the clients. Resolves when all are connected or have said why not; a client
   * that refuses is reported and the others go on, one that is slow goes on connecting in the background. With `isQuick` it hears
   * before everything it can do is loaded, unless there are plugins; what was heard waits for that.
   * @throws StoreError when the store cannot be read. @throws ClientError when no client could be connected.
   */
  start(options?: { readonly isQuick?: boolean }): Promise<void>;
  /** Resolves when everything it can do is there: its commands, its tasks. */
  ready(): Promise<void>;
  /** Hears no more, finishes or parks what is under way within `graceMs` and a little, and resolves. */
  stop(graceMs?: number): Promise<void>;
  /** Accepts what a platform tells: resolves when it is durable. Clients are handed this at `start`. */
  receive: Receive;
  /** Answers a request to a plugin's route, `/<plugin>/…`; never throws. Who may ask is up to whoever hands it on. */
  handleRoute(request: Request): Promise<Response>;
  /** What people may ask for by name, on platforms that have commands: as it is now, plugins' included. */
  commands(): readonly Command[];
  /** Its tasks, once it has started; null when it has nothing that plans. */
  tasks(): TaskBook | null;
  /** Resolves when every accepted input has its outcome or is parked. */
  idle(): Promise<void>;
  /** Follows a room or context: its journal's entries, and what grows while the model speaks. Returns what ends it. */
  subscribeContext(contextId: string, listener: ContextListener): () => void;
  /** Calls off the run that is under way in a room or context; says whether there was one. */
  abort(contextId: string): boolean;
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
  const self = { agentId, log, events, messages: () => messages };
  const capabilities = createCapabilities(given, { ...self, contexts: () => contexts });
  const wakeJobs = (): void => preparation.jobs()?.wake();
  const hearing = new AbortController();
  const newId = given.newId ?? (() => crypto.randomUUID());
  const contexts = createAgentContexts({
    ...{ agentId, store, events, clock, log, newId, signal: hearing.signal },
    accept: (inbound) => accept(inbound),
    feed: () => runParts.feed,
    planning: () => preparation.installed()?.planning ?? null,
  });
  const about = { ...self, wakeJobs, contexts: contexts.forRuns };
  const runParts = createRunParts(given, capabilities, about);
  const worker = createWorker(runParts);
  const base = { agentId, owner: given.owner, store, clock, events, log };
  const concurrency = given.defaults?.concurrency ?? 64;
  const work: typeof worker.work = async (lease, stopSignal) => {
    await preparation.done();
    return worker.work(lease, stopSignal);
  };
  const queue = createContextQueue({ ...base, inbox: store.inbox, concurrency, work });
  const take = (lease: Lease): void => queue.take(lease);
  const accept = createAccept({ ...base, laneOf: (inbound) => contexts.laneOf(inbound), take });
  const messages = createMessages({
    ...{ ...base, clients, accept, signal: hearing.signal, newId },
    async perform(lease, stopSignal, calledOff) {
      const { performRun } = await loadEngine();
      await performRun(lease, runParts, stopSignal, calledOff);
    },
    isRunning: () => preparation.isDone(),
  });
  const receive = async (told: Inbound | PlatformChange): Promise<void> => {
    if (hearing.signal.aborted) throw new TroupeError("aborted", "the agent is stopping and accepts nothing more");
    const heard = await capabilities.worlds.hear(told);
    if (!isChange(heard)) return accept(heard);
    await preparation.done();
    const more = (await preparation.installed()?.writesFor(heard)) ?? [];
    await store.admin.write(agentId, [...more, ...changeWrites(heard, agentId)]);
    if (more.length > 0) wakeJobs();
    for (const event of changeEvents(heard)) events.emit(event);
    const greeting = await capabilities.worlds.greetingFor(heard);
    if (greeting) await accept(greeting);
  };

  const preparation = createPreparation(given, {
    ...{ agentId, log, events, receive: accept, wakeJobs, capabilities, contexts, signal: hearing.signal },
    clearTexts: runParts.clearTexts,
  });

  return {
    ...contexts.verbs,
    agentId,
    character,
    receive,
    async handleRoute(request) {
      const { handleRoute } = await import("../plugin/handle-route.ts");
      const routes = () => [...capabilities.registry.routes(), ...contexts.routes()];
      return handleRoute(request, { routes, clock, log, signal: hearing.signal });
    },
    commands: () => commandList(capabilities.registry.actions()),
    tasks: () => preparation.installed()?.planning?.tasks ?? null,
    async idle() {
      await preparation.settled();
      await queue.idle();
      await messages.settled();
      await preparation.jobs()?.idle();
    },
    subscribeContext: (contextId, listener) => runParts.feed.subscribe(contextId, listener),
    abort: (contextId) => worker.abort(contextId),
    on: (listener) => events.on(listener),
    ready: preparation.done,
    async start({ isQuick = false } = {}) {
      // Plugins' listeners and services are there before anything is heard.
      if (!isQuick || (given.plugins ?? []).length > 0) await preparation.done();
      await queue.start();
      await connectClients(clients, { receive, signal: hearing.signal, clock, log, onConnected: () => queue.wake() });
      setImmediate(() => void preparation.warmUp());
    },
    async stop(graceMs = defaultGraceMs) {
      hearing.abort(new TroupeError("aborted", "the agent stops"));
      await preparation.settled();
      await Promise.all([contexts.stop(), queue.stop(graceMs), preparation.jobs()?.stop(graceMs)]);
      await messages.settled();
      await preparation.installed()?.stop(graceMs);
      await capabilities.close();
    },
  };
}
