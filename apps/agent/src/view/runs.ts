import { type ExplainedRun, formatCost, formatCount, formatDuration, renderRun, shortId } from "@troupe/core/explain";
import type { CommandContext } from "../commands/context.ts";
import { characterColumn, findRooms, findRun, newestRuns, openData, type PlayerRun, readRun } from "./data.ts";
import { formatLocalTime } from "./local-time.ts";
import type { Column } from "./table.ts";
import { writeJson, writeTable } from "./write.ts";

/** What `runs` was told. */
export type RunsFlags = { readonly limit: number; readonly room?: string; readonly json?: boolean };

/** What `runs show` was told. */
export type ShowRunFlags = { readonly prompt?: boolean; readonly raw?: boolean; readonly json?: boolean };

type ListedRun = PlayerRun & { readonly account: ExplainedRun };

/** Lists the newest runs. */
export async function listRuns(context: CommandContext, flags: RunsFlags): Promise<void> {
  const data = await openData(context);
  const rooms = flags.room === undefined ? undefined : await findRooms(data, flags.room);
  const runs = await newestRuns(data, { limit: flags.limit, ...(rooms && { rooms }) });
  const rows = await Promise.all(
    runs.map(async ({ player, run }) => ({ player, run, account: await readRun(data.store, { player, run }) })),
  );
  if (flags.json) return writeJson(context, rows.map(toJson));
  const empty = "No runs yet: nobody said anything. Say something with: npm start";
  writeTable(context, columnsFor(rows), { rows, empty });
}

/** Prints one run's account. */
export async function showRun(context: CommandContext, wanted: string, flags: ShowRunFlags): Promise<void> {
  const data = await openData(context);
  const account = await readRun(data.store, await findRun(data, wanted));
  if (flags.json) return writeJson(context, account);
  context.out.write(
    renderRun(account, {
      formatTime: formatLocalTime,
      prompt: flags.prompt === true,
      raw: flags.raw === true,
    }),
  );
}

function columnsFor(rows: readonly ListedRun[]): readonly Column<ListedRun>[] {
  return [
    { heading: "run", text: ({ run }) => shortId(run.id) },
    { heading: "started", text: ({ run }) => formatLocalTime(run.startedAt) },
    ...characterColumn(rows),
    {
      heading: "room",
      text: ({ account }) => account.room?.name ?? shortId(account.contextId),
      leastWidth: 6,
      isMinor: true,
    },
    { heading: "outcome", text: ({ run }) => run.outcome ?? "open" },
    { heading: "model", text: ({ account }) => account.models.join(", "), leastWidth: 6, isMinor: true },
    {
      heading: "tokens",
      text: ({ run }) => formatCount(run.inputTokens + run.outputTokens),
      isNumber: true,
      isMinor: true,
    },
    {
      heading: "cost",
      text: ({ account: { costMicrousd } }) => (costMicrousd === undefined ? "" : formatCost(costMicrousd)),
      isNumber: true,
      isMinor: true,
    },
    {
      heading: "took",
      text: ({ account: { durationMs } }) => (durationMs === undefined ? "" : formatDuration(durationMs)),
      isNumber: true,
      isMinor: true,
    },
    { heading: "heard", text: ({ account }) => heardIn(account), leastWidth: 20 },
  ];
}

const shownCharacters = 120;

function heardIn(account: ExplainedRun): string {
  const texts = account.entries.flatMap(({ body }) => (body.type === "input" ? body.inputs : []));
  return texts
    .map(({ text }) => text ?? "[forgotten]")
    .join(" · ")
    .slice(0, shownCharacters)
    .toWellFormed();
}

function toJson({ player, run, account }: ListedRun): unknown {
  return {
    ...run,
    character: player.name,
    agentId: player.agentId,
    room: account.room ?? null,
    models: account.models,
    durationMs: account.durationMs ?? null,
    inputs: account.entries.flatMap(({ body }) => (body.type === "input" ? body.inputs : [])),
  };
}
