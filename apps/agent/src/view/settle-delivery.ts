import { systemClock } from "@troupe/core/clock";
import { describeDelivery, printableLine } from "@troupe/core/explain";
import { settleDelivery } from "@troupe/core/outbox";
import type { CommandContext } from "../commands/context.ts";
import { askAgent } from "../control/ask-agent.ts";
import type { ControlRequest, ResolvedDelivery } from "../control/protocol.ts";
import { toResolved, toVerdict } from "../control/resolve-deliveries.ts";
import { holdHome } from "../home/lock.ts";
import { openData } from "./data.ts";
import { findDelivery } from "./find-delivery.ts";
import { writeJson } from "./write.ts";

/** What an operator decides about a delivery. */
export type SettleFlags = { readonly platformId?: string; readonly json?: boolean };

/** Sending again may wait for a platform's rate limit. */
const patienceMs = 120_000;

type ResolveRequest = Extract<ControlRequest, { type: "deliveries.resolve" }>;

/**
 * Settles a delivery: through the running agent when there is one, else in the data itself, which nobody else may hold then.
 * @throws TroupeError when the delivery is unknown, sent already or still in work; ConfigError when somebody holds the home.
 */
export async function settle(
  context: CommandContext,
  { as, key: wanted }: Pick<ResolveRequest, "as" | "key">,
  flags: SettleFlags,
): Promise<void> {
  const { player, row } = await findDelivery(await openData(context), wanted.trim());
  const { agentId } = player;
  const { key } = row.delivery;
  const { platformId } = flags;
  const request: ResolveRequest = {
    type: "deliveries.resolve",
    agentId,
    key,
    as,
    ...(platformId !== undefined && { platformId }),
  };
  const asked = await askAgent(context.home.socketPath, request, { timeoutMs: patienceMs });
  const resolved = asked.type === "answered" ? asked.answer : await settleDirectly(context, request);
  if (resolved.state === "uncertain" || (as === "resend" && resolved.state === "failed")) context.setExitCode(1);
  if (flags.json) return writeJson(context, resolved);
  const later = resolved.state === "pending" ? "; it is sent when the agent runs: npm start" : "";
  context.out.write(`${printableLine(key)}: ${describeDelivery(resolved)}${later}\n`);
}

async function settleDirectly(context: CommandContext, request: ResolveRequest): Promise<ResolvedDelivery> {
  const { home, log } = context;
  const { agentId, key, as, platformId } = request;
  const holder = {
    pid: process.pid,
    startedAt: new Date(systemClock.now()).toISOString(),
    characters: [],
    command: `deliveries ${as}`,
  };
  const lock = holdHome(home, holder);
  try {
    const { createSqliteStore } = await import("@troupe/store");
    const store = await createSqliteStore({ path: home.databasePath, log });
    try {
      const parts = { store, clock: systemClock };
      return toResolved(key, await settleDelivery(agentId, key, toVerdict(as, platformId), parts));
    } finally {
      await store.admin.close();
    }
  } finally {
    lock.release();
  }
}
