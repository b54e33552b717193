import type { InboxRow, Memory } from "@troupe/core";
import { systemClock } from "@troupe/core/clock";
import { type ExplainedRun, explainMessage, type MessageFacts, renderMessage } from "@troupe/core/explain";
import type { CommandContext } from "../commands/context.ts";
import { askAgent } from "../control/ask-agent.ts";
import { lookAtLock } from "../home/lock.ts";
import { type Data, openData, readRun } from "./data.ts";
import { type FoundMessage, findMessages, findNearby } from "./find-message.ts";
import { formatLocalTime } from "./local-time.ts";
import type { Player } from "./players.ts";
import { writeJson } from "./write.ts";

/** What `why` and `why-not` were told. */
export type WhyFlags = { readonly json?: boolean };

/** Says what caused a message of ours, or what became of one that was heard. Unknown ones end with exit code 1. */
export async function explain(context: CommandContext, wanted: string, flags: WhyFlags): Promise<void> {
  const data = await openData(context);
  const found = await findMessages(data, wanted.trim());
  const facts =
    found.length > 0
      ? await Promise.all(found.map((one) => gatherFacts(context, data, { ...one, wanted })))
      : [{ ...nothingFound(wanted), nearby: await findNearby(data, wanted) }];
  const accounts = facts.map(explainMessage);
  if (found.length === 0) context.setExitCode(1);
  if (flags.json) return writeJson(context, accounts.length === 1 ? accounts[0] : accounts);
  const options = { formatTime: formatLocalTime, now: systemClock.now() };
  const texts = accounts.map((account, at) => {
    const heading = accounts.length > 1 ? `── ${found[at]?.player.name ?? ""}\n` : "";
    return `${heading}${renderMessage(account, options)}`;
  });
  context.out.write(texts.join("\n"));
}

function nothingFound(wanted: string): MessageFacts {
  return {
    wanted,
    agentName: "",
    memory: null,
    inbox: null,
    run: null,
    delivery: null,
    waitingBefore: 0,
    openRun: null,
    isAgentRunning: false,
    nearby: [],
  };
}

async function gatherFacts(
  context: CommandContext,
  data: Data,
  found: FoundMessage & { readonly wanted: string },
): Promise<MessageFacts> {
  const { player, memory, wanted } = found;
  const facts = { ...nothingFound(wanted), agentName: player.name, memory, delivery: found.delivery };
  if (!memory || memory.entityId === player.agentId) return { ...facts, ...(await factsOfSaid(data, found)) };
  const inbox = await data.store.inbox.find(player.agentId, memory.id);
  if (!inbox) return facts;
  const isAgentRunning = await isPlayed(context, player);
  if (inbox.state === "done") return { ...facts, inbox, isAgentRunning, run: await runOf(data, player, inbox.runId) };
  const open = await openRunOf(data, player, inbox);
  const covers = open?.entries.some(
    ({ body }) => body.type === "input" && body.inputs.some(({ memoryId }) => memoryId === memory.id),
  );
  return {
    ...facts,
    inbox,
    isAgentRunning,
    run: covers ? open : null,
    openRun: covers ? null : open,
    waitingBefore: await countBefore(data, player, { memory, inbox }),
  };
}

async function factsOfSaid(
  data: Data,
  { player, memory, delivery }: FoundMessage,
): Promise<Pick<MessageFacts, "delivery" | "run">> {
  const key = memory?.metadata?.["deliveryKey"];
  const row = delivery ?? (typeof key === "string" ? await data.store.outbox.get(player.agentId, key) : null);
  return { delivery: row, run: await runOf(data, player, memory?.runId ?? row?.delivery.runId) };
}

async function runOf(data: Data, player: Player, runId: string | undefined): Promise<ExplainedRun | null> {
  const run = runId === undefined ? null : await data.store.journal.run(player.agentId, runId);
  return run ? readRun(data.store, { player, run }) : null;
}

async function openRunOf(data: Data, player: Player, { contextId }: InboxRow): Promise<ExplainedRun | null> {
  const runs = await data.store.journal.runs(player.agentId, { limit: 3, contextId });
  const open = runs.find(({ endedAt }) => endedAt === undefined);
  return open ? readRun(data.store, { player, run: open }) : null;
}

/** So many messages before it are looked at for whether they are still waiting. */
const lookedThrough = 200;

async function countBefore(
  { store }: Data,
  { agentId }: Player,
  { memory, inbox }: { readonly memory: Memory; readonly inbox: InboxRow },
): Promise<number> {
  const earlier = await store.memories.recent(agentId, { roomId: memory.roomId, limit: lookedThrough });
  const heard = earlier.filter(({ entityId, id }) => entityId !== agentId && id !== memory.id);
  const rows = await Promise.all(heard.map(({ id }) => store.inbox.find(agentId, id)));
  return rows.filter((row) => row?.state === "waiting" && row.seq < inbox.seq).length;
}

/** Whether a process plays this character on this home now. */
async function isPlayed({ home, log }: CommandContext, { agentId }: Player): Promise<boolean> {
  try {
    const asked = await askAgent(home.socketPath, { type: "ping" }, { timeoutMs: 1_000 });
    if (asked.type === "answered") return asked.answer.characters.some((one) => one.agentId === agentId);
  } catch (error) {
    log.debug({ err: error }, "the running agent does not answer; its lock tells whether it is there");
  }
  return lookAtLock(home).isHeld;
}
