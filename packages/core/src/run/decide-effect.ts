import { type Decision, decideByRules } from "../decide/decide.ts";
import { decideFromText } from "../decide/decide-from-text.ts";
import type { Memory } from "../memory/memory.ts";
import { languageModelOf } from "../model/models.ts";
import { buildDecisionPrompt } from "../prompt/build-prompt.ts";
import { historyMessages } from "../prompt/history.ts";
import { commandToRun } from "./command-effect.ts";
import { askModel, type Question, recordAnswer, recordPrompt } from "./model-call.ts";
import { isInContext } from "./prepare-run.ts";
import type { Run } from "./run.ts";

/** Decides whether to speak: by rules, and by the small model where they leave it open. */
export async function decide(run: Run): Promise<void> {
  const { parts, recorder, room } = run;
  const {
    decision: kind,
    rule,
    reason,
  } = forContext(run) ?? decideAlone(run, run.message, run.earlier) ?? (await decideByModel(run));
  const command = kind === "respond" ? commandToRun(run) : undefined;
  recorder.add({
    type: "decision",
    decision: kind,
    rule,
    reason,
    ...(command !== undefined && { command }),
    ...(command === undefined && parts.settings.mode === "steps" && { mode: "steps" as const }),
  });
  if (kind === "respond" && room.stance === "stopped")
    recorder.write({ type: "room.stance", roomId: room.room.id, stance: "default" });
  if (kind === "stop") recorder.write({ type: "room.stance", roomId: room.room.id, stance: "stopped" });
  parts.events.emit({ type: "RUN_DECIDED", runId: recorder.runId, roomId: room.room.id, decision: kind, rule, reason });
}

/** What a context took, or was given, is for it: contexts decide by taking. */
function forContext({ room, message, lease, isCommand }: Run): Decision | null {
  if (isCommand || !isInContext({ room: room.room, message, contextId: lease.fence.contextId })) return null;
  return { decision: "respond", rule: "context", reason: "It came to a context." };
}

/** What the rules alone say to a message in the run's room; null where they leave it open. */
export function decideAlone(run: Run, message: Memory, earlier: readonly Memory[]): Decision | null {
  const { parts, room } = run;
  const parentPlatformId = room.room.data?.["parentPlatformId"];
  return decideByRules({
    message,
    isFromBot: isFromBot(message),
    isCommand: run.isCommand,
    stance: room.stance,
    earlier: earlier.map((memory) => ({ isFromBot: isFromBot(memory), isOwn: memory.entityId === memory.agentId })),
    names: [parts.character.name, ...(parts.character.username ? [parts.character.username] : [])],
    settings: run.listening,
    now: parts.clock.now(),
    roomPlatformId: room.room.platformId,
    ...(typeof parentPlatformId === "string" && { parentPlatformId }),
    entityPlatformId: textOf(message.metadata?.["entityPlatformId"]),
  });
}

const isFromBot = (memory: Memory): boolean => memory.metadata?.["fromBot"] === true;
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A decision is paid for once: it is committed as soon as it is there. */
async function decideByModel(run: Run): Promise<Decision> {
  const history = historyMessages([...run.earlier, ...run.inputs], run.inputs.length, {
    messages: 12,
    tokens: 1_500,
    messageCharacters: 2_000,
  });
  const question: Question = {
    model: languageModelOf(run.parts.models(), "SHOULD_RESPOND"),
    step: 0,
    purpose: "decision",
    prompt: buildDecisionPrompt(run.parts.character, history, run.parts.onMissing),
  };
  recordPrompt(run, question);
  const said = await askModel(run, question);
  const kind = decideFromText(said.raw);
  recordAnswer(run, question, said, { isUsable: kind !== null });
  if (kind === null)
    return {
      decision: "ignore",
      rule: "model",
      reason: `${said.finish.model} was asked and its answer could not be read; silence is the default.`,
    };
  return { decision: kind, rule: "model", reason: `No rule decided; ${said.finish.model} was asked and said ${kind}.` };
}
