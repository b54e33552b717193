import { afterEach, describe, expect, it } from "vitest";
import type { RegisteredAction } from "../../action/action.ts";
import { StoreError } from "../../errors.ts";
import { silentLog } from "../../log.ts";
import type { Append, Fence, Store } from "../../store/store.ts";
import { createMemoryStore } from "../../testing/memory-store.ts";
import { createScriptedClient } from "../../testing/scripted-client.ts";
import { createScriptedModel } from "../../testing/scripted-model.ts";
import { createSetClock } from "../../testing/set-clock.ts";
import { stageCharacter } from "../../testing/stage.ts";
import { type Agent, createAgent } from "../agent.ts";
import type { Entry } from "../entry.ts";

const agents: Agent[] = [];
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.stop(0)));
});

type Death = { isDead: boolean; commits: number; readonly at: number; readonly when: "before" | "after" };

/** A store of a process that dies at one commit: from then on nothing reaches the real one. */
function mortal(store: Store, death: Death): Store {
  const check = (): void => {
    if (death.isDead) throw new StoreError("unavailable", "the process is dead");
  };
  const wrap = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return async (...given: unknown[]) => {
          check();
          return Reflect.apply(value, target, given);
        };
      },
    });
  const append = async (fence: Fence, what: Append) => {
    check();
    death.commits += 1;
    const dies = death.commits === death.at;
    if (dies && death.when === "before") death.isDead = true;
    check();
    const next = await store.journal.append(fence, what);
    if (dies) death.isDead = true;
    check();
    return next;
  };
  return {
    ...store,
    inbox: wrap(store.inbox),
    outbox: wrap(store.outbox),
    journal: { ...wrap(store.journal), ...journalOf(store, check), append },
  };
}

function journalOf(store: Store, check: () => void): Omit<Store["journal"], "append"> {
  const { journal } = store;
  return {
    entries: async (...given) => (check(), journal.entries(...given)),
    parts: async (...given) => (check(), journal.parts(...given)),
    run: async (...given) => (check(), journal.run(...given)),
    runs: async (...given) => (check(), journal.runs(...given)),
  };
}

type World = {
  readonly store: Store;
  readonly asked: string[];
  readonly did: string[];
  readonly client: ReturnType<typeof createScriptedClient>;
};

const character = stageCharacter({ settings: { mode: "steps" } });

async function start({ store: real, asked, did, client }: World, death: Death, idempotent = false): Promise<Agent> {
  const action = (name: string): RegisteredAction => ({
    name,
    description: `Does ${name}.`,
    similes: [],
    policy: { idempotent },
    run: async () => {
      did.push(name);
      return { success: true, data: { name } };
    },
  });
  const model = createScriptedModel(({ messages }) => {
    const all = messages.map(({ content }) => content).join("\n");
    asked.push(all);
    if (/<result action="SECOND"/.test(all)) return "<output>All done.</output>";
    // A pause in the middle: what was closed before it is begun before the answer is whole.
    const pause = new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    if (/<result action="FIRST"/.test(all))
      return { pieces: ['<output>Half way.</output><action name="SECOND">{}</action>', pause, "\n"] };
    return { pieces: ['<action name="FIRST">{}</action>', pause, "<output>I begin.</output>"] };
  });
  const agent = createAgent({
    character,
    store: mortal(real, death),
    models: { TEXT_LARGE: model, TEXT_SMALL: model },
    clients: [client],
    clock: createSetClock(),
    random: () => 0.5,
    log: silentLog,
    owner: `life-${agents.length}`,
    actions: [action("FIRST"), action("SECOND")],
  });
  agents.push(agent);
  await agent.start();
  return agent;
}

async function liveTwice(at: number, when: Death["when"], idempotent = false) {
  const store = createMemoryStore({ clock: createSetClock() });
  const world: World = { store, asked: [], did: [], client: createScriptedClient({ agentId: character.id ?? "" }) };
  const death: Death = { isDead: false, commits: 0, at, when };
  const first = await start(world, death, idempotent);
  await world.client.hear("do both");
  while (!death.isDead && (await store.inbox.counts(first.agentId)).waiting > 0)
    await new Promise((resolve) => setImmediate(resolve));
  const { isDead } = death;
  death.isDead = true;
  await first.stop(0);
  const second = await start(world, { isDead: false, commits: 0, at: 0, when }, idempotent);
  await second.idle();
  const [run] = await store.journal.runs(second.agentId, { limit: 1 });
  const entries = await store.journal.entries(second.agentId, run?.id ?? "");
  return { ...world, entries, isDead, counts: await store.inbox.counts(second.agentId) };
}

const paidFor = (entries: readonly Entry[]) => entries.filter(({ body }) => body.type === "model_answer").length;

describe("a run in steps whose process is killed", () => {
  it.each(["before", "after"] as const)(
    "%s any commit goes on to its end, saying and doing everything once",
    async (when) => {
      let points = 0;
      for (let at = 1; at < 30; at++) {
        const { client, did, entries, isDead, counts, asked } = await liveTwice(at, when);
        if (isDead) points += 1;
        const texts = client.shown().map(({ text }) => text);
        expect(counts, `${when} ${at}`).toMatchObject({ waiting: 0, held: 0 });
        expect(new Set(texts).size, `${when} ${at}: ${texts}`).toBe(texts.length);
        expect(texts.at(-1), `${when} ${at}`).toBe("All done.");
        // Nothing is done twice: what may have been done and left no result is told as interrupted.
        expect(did.filter((name) => name === "FIRST").length, `${when} ${at}`).toBeLessThanOrEqual(1);
        expect(did.filter((name) => name === "SECOND").length, `${when} ${at}`).toBeLessThanOrEqual(1);
        const answers = entries.flatMap(({ body }) => (body.type === "model_answer" ? [body.step] : []));
        expect(new Set(answers).size).toBe(answers.length);
        // A committed answer is not asked for again: at most the one in hand when it died.
        expect(asked.length, `${when} ${at}`).toBeLessThanOrEqual(paidFor(entries) + 1);
        const seqs = entries.map(({ seq }) => seq);
        expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      }
      expect(points).toBeGreaterThan(7);
    },
  );

  it("does again what says that this does no harm", async () => {
    for (let at = 1; at < 16; at++) {
      const { entries } = await liveTwice(at, "after", true);
      const results = entries.flatMap(({ body }) => (body.type === "action_result" ? [body.success] : []));
      expect(results).toEqual([true, true]);
    }
  });
});
