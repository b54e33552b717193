import type { ActionCall, ActionResult, RegisteredAction } from "../action/action.ts";
import type { Clock } from "../clock.ts";
import { errorMessage, TroupeError } from "../errors.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { Task } from "../store/tasks.ts";
import type { PersonZone, PersonZones } from "./person-zone.ts";
import { readWhen, splitWhen } from "./read-when.ts";
import { describeSchedule } from "./schedule.ts";
import type { TaskBook } from "./task-book.ts";
import { unreadable, type WhenReading } from "./when.ts";
import { describeMoment, findTimeZone } from "./zone.ts";

/** The kind of the tasks that remind people. */
export const remindKind = "remind";

/** What reminding takes. */
export type ReminderParts = {
  readonly agentId: string;
  readonly book: TaskBook;
  readonly zones: PersonZones;
  readonly clock: Pick<Clock, "now">;
};

const mostReminders = 100;
const longestWhat = 1_000;
/** People are reminded no more often. */
const shortestEveryMs = 60_000;

/** REMIND_ME, LIST_REMINDERS and CANCEL_REMINDER: a person's own reminders, by words or by command. */
export function createReminderActions(parts: ReminderParts): readonly RegisteredAction[] {
  return [
    {
      name: "REMIND_ME",
      similes: ["REMIND", "SET_REMINDER", "REMINDER", "CREATE_REMINDER"],
      description: "Remind the person of something at a time, once or again and again, when they ask for it.",
      command: "remind",
      tags: ["tasks"],
      policy: { idempotent: true },
      parameters: [
        {
          name: "what",
          description: "What to remind them of, in their words",
          required: true,
          schema: { type: "string" },
        },
        {
          name: "when",
          description:
            "When, in their own words or as ISO 8601: in 2 hours, tomorrow at 8, every Monday at 9, 2026-03-01 14:00",
          schema: { type: "string" },
        },
        {
          name: "timeZone",
          description: "Their time zone or city, only if they said it: Europe/Berlin",
          schema: { type: "string" },
        },
      ],
      run: (call) => remind(call, parts),
    },
    {
      name: "LIST_REMINDERS",
      similes: ["SHOW_REMINDERS", "MY_REMINDERS"],
      description: "Say which reminders the person has, when they ask.",
      command: "reminders",
      tags: ["tasks"],
      policy: { idempotent: true },
      run: (call) => listReminders(call, parts),
    },
    {
      name: "CANCEL_REMINDER",
      similes: ["DELETE_REMINDER", "REMOVE_REMINDER", "FORGET_REMINDER"],
      description: "Take back one of the person's reminders, when they ask for it.",
      command: "cancel_reminder",
      tags: ["tasks"],
      parameters: [
        {
          name: "which",
          description: "Its number in the list of reminders, its id, or words it is about",
          required: true,
          schema: { type: "string" },
        },
      ],
      run: (call) => cancelReminder(call, parts),
    },
  ];
}

const refused = (error: string): ActionResult => ({ success: false, error });

async function remind(call: ActionCall, parts: ReminderParts): Promise<ActionResult> {
  const { message, parameters, room, runId, callId } = call;
  const { entityId } = message;
  const id = deriveId("task", parts.agentId, runId, callId);
  const zone = await zoneFor(call, parts);
  if (typeof zone === "string") return refused(zone);
  // The action may run a second time: then "in two hours" was said when it ran first.
  const earlier = await parts.book.get(id);
  if (earlier) return { success: true, text: confirmation(earlier, zone) };
  const { when, what } = await understand(parameters, { now: parts.clock.now(), timeZone: zone.timeZone });
  const problem = problemWith(when, what) ?? (await tooMany(entityId, parts));
  if (!when.ok) return refused(when.error);
  if (problem !== null) return refused(problem);
  try {
    const task = await parts.book.put({
      id,
      name: [...what].slice(0, 80).join(""),
      kind: remindKind,
      payload: { text: what, timeZone: zone.timeZone },
      schedule: when.schedule,
      catchUp: "once",
      roomId: room.room.id,
      entityId,
    });
    return { success: true, text: confirmation(task, zone), data: { taskId: id } };
  } catch (error) {
    if (error instanceof TroupeError && error.code === "invalid") return refused(errorMessage(error));
    throw error;
  }
}

/** The person's zone, remembered if they say it now; or what is wrong with the one they said. */
async function zoneFor(
  { message, parameters, room }: ActionCall,
  { zones }: ReminderParts,
): Promise<PersonZone | string> {
  const said = parameters["timeZone"];
  if (typeof said !== "string" || said.trim() === "") return zones.of(message.entityId, room.room.platform);
  const timeZone = findTimeZone(said);
  if (timeZone === null) return `${said.slice(0, 60)} is no time zone; give a name such as Europe/Berlin.`;
  await zones.remember(message.entityId, timeZone);
  return { timeZone, isTheirs: true };
}

