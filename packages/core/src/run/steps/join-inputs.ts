import { readOffer } from "../../action/offer.ts";
import type { Memory } from "../../memory/memory.ts";
import type { InboxRow } from "../../store/store.ts";
import { decideAlone } from "../decide-effect.ts";
import { isInContext } from "../prepare-run.ts";
import type { Run } from "../run.ts";

/**
 * Takes up what was said meanwhile: the run's inputs are now these as well. Only what the rules alone would have answered joins,
 * in the order of its coming; a command, or what is not clearly meant for the agent, ends the joining and has its own turn.
 * Says whether something joined.
 */
export async function joinInputs(run: Run): Promise<boolean> {
  const { parts, lease, recorder } = run;
  const known = new Set(recorder.state().inputs.map(({ seq }) => seq));
  const waiting = (await parts.store.inbox.waiting(lease.fence)).filter(({ seq }) => !known.has(seq));
  if (waiting.length === 0) return false;
  const memories = await parts.store.memories.get(
    parts.agentId,
    waiting.map(({ memoryId }) => memoryId),
  );
  const joined: InboxRow[] = [];
  for (const row of waiting) {
    const memory = memories.find(({ id }) => id === row.memoryId);
    if (row.kind !== "message" || !memory) break;
    // What only offers something to act on is no conversation.
    if (readOffer(memory) !== null || readOffer(run.message) !== null) break;
    // What was given more than its words has a run of its own.
    if (parts.contexts?.extrasOf([row.memoryId])) break;
    if (!isForContext(run, memory) && decideAlone(run, memory, [...run.earlier, ...run.inputs])?.decision !== "respond")
      break;
    joined.push(row);
    run.inputs.push(memory);
    run.message = memory;
  }
  if (joined.length === 0) return false;
  recorder.add({ type: "input", inputs: joined.map(({ seq, memoryId }) => ({ seq, memoryId })) });
  return true;
}

function isForContext({ room, lease }: Run, message: Memory): boolean {
  return isInContext({ room: room.room, message, contextId: lease.fence.contextId });
}
