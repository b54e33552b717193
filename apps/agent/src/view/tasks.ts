import type { Task } from "@troupe/core";
import { TroupeError } from "@troupe/core/errors";
import { printable, printableLine, shortId } from "@troupe/core/explain";
import { describeSchedule } from "@troupe/core/task";
import type { CommandContext } from "../commands/context.ts";
import { characterColumn, type Data, findRooms, nameOfRoom, openData, roomNames } from "./data.ts";
import { formatLocalTime } from "./local-time.ts";
import type { Player } from "./players.ts";
import type { Column } from "./table.ts";
import { writeJson, writeTable } from "./write.ts";

/** What `tasks list` was told. */
export type TasksFlags = {
  readonly limit: number;
  readonly state?: readonly Task["state"][];
  readonly room?: string;
  readonly json?: boolean;
};

/** A task and whose it is. */
export type PlayerTask = { readonly player: Player; readonly task: Task };

const usualStates: readonly Task["state"][] = ["active", "paused"];

/** Lists tasks by their next turn. */
export async function listTasks(context: CommandContext, flags: TasksFlags): Promise<void> {
  const data = await openData(context);
  const rows = await readTasks(data, flags);
  if (flags.json)
    return writeJson(
      context,
      rows.map(({ player, task }) => ({ ...task, character: player.name })),
    );
  const names = await namesFor(data, rows);
  const empty = flags.state
    ? `No task is ${flags.state.join(" or ")}.`
    : "Nothing is planned. Plan something with: troupe tasks add --help";
  writeTable(context, columnsFor(rows, names), { rows, empty });
}

async function readTasks(data: Data, { limit, state = usualStates, room }: TasksFlags): Promise<readonly PlayerTask[]> {
  const places: readonly { readonly player: Player; readonly roomId?: string }[] =
    room === undefined
      ? data.players.map((player) => ({ player }))
      : (await findRooms(data, room)).map(({ player, row }) => ({ player, roomId: row.room.id }));
  const lists = await Promise.all(
    places.map(async ({ player, ...place }) => {
      const tasks = await data.store.tasks.list(player.agentId, { limit, states: state, ...place });
      return tasks.map((task) => ({ player, task }));
    }),
  );
  return lists
    .flat()
    .sort((a, b) => nextOf(a) - nextOf(b) || a.task.createdAt - b.task.createdAt)
    .slice(0, limit);
}

function nextOf({ task }: PlayerTask): number {
  return task.nextAt ?? Number.MAX_SAFE_INTEGER;
}

/** Names of rooms by their ids. */
type Names = ReadonlyMap<string, string>;

async function namesFor({ store }: Data, rows: readonly PlayerTask[]): Promise<Names> {
  const players = new Map(rows.map(({ player }) => [player.agentId, player]));
  const maps = await Promise.all(
    [...players.values()].map((player) => {
      const own = rows.filter((row) => row.player === player);
      return roomNames(
        store,
        player,
        own.flatMap(({ task }) => task.roomId ?? []),
      );
    }),
  );
  return new Map(maps.flatMap((map) => [...map]));
}

function columnsFor(rows: readonly PlayerTask[], names: Names): readonly Column<PlayerTask>[] {
  return [
    { heading: "task", text: ({ task }) => shownId(task) },
    { heading: "next", text: ({ task }) => (task.nextAt === undefined ? task.state : formatLocalTime(task.nextAt)) },
    ...characterColumn(rows),
    { heading: "kind", text: ({ task }) => task.kind, isMinor: true },
    { heading: "room", text: ({ task }) => roomName(task, names), leastWidth: 6, isMinor: true },
    { heading: "name", text: ({ task }) => task.name, leastWidth: 16 },
    { heading: "when", text: ({ task }) => describeSchedule(task.schedule, formatLocalTime), leastWidth: 12 },
    { heading: "last error", text: ({ task }) => task.lastError ?? "", leastWidth: 12, isMinor: true },
  ];
}

/** Long ids cut short, as `findTask` takes them. */
function shownId({ id }: Task): string {
  return /^[0-9a-f]{8}-/u.test(id) ? shortId(id) : printableLine(id);
}