type Understood = { readonly when: WhenReading; readonly what: string };

/** By command everything may stand in one text: `/remind tomorrow at 8 call mum`. */
async function understand(
  { what, when }: ActionCall["parameters"],
  time: { readonly now: number; readonly timeZone: string },
): Promise<Understood> {
  const said = String(what).trim();
  if (typeof when === "string" && when.trim() !== "") return { when: await readWhen(when, time), what: said };
  const split = await splitWhen(said, time);
  return split ?? { when: unreadable("When? Say it with a time, as in: tomorrow at 8 call mum."), what: said };
}

function problemWith(when: WhenReading, what: string): string | null {
  if (what === "") return "Of what? Say it with what it is about, as in: tomorrow at 8 call mum.";
  if (what.length > longestWhat) return `That is too long for a reminder; say it in ${longestWhat} characters.`;
  const isTooOften = when.ok && when.schedule.type === "every" && when.schedule.everyMs < shortestEveryMs;
  const isSeconds =
    when.ok && when.schedule.type === "cron" && when.schedule.expression.trim().split(/\s+/u).length > 5;
  return isTooOften || isSeconds ? "Reminders come once a minute at most; give a longer time." : null;
}

async function tooMany(entityId: string, parts: ReminderParts): Promise<string | null> {
  const own = await remindersOf(entityId, parts);
  if (own.length < mostReminders) return null;
  return `There are ${mostReminders} reminders already; take one back first.`;
}

function confirmation(task: Task, { timeZone, isTheirs }: PersonZone): string {
  const hint = isTheirs ? "" : ` I go by the clocks of ${timeZone}; tell me your time zone if it is another.`;
  return `I will remind you: ${lineOf(task, timeZone)}.${hint}`;
}

function lineOf({ name, payload: { text }, schedule, nextAt }: Task, timeZone: string): string {
  const what = typeof text === "string" ? text : name;
  const moment = nextAt === undefined ? "paused" : describeMoment(nextAt, timeZone);
  if (schedule.type === "once") return `${moment}: ${what}`;
  const often = describeSchedule(schedule, (at) => describeMoment(at, timeZone));
  return `${often}, next ${moment}: ${what}`;
}

async function remindersOf(entityId: string, { book }: ReminderParts): Promise<readonly Task[]> {
  return book.list({ kind: remindKind, entityId, states: ["active", "paused"], limit: mostReminders });
}

/** Where others listen, only what was asked for there is told. */
async function shownReminders({ message, room }: ActionCall, parts: ReminderParts): Promise<readonly Task[]> {
  const own = await remindersOf(message.entityId, parts);
  return room.room.channelType === "dm" ? own : own.filter(({ roomId }) => roomId === room.room.id);
}

async function listReminders(call: ActionCall, parts: ReminderParts): Promise<ActionResult> {
  const [own, { timeZone }] = await Promise.all([
    shownReminders(call, parts),
    parts.zones.of(call.message.entityId, call.room.room.platform),
  ]);
  if (own.length === 0) return { success: true, text: "You have no reminders here." };
  const lines = own.map((task, n) => `${n + 1}. ${lineOf(task, timeZone)}`);
  return { success: true, text: lines.join("\n") };
}

async function cancelReminder(call: ActionCall, parts: ReminderParts): Promise<ActionResult> {
  const which = String(call.parameters["which"]).trim();
  const own = await shownReminders(call, parts);
  if (own.length === 0) return refused("There are no reminders to take back here.");
  const found = findReminders(own, which);
  const [task] = found;
  if (!task) return refused(`No reminder is ${JSON.stringify(which.slice(0, 60))}; give its number in the list.`);
  const { timeZone } = await parts.zones.of(call.message.entityId, call.room.room.platform);
  if (found.length > 1) {
    const lines = found.map((one) => `${own.indexOf(one) + 1}. ${lineOf(one, timeZone)}`);
    return refused(`Several could be meant; give the number of one:\n${lines.join("\n")}`);
  }
  await parts.book.remove(task.id);
  return { success: true, text: `Taken back: ${lineOf(task, timeZone)}.` };
}

function findReminders(own: readonly Task[], which: string): readonly Task[] {
  const byNumber = /^\d{1,3}$/u.test(which) ? own[Number(which) - 1] : undefined;
  if (byNumber) return [byNumber];
  const wanted = which.toLowerCase();
  const byId = own.filter(({ id }) => id === wanted || (wanted.length >= 6 && id.startsWith(wanted)));
  if (byId.length > 0) return byId;
  return wanted === "" ? [] : own.filter(({ payload: { text } }) => String(text).toLowerCase().includes(wanted));
}
