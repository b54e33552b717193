import { isObject } from "../../action/json-kind.ts";
import type { JsonValue } from "../../json.ts";
import { shorten } from "../../prompt/history.ts";
import { escapeName, escapeTags } from "../../state/escape.ts";
import type { Journal } from "../../store/store.ts";
import { type CallState, foldRun, type RunState } from "../run-state.ts";

/** What a run did, in short, with where it stands in the journal; shown behind the input that `memoryId` names. */
type RunDigest = { readonly memoryId: string; readonly text: string };

/**
 * What was done in a context's last runs: a view of its journal, kept in memory while the context is in use. What was said is
 * remembered already; this is the rest, so that the model knows what it looked up and did, and not only its words.
 */
export type WorkingMemory = {
  /** Digests by the memory they stand behind. */
  of(contextId: string): Promise<ReadonlyMap<string, string>>;
  /** A run of the context is over. */
  keep(contextId: string, runId: string, state: RunState): void;
  /** Something was forgotten: it is read anew. */
  clear(): void;
};

/** So many runs are looked back upon, and so many contexts are kept in memory. */
const mostRuns = 12;
const mostContexts = 1_000;
const callCharacters = 240;
const digestCharacters = 1_200;

/** Nothing is read before a context is in use. */
export function createWorkingMemory(agentId: string, journal: Journal): WorkingMemory {
  const known = new Map<string, Promise<readonly RunDigest[]>>();
  const use = (contextId: string, digests: Promise<readonly RunDigest[]>): void => {
    known.delete(contextId);
    known.set(contextId, digests);
    for (const [oldest] of known) {
      if (known.size <= mostContexts) break;
      known.delete(oldest);
    }
  };
  return {
    async of(contextId) {
      const digests = known.get(contextId) ?? readDigests(agentId, contextId, journal);
      use(contextId, digests);
      try {
        return new Map((await digests).map(({ memoryId, text }) => [memoryId, text]));
      } catch (error) {
        if (known.get(contextId) === digests) known.delete(contextId);
        throw error;
      }
    },
    keep(contextId, runId, state) {
      const before = known.get(contextId);
      const digest = digestRun(runId, state);
      if (!before || !digest) return;
      const after = before.then((digests) => [...digests, digest].slice(-mostRuns));
      // Whoever looks at it is told.
      after.catch(() => undefined);
      use(contextId, after);
    },
    clear: () => known.clear(),
  };
}

async function readDigests(agentId: string, contextId: string, journal: Journal): Promise<readonly RunDigest[]> {
  const runs = await journal.runs(agentId, { contextId, limit: mostRuns });
  const over = runs.filter(({ endedAt }) => endedAt !== undefined).toReversed();
  const entries = await Promise.all(over.map(({ id }) => journal.entries(agentId, id)));
  return over.flatMap(({ id }, at) => digestRun(id, foldRun(entries[at] ?? [])) ?? []);
}

/** Null when it only spoke. */
function digestRun(runId: string, { mode, inputs, steps }: RunState): RunDigest | null {
  const calls = steps.flatMap((step) => step.calls).filter(isWorthTelling);
  const memoryId = inputs.at(-1)?.memoryId;
  if (mode !== "steps" || calls.length === 0 || memoryId === undefined) return null;
  const [first = 0, last = 0] = [steps[0]?.firstSeq, steps.at(-1)?.lastSeq];
  const did = shorten(calls.map(inShort).join("\n"), digestCharacters);
  return { memoryId, text: `<did run="${runId.slice(0, 8)}" entries="${first}-${last}">\n${escapeTags(did)}\n</did>` };
}

/** What steers leaves nothing to know: it succeeded, without a word. */
function isWorthTelling({ parentCallId, isStarted, result }: CallState): boolean {
  return parentCallId === undefined && result !== null && (isStarted || !result.success);
}

function inShort({ name, parameters, result }: CallState): string {
  const asked = parameters && Object.keys(parameters).length > 0 ? ` ${JSON.stringify(parameters)}` : "";
  const came = result?.success ? wordsOf(result.text ?? result.data) : (result?.error ?? "failed");
  const outcome = result?.success ? "succeeded" : "failed";
  return shorten(`${escapeName(name)}${asked} ${outcome}${came === "" ? "" : `: ${came}`}`, callCharacters);
}

function wordsOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  return isObject(value) && Object.keys(value).length === 0 ? "" : JSON.stringify(value);
}
