import { hash } from "node:crypto";
import { TroupeError } from "../errors.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { Planning } from "../task/planning.ts";
import { currentWork, during, nextOccurrence } from "./current-work.ts";
import type { Plugin } from "./plugin.ts";
import type { PluginChoices, PluginTasks, Runtime } from "./runtime.ts";

/** What plugins plan with. */
export type PluginPlanningParts = {
  readonly agentId: string;
  /** Null where nothing plans. */
  readonly planning: Planning | null;
  /** Ids for what is planned outside any piece of work. */
  readonly newId: () => string;
};

/** The agent's tasks as one plugin uses them; its own ids are kept apart from those of others by its name. */
export function createPluginTasks(parts: PluginPlanningParts, plugin: string): PluginTasks {
  const { tasks } = reaching(parts);
  return {
    get: async (id) => tasks().get(ownId(plugin, id)),
    list: async (query) => tasks().list(query),
    put: async ({ id, ...draft }) => tasks().put({ ...draft, id: ownId(plugin, id ?? newPlanId(parts, draft)) }),
    pause: async (id) => tasks().pause(ownId(plugin, id)),
    resume: async (id) => tasks().resume(ownId(plugin, id)),
    runNow: async (id) => tasks().runNow(ownId(plugin, id)),
    remove: async (id) => tasks().remove(ownId(plugin, id)),
  };
}

/** The agent's choices as one plugin uses them. */
export function createPluginChoices(parts: PluginPlanningParts, plugin: string): PluginChoices {
  const { choices } = reaching(parts);
  return {
    offer: async ({ id, ...offer }) => choices().offer({ ...offer, id: ownId(plugin, id ?? newPlanId(parts, offer)) }),
    get: async (id) => choices().get(ownId(plugin, id)),
    withdraw: async (id) => choices().withdraw(ownId(plugin, id)),
  };
}

/**
 * Lets a plugin do the tasks and hear of the choices it names; returns what ends it. @throws TroupeError `conflict` when another
 * does a kind already.
 */
export function addPlanWorkers(
  { name, taskWorkers = {}, choiceWorkers = {} }: Plugin,
  { agentId, planning }: Pick<PluginPlanningParts, "agentId" | "planning">,
  runtime: Runtime,
): () => void {
  const kinds = [...Object.keys(taskWorkers), ...Object.keys(choiceWorkers)];
  if (kinds.length === 0) return () => undefined;
  if (!planning) {
    runtime.logger.warn({ kinds }, "a plugin does tasks, and nothing plans them here");
    return () => undefined;
  }
  const removers: (() => void)[] = [];
  const remove = (): void => {
    for (const one of removers.splice(0)) one();
  };
  try {
    for (const [kind, worker] of Object.entries(taskWorkers)) {
      const run = async (...[task, turn]: Parameters<Parameters<Planning["addTaskWorker"]>[1]["run"]>): Promise<void> =>
        during({ agentId, workId: turn.id, signal: turn.signal }, async () => worker(runtime, task, turn));
      removers.push(planning.addTaskWorker(kind, { run }, name));
    }
    for (const [kind, worker] of Object.entries(choiceWorkers)) {
      const told: Parameters<Planning["addChoiceWorker"]>[1] = async (choice, turn) =>
        during(
          { agentId, workId: turn.id, signal: turn.signal },
          async () => (await worker(runtime, choice, turn)) ?? undefined,
        );
      removers.push(planning.addChoiceWorker(kind, told, name));
    }
    return remove;
  } catch (error) {
    remove();
    throw error;
  }
}

function reaching({ planning }: PluginPlanningParts): { tasks(): Planning["tasks"]; choices(): Planning["choices"] } {
  const reach = (): Planning => {
    if (planning) return planning;
    throw new TroupeError(
      "unavailable",
      "this agent plans nothing; make it with createTaskCapability among its capabilities",
    );
  };
  return { tasks: () => reach().tasks, choices: () => reach().choices };
}

/** Ids as lists show them, with the plugin's name in front, are taken as they are. */
function ownId(plugin: string, id: string): string {
  return id.startsWith(`${plugin}/`) ? id : `${plugin}/${id}`;
}

/** Within a piece of work the same plan has the same id each time the work is done; outside every one is new. */
function newPlanId({ agentId, newId }: PluginPlanningParts, plan: object): string {
  const work = currentWork(agentId);
  if (!work) return newId();
  const print = hash("sha256", JSON.stringify(plan), "hex");
  return deriveId("task", agentId, work.runId ?? "", work.workId, print, String(nextOccurrence(agentId, print)));
}