function roomName({ roomId }: Task, names: Names): string {
  return roomId === undefined ? "" : (names.get(roomId) ?? shortId(roomId));
}

/** Prints one task whole, with what can be done about it. */
export async function showTask(
  context: CommandContext,
  wanted: string,
  flags: { readonly json?: boolean },
): Promise<void> {
  const data = await openData(context);
  const { player, task } = await findTask(data, wanted.trim());
  if (flags.json) return writeJson(context, { ...task, character: player.name });
  const [room, [person]] = await Promise.all([
    task.roomId === undefined ? null : data.store.rooms.room(player.agentId, task.roomId),
    task.entityId === undefined ? [] : data.store.rooms.entities(player.agentId, [task.entityId]),
  ]);
  const lines: readonly (readonly [name: string, value: string | undefined])[] = [
    ["task", task.id],
    ["name", task.name],
    ["character", player.name],
    ["state", task.state],
    ["kind", task.kind],
    ["when", describeSchedule(task.schedule, formatLocalTime)],
    ["next", task.nextAt === undefined ? undefined : formatLocalTime(task.nextAt)],
    ["last", task.lastAt === undefined ? undefined : formatLocalTime(task.lastAt)],
    ["missed", missedWords[task.catchUp]],
    ["room", room ? `${nameOfRoom(room)} on ${room.room.platform}` : task.roomId],
    ["person", person?.name ?? task.entityId],
    ["planned", formatLocalTime(task.createdAt)],
    ["failures", task.failures === 0 ? undefined : String(task.failures)],
    ["error", task.lastError],
  ];
  const head = lines.flatMap(([name, value]) => (value ? [`${name.padEnd(10)} ${printableLine(value)}\n`] : []));
  const payload =
    Object.keys(task.payload).length === 0 ? "" : `\n${printable(JSON.stringify(task.payload, null, 2))}\n`;
  context.out.write(`${head.join("")}${payload}${remedyFor(task)}`);
}

const missedWords = {
  skip: "turns are skipped",
  once: "turns are made up for by one",
  all: "turns are all made up for",
} as const;

function remedyFor({ id, state }: Task): string {
  const shown = printableLine(id);
  if (state === "paused")
    return `\nLet it go on:    troupe tasks resume ${shown}\nDo it once:      troupe tasks run ${shown}\n`;
  if (state === "done") return "";
  return `\nHold it back:    troupe tasks pause ${shown}\nDo it at once:   troupe tasks run ${shown}\nTake it away:    troupe tasks remove ${shown}\n`;
}

const longestScan = 10_000;
const shownCandidates = 5;

/**
 * A task by its id, an unambiguous beginning of it, or its name.
 * @throws TroupeError `not_found` or `invalid`, naming tasks it may be.
 */
export async function findTask({ store, players }: Data, wanted: string): Promise<PlayerTask> {
  for (const player of players) {
    const task = wanted === "" ? null : await store.tasks.get(player.agentId, wanted);
    if (task) return { player, task };
  }
  const lists = await Promise.all(
    players.map(async (player) => {
      const tasks = await store.tasks.list(player.agentId, { limit: longestScan });
      return tasks.map((task) => ({ player, task }));
    }),
  );
  const all = lists.flat();
  const lower = wanted.toLowerCase();
  const named = all.filter(({ task }) => task.name.toLowerCase() === lower);
  const found = wanted === "" ? [] : named.length > 0 ? named : all.filter(({ task }) => task.id.startsWith(lower));
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  const shown = printableLine(wanted).slice(0, 120);
  if (only) throw new TroupeError("invalid", `Several tasks are called ${shown}; write the id of one:${listed(found)}`);
  const known = all.length === 0 ? " There are none yet." : ` There are:${listed(all)}`;
  throw new TroupeError("not_found", `There is no task ${shown}.${known}`);
}

function listed(tasks: readonly PlayerTask[]): string {
  const shown = tasks.slice(0, shownCandidates).map(({ player, task }) => {
    return `\n  ${printableLine(task.id)}  ${player.name}, ${task.state}: ${printableLine(task.name)}`;
  });
  const more = tasks.length - shown.length;
  return `${shown.join("")}${more > 0 ? `\n  and ${more} more: troupe tasks` : ""}`;
}
