import { createRoles } from "../basic/roles.ts";
import type { Capability, CapabilityParts } from "../capability/capability.ts";
import { choiceFamily } from "../choice/choice.ts";
import { createChoiceTaskWorker } from "../choice/choice-worker.ts";
import { createChoiceWorkers } from "../choice/choice-workers.ts";
import { createChoices, createOfferJob, offerJobKind } from "../choice/choices.ts";
import { createChoicesProvider, createChooseOption } from "../choice/choose-option.ts";
import { createAskWorker, createRemindWorker } from "./own-workers.ts";
import { createPauseActions } from "./pause-tasks.ts";
import { createPersonZones } from "./person-zone.ts";
import { createReminderActions, remindKind } from "./reminders.ts";
import { createTurnJob } from "./run-turn.ts";
import { createTaskBook, taskJobKind } from "./task-book.ts";
import { createTaskWorkers } from "./task-workers.ts";

const house = "troupe";

/** Doing things at their time, and waiting for people: reminders, questions to the character itself, choices, plugins' tasks. */
export function createTaskCapability(parts: CapabilityParts): Capability {
  const { agentId, character, clock, log, store, wakeJobs } = parts;
  const book = createTaskBook({ agentId, store, clock, wakeJobs });
  const workers = createTaskWorkers();
  const choiceWorkers = createChoiceWorkers();
  const choiceParts = { ...parts, book };
  const choices = createChoices(choiceParts);
  workers.add(remindKind, createRemindWorker(parts), house);
  workers.add("ask", createAskWorker(parts), house);
  workers.add(choiceFamily, createChoiceTaskWorker({ ...choiceParts, workers: choiceWorkers }), house);
  const zones = createPersonZones({ agentId, character, keyValues: store.keyValues });
  const roles = createRoles({ agentId, keyValues: store.keyValues, rooms: store.rooms });
  return {
    name: "tasks",
    actions: [
      ...createReminderActions({ agentId, book, zones, clock }),
      ...createPauseActions({ agentId, book, zones, roles, store }),
      createChooseOption({ agentId, choices, roles, store, clock }),
    ],
    providers: [createChoicesProvider(choices)],
    jobs: {
      [taskJobKind]: createTurnJob({ book, workers, clock, log }),
      [offerJobKind]: createOfferJob(choiceParts),
    },
    planning: {
      tasks: book,
      choices,
      addTaskWorker: workers.add,
      addChoiceWorker: choiceWorkers.add,
    },
  };
}
