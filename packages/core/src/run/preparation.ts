import type { CapabilityParts } from "../capability/capability.ts";
import { errorMessage } from "../errors.ts";
import type { JobRunner } from "../job/job-runner.ts";
import type { AgentParts } from "./agent-parts.ts";
import type { Capabilities } from "./capabilities.ts";
import { type InstalledCapabilities, installGiven } from "./install-capabilities.ts";
import { createJobs } from "./run-parts.ts";
import type { AgentContexts } from "./steps/agent-contexts.ts";
import { loadEngine } from "./work-off.ts";

/** What preparing needs, beside what the agent is made of. */
export type PreparationParts = Pick<CapabilityParts, "agentId" | "log" | "events" | "receive" | "wakeJobs"> & {
  readonly capabilities: Capabilities;
  readonly contexts: Pick<AgentContexts, "bring" | "start">;
  /** Drops what the engine holds of texts. */
  readonly clearTexts: () => void;
  /** Aborts when the agent stops. */
  readonly signal: AbortSignal;
};

/** Everything of an agent beside hearing: what it can do, its plugins, its jobs. Not begun → under way → done, once. */
export type Preparation = {
  /**
   * Begins it if nobody did, and resolves when it is done. @throws StoreError when the store cannot be read: asked again, it goes
   * on with the step that failed.
   */
  done(): Promise<void>;
  /** Resolves when what was begun is over, however it went. */
  settled(): Promise<void>;
  /** Begins it with nobody waiting, and loads what answers; a failure is told in the log. */
  warmUp(): Promise<void>;
  /** Null before, and where there are none. */
  installed(): InstalledCapabilities | null;
  jobs(): JobRunner | null;
  isDone(): boolean;
};

/** Makes the preparation of an agent; nothing happens before somebody asks for it. */
export function createPreparation(given: AgentParts, parts: PreparationParts): Preparation {
  const { agentId, log, events, receive, wakeJobs, capabilities, contexts, clearTexts, signal } = parts;
  let installed: InstalledCapabilities | null = null;
  let jobs: JobRunner | null = null;
  let isDone = false;
  let underWay: Promise<void> | null = null;
  const { models, registry } = capabilities;
  const steps: readonly (() => Promise<void>)[] = [
    async () => {
      installed = await installGiven(given, { agentId, log, events, receive, wakeJobs, models, registry, clearTexts });
    },
    () => capabilities.install(installed?.planning ?? null),
    () => contexts.bring("the program", given.contexts ?? {}),
    async () => {
      jobs ??= createJobs(given, capabilities, { agentId, log, events, handlers: installed?.jobs ?? new Map() });
      await jobs.start();
      isDone = true;
    },
    () => contexts.start(),
    async () => installed?.start(),
  ];
  let taken = 0;
  const prepare = async (): Promise<void> => {
    for (let step = steps[taken]; step; step = steps[taken]) {
      await step();
      taken += 1;
    }
  };
  const done = (): Promise<void> => {
    underWay ??= prepare().catch((error: unknown) => {
      underWay = null;
      throw error;
    });
    return underWay;
  };
  return {
    done,
    settled: async () => underWay?.catch(() => undefined),
    async warmUp() {
      if (signal.aborted) return;
      try {
        await Promise.all([done(), loadEngine()]);
      } catch (error) {
        log.error({ error: errorMessage(error) }, "the agent could not be made ready to answer");
      }
    },
    installed: () => installed,
    jobs: () => jobs,
    isDone: () => isDone,
  };
}
