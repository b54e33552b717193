import type { ActionCall, ActionResult, RegisteredAction } from "../action/action.ts";
import type { RunRow, Store } from "../store/store.ts";
import type { EntryBody } from "./entry.ts";

/** What explaining needs. */
export type WhyParts = { readonly agentId: string; readonly store: Pick<Store, "journal"> };

/** Runs looked through for the one somebody may mean; commands are no answer to explain. */
const lookedThrough = 10;

/** WHY_DID_YOU: says in the room why the agent answered there last, or did not. It names no texts and no other rooms. */
export function createWhyAction(parts: WhyParts): RegisteredAction {
  return {
    name: "WHY_DID_YOU",
    similes: ["EXPLAIN_LAST_ANSWER"],
    description: "Say why you answered last time here, or did not, when somebody asks.",
    command: "why",
    policy: { idempotent: true },
    run: (call) => explainLast(call, parts),
  };
}

async function explainLast({ room, runId }: ActionCall, { agentId, store }: WhyParts): Promise<ActionResult> {
  const runs = await store.journal.runs(agentId, { limit: lookedThrough, contextId: room.room.id });
  for (const run of runs) {
    if (run.id === runId || run.endedAt === undefined) continue;
    const entries = await store.journal.entries(agentId, run.id);
    const bodies = entries.map(({ body }) => body);
    if (bodies.some((body) => body.type === "action_call" && body.origin === "command")) continue;
    return { success: true, text: tell(run, bodies) };
  }
  return { success: true, text: "Nothing was answered or left unanswered here before." };
}

function tell(run: RunRow, bodies: readonly EntryBody[]): string {
  const decision = bodies.find((body) => body.type === "decision");
  const models = new Set(bodies.flatMap((body) => (body.type === "model_answer" ? [body.model] : [])));
  const actions = bodies.flatMap((body) => (body.type === "action_call" ? [body.name] : []));
  const reason = run.reason === undefined || run.reason === decision?.reason ? "" : ` ${run.reason}`;
  return [
    `${outcomes[run.outcome ?? "failed"]}${reason}`,
    ...(decision ? [`Decision: ${decision.decision}. ${decision.reason} (rule ${decision.rule})`] : []),
    ...(models.size > 0 ? [`Model: ${[...models].join(", ")}`] : []),
    ...(actions.length > 0 ? [`Actions: ${actions.join(", ")}`] : []),
    `Run: ${run.id.slice(0, 8)}`,
  ].join("\n");
}

const outcomes = {
  answered: "The last message here was answered.",
  ignored: "The last message here was left unanswered.",
  failed: "The last message here could not be answered.",
  uncertain: "The last message here was answered; nobody can know whether the answer arrived.",
  aborted: "Answering the last message here was called off.",
} as const satisfies Readonly<Record<NonNullable<RunRow["outcome"]>, string>>;
