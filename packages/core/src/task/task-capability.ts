import type { Capability, CapabilityParts } from "../capability/capability.ts";
import { createAskWorker, createRemindWorker } from "./own-workers.ts";
import { createPersonZones } from "./person-zone.ts";
import { createReminderActions, remindKind } from "./reminders.ts";
import { createTurnJob } from "./run-turn.ts";
import { createTaskBook, taskJobKind } from "./task-book.ts";
import { createTaskWorkers } from "./task-workers.ts";

/** Doing things at their time: reminders, questions to the character itself, and whatever plugins plan. */
export function createTaskCapability(parts: CapabilityParts): Capability {
  const { agentId, character, clock, log, store, wakeJobs } = parts;
  const book = createTaskBook({ agentId, store, clock, wakeJobs });
  const workers = createTaskWorkers();
  workers.add(remindKind, createRemindWorker(parts), "troupe");
  workers.add("ask", createAskWorker(parts), "troupe");
  const zones = createPersonZones({ agentId, character, keyValues: store.keyValues });
  return {
    name: "tasks",
    actions: createReminderActions({ agentId, book, zones, clock }),
    jobs: { [taskJobKind]: createTurnJob({ book, workers, clock, log }) },
  };
}
