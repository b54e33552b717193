import type { ActionCall, ActionResult, Occasion, RegisteredAction, Verdict } from "../action/action.ts";
import type { Roles } from "../basic/roles.ts";
import { choiceFamily } from "../choice/choice.ts";
import { errorMessage, TroupeError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import type { Task } from "../store/tasks.ts";
import type { PersonZones } from "./person-zone.ts";
import { describeSchedule } from "./schedule.ts";
import type { TaskBook } from "./task-book.ts";
import { describeMoment } from "./zone.ts";

/** What holding tasks back takes. */
export type PauseParts = {
  readonly agentId: string;
  readonly book: TaskBook;
  readonly zones: PersonZones;
  readonly roles: Roles;
  readonly store: Pick<Store, "rooms">;
};

const mostTasks = 200;

type Verb = {
  readonly name: string;
  readonly similes: readonly string[];
  readonly command: string;
  readonly description: string;
  /** The state of those it can be done to. */
  readonly from: Task["state"];
  readonly to: Task["state"];
  readonly nothing: string;
};

const verbs: readonly Verb[] = [
  {
    name: "PAUSE_TASK",
    similes: ["PAUSE_REMINDER", "SUSPEND_TASK"],
    command: "pause_task",
    description: "Hold a task or reminder back until it is resumed, when its owner or an admin asks for it.",
    from: "active",
    to: "paused",
    nothing: "There is nothing here that you could pause.",
  },
  {
    name: "RESUME_TASK",
    similes: ["RESUME_REMINDER", "UNPAUSE_TASK"],
    command: "resume_task",
    description: "Let a paused task or reminder go on, when its owner or an admin asks for it.",
    from: "paused",
    to: "active",
    nothing: "There is nothing here that you could resume.",
  },
];

/** PAUSE_TASK and RESUME_TASK: whoever a task is of, wherever they ask; in a room of a server also its owner and admins. */
export function createPauseActions(parts: PauseParts): readonly RegisteredAction[] {
  return verbs.map((verb) => ({
    name: verb.name,
    similes: verb.similes,
    description: verb.description,
    command: verb.command,
    tags: ["tasks"],
    policy: { idempotent: true },
    parameters: [
      {
        name: "which",
        description: "Its number in the list, its id, or words it is about",
        required: true,
        schema: { type: "string" },
      },
    ],
    validate: (occasion) => makesSense(occasion, verb, parts),
    run: (call) => change(call, verb, parts),
  }));
}

/** A model is offered it only where there is something to hold back; a command is answered anyway. */
async function makesSense(
  { message, room }: Occasion,
  { from, nothing }: Verb,
  { book }: PauseParts,
): Promise<Verdict> {
  if (message.content.command) return { pass: true };
  const states = [from];
  const [own, here] = await Promise.all([
    book.list({ entityId: message.entityId, states, limit: 1 }),
    room.world ? book.list({ roomId: room.room.id, states, limit: 1 }) : [],
  ]);
  return own.length + here.length > 0 ? { pass: true } : { pass: false, reason: nothing };
}

const refused = (error: string): ActionResult => ({ success: false, error });

async function change(call: ActionCall, verb: Verb, parts: PauseParts): Promise<ActionResult> {
  const { message, room, parameters } = call;
  const [tasks, { timeZone }] = await Promise.all([
    reachable(call, parts),
    parts.zones.of(message.entityId, room.room.platform),
  ]);
  const lineOf = (task: Task): string => describe(task, timeZone);
  const which = String(parameters["which"]).trim();
  const found = findTasks(tasks, verb, which);
  const [task] = found;
  if (!task || found.length > 1) {
    const open = tasks.filter(({ state }) => state === verb.from);
    if (open.length === 0) return refused(verb.nothing);
    const shown = task ? found : open;
    const list = shown.map((one) => `${open.indexOf(one) + 1}. ${lineOf(one)}`).join("\n");
    const why = task ? "Several could be meant" : `${JSON.stringify(which.slice(0, 60))} is none of these`;
    return refused(`${why}; give the number of one:\n${list}`);
  }
  try {
    const now = verb.to === "paused" ? await parts.book.pause(task.id) : await parts.book.resume(task.id);
    return { success: true, text: `${verb.to === "paused" ? "Paused" : "Resumed"}: ${lineOf(now)}.` };
  } catch (error) {
    if (error instanceof TroupeError && (error.code === "conflict" || error.code === "not_found")) {
      return refused(errorMessage(error));
    }
    throw error;
  }
}

/** What whoever asks may hold back here: their own, where others listen only what was asked for there; leaders all of the room's. */
async function reachable({ message, room }: ActionCall, parts: PauseParts): Promise<readonly Task[]> {
  const states = ["active", "paused"] as const;
  const { entityId } = message;
  const roomId = room.room.id;
  const isDirect = room.room.channelType === "dm";
  const [own, here] = await Promise.all([
    parts.book.list({ entityId, states, limit: mostTasks }),
    (await leads(message.entityId, room, parts)) ? parts.book.list({ roomId, states, limit: mostTasks }) : [],
  ]);
  const all = [...own.filter((task) => isDirect || task.roomId === roomId), ...here];
  // A question that waits for its answer is no task to anybody.
  const tasks = all.filter(({ kind }) => !kind.startsWith(`${choiceFamily}/`));
  return [...new Map(tasks.map((task) => [task.id, task])).values()];
}

async function leads(entityId: string, { world }: ActionCall["room"], parts: PauseParts): Promise<boolean> {
  const [person] = world ? await parts.store.rooms.entities(parts.agentId, [entityId]) : [];
  const rank = world && person ? (await parts.roles.ranksIn(world)).rankOf(person) : "none";
  return rank === "owner" || rank === "admin";
}

/** Those in the state it is about; one that is already as wanted is found by its id and left as it is. */
function findTasks(tasks: readonly Task[], { from, to }: Verb, which: string): readonly Task[] {
  const wanted = which.toLowerCase();
  const byId = tasks.filter(({ id }) => id === wanted || (wanted.length >= 6 && id.startsWith(wanted)));
  if (byId.length > 0) return byId;
  const open = tasks.filter(({ state }) => state === from);
  const byNumber = /^\d{1,3}$/u.test(which) ? open[Number(which) - 1] : undefined;
  if (byNumber) return [byNumber];
  if (wanted === "") return [];
  const about = (list: readonly Task[]): readonly Task[] =>
    list.filter((task) => wordsOf(task).toLowerCase().includes(wanted));
  const meant = about(open);
  // The action may run a second time: then it is done already.
  return meant.length > 0 ? meant : about(tasks.filter(({ state }) => state === to)).slice(0, 1);
}

function wordsOf({ name, payload: { text } }: Task): string {
  return typeof text === "string" ? text : name;
}

function describe(task: Task, timeZone: string): string {
  const { schedule, nextAt } = task;
  const next = nextAt === undefined ? "paused" : describeMoment(nextAt, timeZone);
  if (schedule.type === "once") return `${next}: ${wordsOf(task)}`;
  const often = describeSchedule(schedule, (at) => describeMoment(at, timeZone));
  return `${often}, ${nextAt === undefined ? "paused" : `next ${next}`}: ${wordsOf(task)}`;
}
