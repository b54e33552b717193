import { randomUUID } from "node:crypto";
import type { CatchUp } from "@troupe/core";
import { platformSettings } from "@troupe/core/character";
import { systemClock } from "@troupe/core/clock";
import { TroupeError } from "@troupe/core/errors";
import { printableLine } from "@troupe/core/explain";
import { describeMoment, findTimeZone, readWhen } from "@troupe/core/task";
import { z } from "zod";
import type { CommandContext } from "../commands/context.ts";
import type { ControlRequest } from "../control/protocol.ts";
import { requestChange } from "./change-task.ts";
import { type Data, findRooms, openData, type PlayerRoom } from "./data.ts";
import type { Player } from "./players.ts";
import { writeJson } from "./write.ts";

/** What `tasks add` was told. */
export type AddTaskFlags = {
  readonly when: string;
  readonly room?: string;
  readonly say?: string;
  readonly ask?: string;
  readonly kind?: string;
  readonly payload?: string;
  readonly timeZone?: string;
  readonly catchUp?: CatchUp;
  readonly json?: boolean;
};

const refuse = (message: string): never => {
  throw new TroupeError("invalid", message);
};

/** Plans a task. @throws TroupeError `invalid` naming what is wrong with it. */
export async function addTask(context: CommandContext, name: string, flags: AddTaskFlags): Promise<void> {
  const work = readWork(flags);
  const { player, row } = await findPlace(await openData(context), flags);
  if (!row && flags.kind === undefined) {
    refuse("Say in which room: --room ROOM; list them with: troupe memories rooms");
  }
  const timeZone = readZone(flags.timeZone) ?? zoneOf(player, row);
  const now = systemClock.now();
  const when = await readWhen(flags.when, { now, timeZone });
  if (!when.ok) return refuse(when.error);
  const payload = work.kind === "remind" ? { ...work.payload, timeZone } : work.payload;
  const draft: PutTask["draft"] = {
    id: randomUUID(),
    name,
    kind: work.kind,
    payload,
    schedule: when.schedule,
    ...(flags.catchUp && { catchUp: flags.catchUp }),
    ...(row && { roomId: row.row.room.id }),
  };
  const request = { type: "tasks.put", agentId: player.agentId, draft } as const;
  const { changed, isRunning } = await requestChange(context, request, "tasks add");
  if (flags.json) return writeJson(context, { ...changed, character: player.name });
  const next = changed.nextAt === undefined ? "" : ` for ${describeMoment(changed.nextAt, timeZone)}`;
  const hint = isRunning ? "" : "; it is done when the agent runs: npm start";
  context.out.write(`${printableLine(name)} is planned${next} as ${changed.id}${hint}\n`);
}

type PutTask = Extract<ControlRequest, { type: "tasks.put" }>;
type Work = Pick<PutTask["draft"], "kind" | "payload">;

function readWork({ say, ask, kind, payload }: AddTaskFlags): Work {
  const given = [say, ask, kind].filter((flag) => flag !== undefined);
  if (given.length !== 1) refuse("Say what is to be done, with one of --say TEXT, --ask TEXT and --kind KIND.");
  if (payload !== undefined && kind === undefined) refuse("--payload goes with --kind; leave it out.");
  if (say !== undefined) return { kind: "remind", payload: { text: say } };
  if (ask !== undefined) return { kind: "ask", payload: { text: ask } };
  return { kind: kind ?? "", payload: readPayload(payload) };
}

const payloadSchema = z.record(z.string(), z.json());

function readPayload(written = "{}"): Work["payload"] {
  try {
    return payloadSchema.parse(JSON.parse(written));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) {
      return refuse('--payload is no JSON object; write it like \'{"city":"Rome"}\'.');
    }
    throw error;
  }
}

function readZone(written: string | undefined): string | undefined {
  if (written === undefined) return undefined;
  return findTimeZone(written) ?? refuse(`${written.slice(0, 60)} is no time zone; use a name such as Europe/Berlin.`);
}

function zoneOf({ character }: Player, place: PlayerRoom | null): string {
  return platformSettings(character, place?.row.room.platform ?? "").timeZone ?? "UTC";
}

type Place = { readonly player: Player; readonly row: PlayerRoom | null };

async function findPlace(data: Data, { room }: AddTaskFlags): Promise<Place> {
  const [player, ...others] = data.players;
  if (room === undefined) {
    if (player && others.length === 0) return { player, row: null };
    const names = data.players.map(({ name }) => name).join(", ");
    return refuse(`Say whose task it is: --character with one of ${names}.`);
  }
  const found = await findRooms(data, room);
  const [only, ...more] = found;
  if (only && more.length === 0) return { player: only.player, row: only };
  const names = found.map((one) => one.player.name).join(", ");
  return refuse(`Several characters know that room; say whose task it is: --character with one of ${names}.`);
}
