import type { Character } from "../character/character.ts";
import type { Receive } from "../client/client.ts";
import type { Command } from "../client/client-parts.ts";
import { TroupeError } from "../errors.ts";
import { createEvents, type Listener } from "../event/event.ts";
import { isChange, type PlatformChange } from "../inbox/change.ts";
import { changeWrites } from "../inbox/change-writes.ts";
import { createContextQueue } from "../inbox/context-queue.ts";
import type { Inbound } from "../inbox/inbound.ts";
import type { JobRunner } from "../job/job-runner.ts";
import { deriveAgentId } from "../memory/derive-id.ts";
import type { Lease } from "../store/store.ts";
import type { TaskBook } from "../task/task-book.ts";
import { createAccept } from "./accept.ts";
import type { AgentParts } from "./agent-parts.ts";
import { createCapabilities } from "./capabilities.ts";
import { changeEvents } from "./change-events.ts";
import { clearOnForget } from "./clear-on-forget.ts";
import { commandList } from "./commands.ts";
import { connectClients } from "./connect-clients.ts";
import { createMessages } from "./hand-messages.ts";
import type { InstalledCapabilities } from "./install-capabilities.ts";
import { createJobs, createRunParts } from "./run-parts.ts";
import { type ContextVerbs, createAgentContexts } from "./steps/agent-contexts.ts";
import type { ContextListener } from "./steps/context-feed.ts";
import { createWorker, loadEngine } from "./work-off.ts";

/** A character at work. States: made → started → stopped; it is started and stopped once. */
export type Agent = ContextVerbs & {
  readonly agentId: string;
  readonly character: Character;
  /**
   * Goes on with what was under way, and connects the clients. Resolves when all are connected or have said why not; a client
   * that refuses is reported and the others go on, one that is slow goes on connecting in the background.
   * @throws StoreError when the store cannot be read. @throws ClientError when no client could be connected.
   */
  start(): Promise<void>;
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
  let jobs: JobRunner | null = null;
  const wakeJobs = (): void => jobs?.wake();
  const hearing = new AbortController();
  const newId = given.newId ?? (() => crypto.randomUUID());
  const contexts = createAgentContexts({
    ...{ agentId, store, events, clock, log, newId, signal: hearing.signal },
    accept: (inbound) => accept(inbound),
    feed: () => runParts.feed,
    planning: () => installed?.planning ?? null,
  });
  const about = { ...self, wakeJobs, contexts: contexts.forRuns };
  const runParts = createRunParts(given, capabilities, about);
  const worker = createWorker(runParts);
  const base = { agentId, owner: given.owner, store, clock, events, log };
  const concurrency = given.defaults?.concurrency ?? 64;
  const queue = createContextQueue({ ...base, inbox: store.inbox, concurrency, work: worker.work });

  let installed: InstalledCapabilities | null = null;
  const take = (lease: Lease): void => queue.take(lease);
  const accept = createAccept({ ...base, laneOf: (inbound) => contexts.laneOf(inbound), take });
  let isStarted = false;
  const messages = createMessages({
    ...{ ...base, clients, accept, signal: hearing.signal, newId },
    async perform(lease, stopSignal, calledOff) {
      const { performRun } = await loadEngine();
      await performRun(lease, runParts, stopSignal, calledOff);
    },
    isRunning: () => isStarted,
  });
  const receive = async (told: Inbound | PlatformChange): Promise<void> => {
    if (hearing.signal.aborted) throw new TroupeError("aborted", "the agent is stopping and accepts nothing more");
    const heard = await capabilities.worlds.hear(told);
    if (!isChange(heard)) return accept(heard);
    const more = (await installed?.writesFor(heard)) ?? [];
    await store.admin.write(agentId, [...more, ...changeWrites(heard, agentId)]);
    if (more.length > 0) wakeJobs();
    for (const event of changeEvents(heard)) events.emit(event);
    const greeting = await capabilities.worlds.greetingFor(heard);
    if (greeting) await accept(greeting);
  };

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
    tasks: () => installed?.planning?.tasks ?? null,
    async idle() {
      await queue.idle();
      await messages.settled();
      await jobs?.idle();
    },
    subscribeContext: (contextId, listener) => runParts.feed.subscribe(contextId, listener),
    abort: (contextId) => worker.abort(contextId),
    on: (listener) => events.on(listener),
    async start() {
      const bundles = given.capabilities ?? [];
      if (bundles.length > 0) {
        const { installCapabilities } = await import("./install-capabilities.ts");
        const forgetful = clearOnForget(store, runParts.clearTexts);
        const own = { agentId, character, store: forgetful, clock, random: given.random };
        const host = { ...own, log, events, receive: accept, wakeJobs };
        installed = await installCapabilities(bundles, { ...host, models: capabilities.models }, capabilities.registry);
      }
      await capabilities.install(installed?.planning ?? null);
      jobs = createJobs(given, capabilities, { agentId, log, events, handlers: installed?.jobs ?? new Map() });
      await contexts.bring("the program", given.contexts ?? {});
      await Promise.all([queue.start(), jobs.start()]);
      isStarted = true;
      await contexts.start();
      await installed?.start();
      await connectClients(clients, { receive, signal: hearing.signal, clock, log, onConnected: () => queue.wake() });
      setImmediate(() => void loadEngine().catch(() => undefined));
    },
    async stop(graceMs = defaultGraceMs) {
      hearing.abort(new TroupeError("aborted", "the agent stops"));
      await Promise.all([contexts.stop(), queue.stop(graceMs), jobs?.stop(graceMs)]);
      await messages.settled();
      await installed?.stop(graceMs);
      await capabilities.close();
    },
  };
}
