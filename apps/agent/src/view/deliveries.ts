import type { DeliveryRow } from "@troupe/core";
import { describeDelivery, printable, printableLine, shortId } from "@troupe/core/explain";
import type { CommandContext } from "../commands/context.ts";
import { characterColumn, nameOfRoom, openData } from "./data.ts";
import { findDelivery, newestDeliveries, type PlayerDelivery } from "./find-delivery.ts";
import { formatLocalTime } from "./local-time.ts";
import type { Column } from "./table.ts";
import { writeJson, writeTable } from "./write.ts";

/** What `deliveries list` was told. */
export type DeliveriesFlags = {
  readonly limit: number;
  readonly state?: readonly DeliveryRow["state"][];
  readonly json?: boolean;
};

/** Lists the newest deliveries. */
export async function listDeliveries(context: CommandContext, flags: DeliveriesFlags): Promise<void> {
  const data = await openData(context);
  const rows = await newestDeliveries(data, { limit: flags.limit, ...(flags.state && { states: flags.state }) });
  if (flags.json)
    return writeJson(
      context,
      rows.map(({ player, row }) => ({ ...row, character: player.name })),
    );
  const empty = flags.state
    ? `No delivery is ${flags.state.join(" or ")}.`
    : "Nothing was delivered yet. Say something with: npm start";
  writeTable(context, columnsFor(rows), { rows, empty });
}

function columnsFor(rows: readonly PlayerDelivery[]): readonly Column<PlayerDelivery>[] {
  return [
    { heading: "delivery", text: ({ row }) => shortKey(row.delivery.key) },
    { heading: "since", text: ({ row }) => formatLocalTime(row.createdAt) },
    ...characterColumn(rows),
    { heading: "platform", text: ({ row }) => row.delivery.platform, isMinor: true },
    { heading: "state", text: ({ row }) => row.state },
    { heading: "id there", text: ({ row }) => row.platformId ?? "", leastWidth: 8, isMinor: true },
    { heading: "text", text: ({ row }) => textOf(row), leastWidth: 20 },
    { heading: "remark", text: ({ row }) => row.error ?? "", leastWidth: 12, isMinor: true },
  ];
}

const shownCharacters = 300;

function textOf({ delivery }: DeliveryRow): string {
  if (delivery.kind === "message") return delivery.content.text.slice(0, shownCharacters).toWellFormed();
  return `(${delivery.kind} ${delivery.replyToPlatformId ?? ""}) ${delivery.content.text.slice(0, shownCharacters).toWellFormed()}`;
}

function shortKey(key: string): string {
  const [run = "", ...rest] = key.split("/");
  return rest.length === 0 ? key : `${shortId(run)}/${rest.join("/")}`;
}

/** Prints one delivery whole, with what can be done about it. */
export async function showDelivery(
  context: CommandContext,
  wanted: string,
  flags: { readonly json?: boolean },
): Promise<void> {
  const data = await openData(context);
  const { player, row } = await findDelivery(data, wanted.trim());
  if (flags.json) return writeJson(context, { ...row, character: player.name });
  const { delivery } = row;
  const room = await data.store.rooms.room(player.agentId, delivery.roomId);
  const lines: readonly (readonly [name: string, value: string | undefined])[] = [
    ["delivery", delivery.key],
    ["character", player.name],
    ["state", describeDelivery({ ...row, state: row.state })],
    ["to", `${room ? nameOfRoom(room) : delivery.target} on ${delivery.platform} (account ${delivery.account})`],
    ["kind", delivery.kind],
    ["answers", delivery.replyToPlatformId],
    ["written", formatLocalTime(row.createdAt)],
    ["changed", formatLocalTime(row.updatedAt)],
    ["attempts", String(row.attempts)],
    ["run", delivery.runId],
  ];
  const head = lines.flatMap(([name, value]) => (value ? [`${name.padEnd(10)} ${printableLine(value)}\n`] : []));
  const text = delivery.content.text === "" ? "" : `\n${printable(delivery.content.text)}\n`;
  context.out.write(`${head.join("")}${text}${remedyFor(row)}`);
}

function remedyFor({ state, delivery }: DeliveryRow): string {
  const key = printableLine(delivery.key);
  if (state !== "uncertain" && state !== "failed") return "";
  return `\nSend it again:    troupe deliveries resend ${key}\nGive it up:       troupe deliveries drop ${key}\nIt is there:      troupe deliveries sent ${key} --platform-id ID\n`;
}
