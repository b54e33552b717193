import { platformSettings } from "../character/character.ts";
import { contextPlatform } from "../context/context-client.ts";
import { TroupeError } from "../errors.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { Memory } from "../memory/memory.ts";
import { ownMemory } from "../outbox/own-memory.ts";
import { historyReach } from "../prompt/history.ts";
import type { Room } from "../room/room.ts";
import type { InboxRow, Lease, RoomRow } from "../store/store.ts";
import { withinOf } from "./handed-inbound.ts";
import { createRecorder, type Recorder, type RecorderParts } from "./recorder.ts";
import type { Mode, Run, RunParts } from "./run.ts";
import { modeIn } from "./run-settings.ts";
import type { RunState } from "./run-state.ts";

/** A run whose inputs are known. */
export type Begun = {
  readonly lease: Lease;
  readonly rows: readonly InboxRow[];
  readonly recorder: Recorder;
  readonly isResumed: boolean;
  readonly startedAt: number;
};

/** Freezes the inputs in the first entry, or finds them there. */
export async function begin(lease: Lease, parts: RunParts): Promise<Begun> {
  const { agentId, contextId } = lease.fence;
  const startedAt = parts.clock.now();
  const recorderParts: RecorderParts = {
    journal: parts.store.journal,
    clock: parts.clock,
    parts: parts.partIndex,
    onCommitted: (entries) => parts.feed.entries(contextId, entries),
  };
  if (lease.openRunId !== undefined) {
    const entries = await parts.store.journal.entries(agentId, lease.openRunId);
    const recorder = createRecorder(lease, lease.openRunId, entries, recorderParts);
    const seqs = new Set(recorder.state().inputs.map(({ seq }) => seq));
    return { lease, rows: lease.inputs.filter(({ seq }) => seqs.has(seq)), recorder, isResumed: true, startedAt };
  }
  const rows = lease.inputs;
  const [first] = rows;
  if (!first) throw new TroupeError("internal", `context ${contextId} was leased without an input`);
  const recorder = createRecorder(lease, deriveId("run", agentId, contextId, String(first.seq)), [], recorderParts);
  recorder.add({ type: "input", inputs: rows.map(({ seq, memoryId }) => ({ seq, memoryId })) });
  return { lease, rows, recorder, isResumed: false, startedAt };
}

/** Everything a run works with; null when its room or all of its messages are gone. */
export async function prepare(
  { lease, rows, recorder, isResumed }: Begun,
  given: RunParts,
  signals: Pick<Run, "signal" | "stopSignal" | "calledOff">,
): Promise<Run | null> {
  const { agentId, contextId } = lease.fence;
  const ids = recorder.state().inputs.map(({ memoryId }) => memoryId);
  const { memories, rooms } = given.store;
  const limit = historyReach(given.settings.history);
  const [own, found, recent, said] = await Promise.all([
    rooms.room(agentId, contextId),
    memories.get(agentId, ids),
    memories.recent(agentId, { roomId: contextId, limit, withoutWaiting: true }),
    isResumed ? saidBefore(agentId, recorder.runId, given) : [],
  ]);
  const inputs = ids.flatMap((id) => found.find((memory) => memory.id === id) ?? []);
  const message = inputs.at(-1);
  if (!message) return null;
  const { room, earlier } = own ? { room: own, earlier: recent } : await elsewhere(message, contextId, given);
  if (!room) return null;
  const parts = given.inMode(modeOf(recorder.state(), { room: room.room, message, contextId }, given));
  const { platform, account } = room.room;
  const client = parts.clientFor(platform, account);
  if (!client) {
    throw new TroupeError(
      "unavailable",
      `A message on ${platform} (account ${account}) waits for its answer, but that client is not running; start it with ${platform} configured.`,
    );
  }
  const roomId = room.room.id;
  const log = parts.log.child({ runId: recorder.runId, roomId, platform });
  const about = { runId: recorder.runId, roomId };
  parts.events.emit({ type: "RUN_STARTED", ...about, memoryIds: ids, isResumed });
  const isCommand = rows.at(-1)?.kind === "command";
  const { listening, choices } = await parts.worldRules(room);
  const run: Run = {
    parts,
    lease,
    recorder,
    room,
    resolveAction: (name) => run.framed?.resolveAction(name) ?? parts.registry.resolveAction(name),
    context: null,
    framed: null,
    filter: parts.actionFilters(room.room, choices),
    listening: { ...platformSettings(parts.character, platform), ...listening },
    client,
    inputs,
    message,
    isCommand,
    earlier: earlier.filter(({ id }) => !said.some((memory) => memory.id === id)),
    fresh: new Map(),
    said: [...said],
    composed: new Map(),
    running: new Map(),
    answers: new Map(),
    endedSteps: new Set(),
    covered: new Set(),
    cleanups: [],
    within: withinOf(message),
    log,
    ...signals,
  };
  return run;
}

/** A run goes on as it began. */
function modeOf({ decision, mode }: RunState, place: Place, { character }: RunParts): Mode {
  if (decision) return mode;
  return isInContext(place) ? "steps" : modeIn(character, place.room);
}

type Place = { readonly room: Room; readonly message: Memory; readonly contextId: string };

/** Whether a context of the agent's own took the message, rather than the room it was heard in. */
export function isInContext({ room, message, contextId }: Place): boolean {
  if (room.platform === contextPlatform) return true;
  return contextId !== room.id && message.metadata?.["handedBy"] === undefined;
}

/** The room of a message whose run has a context of its own. */
async function elsewhere(
  { agentId, roomId }: Memory,
  contextId: string,
  { store, settings }: RunParts,
): Promise<{ readonly room: RoomRow | null; readonly earlier: readonly Memory[] }> {
  if (roomId === contextId) return { room: null, earlier: [] };
  const limit = historyReach(settings.history);
  const [room, earlier] = await Promise.all([
    store.rooms.room(agentId, roomId),
    store.memories.recent(agentId, { roomId, limit, withoutWaiting: true }),
  ]);
  return { room, earlier };
}

/** What a run that is taken up again has said already; it is part of the run, not of what stood before. */
async function saidBefore(agentId: string, runId: string, { store }: RunParts): Promise<readonly Memory[]> {
  const rows = await store.outbox.list(agentId, { runId, states: ["sent", "uncertain"], limit: 100 });
  return rows.map(({ delivery, updatedAt, platformId }) =>
    ownMemory(delivery, { at: updatedAt, ...(platformId !== undefined && { platformId }) }),
  );
}
