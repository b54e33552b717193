import type { Capability, CapabilityParts, CreateCapability } from "../capability/capability.ts";
import { errorMessage } from "../errors.ts";
import type { PlatformChange } from "../inbox/change.ts";
import type { JobHandler } from "../job/job-handler.ts";
import { runBounded } from "../job/run-bounded.ts";
import type { Registry } from "../plugin/registry.ts";
import type { Write } from "../store/writes.ts";
import type { Planning } from "../task/planning.ts";
import type { AgentParts } from "./agent-parts.ts";
import { clearOnForget } from "./clear-on-forget.ts";

/** Capabilities at work. */
export type InstalledCapabilities = {
  /** Who does their jobs, by kind. */
  readonly jobs: ReadonlyMap<string, JobHandler>;
  /** What is planned with, if one of them plans. */
  readonly planning: Planning | null;
  /** What they write with a change of a platform; asked before it is written. */
  writesFor(change: PlatformChange): Promise<readonly Write[]>;
  /** Begins what goes on beside the rooms, in the order of the list. */
  start(): Promise<void>;
  /** Ends them in reverse order; one that fails or takes long is logged and the others end all the same. */
  stop(graceMs: number): Promise<void>;
};

/** A capability gets this much more than the grace to end. */
const extraMs = 500;

/** Makes the capabilities and registers what they bring; one that cannot be made is logged by name, and the others go on. */
async function installCapabilities(
  creators: readonly CreateCapability[],
  parts: CapabilityParts,
  registry: Registry,
): Promise<InstalledCapabilities> {
  const { log, clock } = parts;
  const made: Capability[] = [];
  const jobs = new Map<string, JobHandler>();
  for (const create of creators) {
    try {
      const capability = await create(parts);
      const { name, actions = [], providers = [], evaluators = [] } = capability;
      for (const warning of registry.add(name, { actions, providers, evaluators }))
        log.warn({ capability: name }, warning);
      for (const [kind, handler] of Object.entries(capability.jobs ?? {})) jobs.set(kind, handler);
      made.push(capability);
    } catch (error) {
      log.error({ error: errorMessage(error) }, "a capability could not be made; the agent goes on without it");
    }
  }
  return {
    jobs,
    planning: made.find(({ planning }) => planning)?.planning ?? null,
    async writesFor(change) {
      const writes: Write[] = [];
      for (const { name, onChange } of made) {
        try {
          writes.push(...((await onChange?.(change)) ?? []));
        } catch (error) {
          const about = { capability: name, change: change.kind, error: errorMessage(error) };
          log.error(about, "a capability could not look at a change; the change is taken all the same");
        }
      }
      return writes;
    },
    async start() {
      for (const { name, start } of made) {
        try {
          await start?.();
        } catch (error) {
          log.error({ capability: name, error: errorMessage(error) }, "a capability could not start; the others go on");
        }
      }
    },
    async stop(graceMs) {
      for (const { name, stop } of made.toReversed()) {
        try {
          const { signal } = new AbortController();
          await runBounded(async () => stop?.(graceMs), { clock, timeoutMs: graceMs + extraMs, signal });
        } catch (error) {
          log.warn({ capability: name, error: errorMessage(error) }, "a capability did not end as it should");
        }
      }
    },
  };
}

/** What an agent's own capabilities are installed with, beside what the agent is made of. */
type Host = Omit<CapabilityParts, "character" | "store" | "clock" | "random"> & {
  readonly registry: Registry;
  readonly clearTexts: () => void;
};

/** Installs what an agent was given; null when that is nothing. */
export async function installGiven(
  { capabilities = [], character, store, clock, random }: AgentParts,
  { registry, clearTexts, ...host }: Host,
): Promise<InstalledCapabilities | null> {
  if (capabilities.length === 0) return null;
  const own = { character, store: clearOnForget(store, clearTexts), clock, random };
  return installCapabilities(capabilities, { ...host, ...own }, registry);
}
