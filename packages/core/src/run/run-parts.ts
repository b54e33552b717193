import { createLocks } from "../action/locks.ts";
import { createRateLimits } from "../action/rate-limits.ts";
import { contextPlatform, createContextClient } from "../context/context-client.ts";
import { createEvaluateHandler, evaluateKind } from "../evaluate/evaluate-job.ts";
import type { Events } from "../event/event.ts";
import type { JobHandler } from "../job/job-handler.ts";
import { createJobRunner, type JobRunner } from "../job/job-runner.ts";
import type { Log } from "../log.ts";
import { createTargetQueues } from "../outbox/target-queues.ts";
import { chooseProviders, composeState } from "../state/compose-state.ts";
import { createActionFilters } from "./action-filters.ts";
import type { AgentParts } from "./agent-parts.ts";
import type { Capabilities } from "./capabilities.ts";
import { mayCoalesce } from "./coalesce.ts";
import { createPartIndex } from "./recorder.ts";
import type { Mode, RunParts } from "./run.ts";
import { runSettings } from "./run-settings.ts";
import { createContextFeed } from "./steps/context-feed.ts";
import { createWorkingMemory } from "./steps/working-memory.ts";

type About = { readonly agentId: string; readonly log: Log };

/** The parts of an agent's runs, from what the agent is made of. */
export function createRunParts(
  given: AgentParts,
  { registry, models, tools, openRuns, worlds }: Capabilities,
  {
    agentId,
    log,
    events,
    wakeJobs,
    messages,
    contexts,
  }: About & { readonly events: Events; readonly wakeJobs: () => void } & Pick<RunParts, "messages" | "contexts">,
): RunParts {
  const { character, clients, clock, store } = given;
  const modes = new Map<Mode, RunParts>();
  const inMode = (mode: Mode): RunParts => {
    const known = modes.get(mode);
    if (known) return known;
    const settings = runSettings(character, given.defaults ?? {}, mode);
    const made: RunParts = {
      ...shared,
      settings,
      contexts: mode === "steps" ? contexts : null,
      inMode,
      tools: (actions) => (settings.format === "tools" ? tools(actions) : null),
    };
    modes.set(mode, made);
    return made;
  };
  const contextClient = createContextClient();
  const partIndex = createPartIndex();
  const workingMemory = createWorkingMemory(agentId, store.journal);
  const shared: Omit<RunParts, "settings" | "inMode" | "tools" | "contexts"> = {
    agentId,
    character,
    mayCoalesce: mayCoalesce(character, clients),
    models,
    registry,
    openRuns,
    actionFilters: createActionFilters(character),
    worldRules: (room) => worlds.settings.rules(room),
    messages,
    clientFor: (platform, account) =>
      clients.find((client) => client.platform === platform && client.account === account) ??
      (platform === contextPlatform ? contextClient : null),
    store,
    wakeJobs,
    locks: createLocks(),
    rateLimits: createRateLimits({ keyValues: store.keyValues, clock, agentId }),
    targets: createTargetQueues(),
    onMissing: once((name) =>
      log.warn({ placeholder: name }, "a template names something nothing is known of; left empty"),
    ),
    partIndex,
    feed: createContextFeed(log),
    workingMemory,
    clearTexts() {
      partIndex.clear();
      workingMemory.clear();
    },
    events,
    clock,
    random: given.random,
    log,
  };
  return inMode(character.settings.mode ?? "reply");
}

/** Passes each name on the first time only. */
function once(tell: (name: string) => void): (name: string) => void {
  const told = new Set<string>();
  return (name) => {
    if (told.has(name)) return;
    told.add(name);
    tell(name);
  };
}

/** Jobs done at once for one agent. */
const jobConcurrency = 4;

/** Who else does jobs, by kind. */
type JobHandlers = ReadonlyMap<string, JobHandler>;

/** What is done later, outside the rooms' way. */
export function createJobs(
  given: AgentParts,
  { registry }: Capabilities,
  { agentId, log, events, handlers }: About & { readonly events: Events; readonly handlers: JobHandlers },
): JobRunner {
  const { clock, store, owner } = given;
  const evaluate = createEvaluateHandler({
    agentId,
    store,
    log,
    onStarted: (look) => events.emit({ type: "EVALUATOR_STARTED", ...look }),
    onCompleted: (look, error) =>
      events.emit({
        type: "EVALUATOR_COMPLETED",
        ...look,
        success: error === undefined,
        ...(error !== undefined && { error }),
      }),
    evaluators: () => registry.evaluators(),
    compose: (message, runId, signal) =>
      composeState(
        chooseProviders(registry.providers(), {}),
        { runId, step: 0, message, now: clock.now(), signal },
        clock,
      ),
  });
  return createJobRunner({
    agentId,
    owner,
    jobs: store.jobs,
    clock,
    log,
    concurrency: jobConcurrency,
    handlers: new Map([...handlers, [evaluateKind, evaluate]]),
  });
}
