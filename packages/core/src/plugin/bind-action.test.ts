import { describe, expect, it } from "vitest";
import { ActionError, ValidationError } from "../errors.ts";
import { createTestRuntime } from "../testing/test-runtime.ts";
import type { Action, Handler } from "./action-shape.ts";
import { bindAction } from "./bind-action.ts";

const action = (handler: Handler, more: Partial<Action> = {}): Action => ({
  name: "DO_IT",
  description: "Does it.",
  validate: () => true,
  handler,
  ...more,
});

const withAction = (...actions: readonly Action[]) => createTestRuntime({ plugins: [{ name: "test", actions }] });

const outcomeOf = async (handler: Handler, more: Partial<Action> = {}) => {
  const runtime = await withAction(action(handler, more));
  const outcome = await runtime.act("DO_IT");
  await runtime.close();
  return outcome;
};

/** What plugins written without types may do. */
const untyped = (returned: unknown): Handler => (() => returned) as Handler;

describe("what a handler returns", () => {
  it.each([
    ["nothing", undefined, { success: true }],
    ["true", true, { success: true }],
    ["false", false, { success: false, error: "It did not succeed and gave no reason." }],
    ["a text", "done", { success: true, data: "done" }],
    ["an object without success", { celsius: 21 }, { success: true, data: { celsius: 21 } }],
    ["an error", new Error("no"), { success: false, error: "no" }],
    ["a failed result with an error", { success: false, error: new Error("no") }, { success: false, error: "no" }],
    [
      "a whole result",
      { success: true, text: "hi", values: { a: 1 }, data: [1], continueChain: false },
      { success: true, text: "hi", values: { a: 1 }, data: [1], continueChain: false },
    ],
  ])("counts %s for what it is", async (_, returned, result) => {
    expect((await outcomeOf(untyped(returned))).result).toEqual(result);
  });
});

describe("what a handler throws", () => {
  it("is the result's error and nothing the room is told", async () => {
    const { result, said } = await outcomeOf(() => {
      throw new TypeError("cannot read properties of undefined");
    });
    expect(result).toEqual({ success: false, error: "cannot read properties of undefined" });
    expect(said).toEqual([]);
  });

  it.each([new ValidationError("There is no city Atlantis."), new ActionError("DO_IT", "The shop is closed.")])(
    "reaches the callback when it was written for people: %s",
    async (error) => {
      const { result, said } = await outcomeOf(async () => {
        throw error;
      });
      expect(result.error).toBe(error.message);
      expect(said).toEqual([{ text: error.message, actions: ["DO_IT"] }]);
    },
  );

  it("reaches the callback in the action's own words, or not at all", async () => {
    const boom: Handler = () => {
      throw new ValidationError("x < 3");
    };
    const described = await outcomeOf(boom, { describeError: () => "That did not work, sorry." });
    expect(described.said).toEqual([{ text: "That did not work, sorry.", actions: ["DO_IT"] }]);
    expect((await outcomeOf(boom, { describeError: () => undefined })).said).toEqual([]);
    const broken = await outcomeOf(boom, {
      describeError: () => {
        throw new Error("twice");
      },
    });
    expect(broken).toMatchObject({ said: [], result: { error: "x < 3" } });
  });

  it("is told only when nothing will be tried again", async () => {
    const retry = { attempts: 2, initialMs: 0, multiplier: 1, maxMs: 0 };
    let calls = 0;
    const runtime = await withAction(
      action(
        () => {
          calls += 1;
          if (calls === 1) throw new ActionError("DO_IT", "busy");
        },
        { retry },
      ),
    );
    const acting = runtime.act("DO_IT");
    await runtime.clock.advance(0);
    expect(await acting).toMatchObject({ result: { success: true }, said: [] });
    await runtime.close();
    const wrong = await outcomeOf(
      () => {
        throw new ValidationError("wrong");
      },
      { retry },
    );
    expect(wrong.said).toMatchObject([{ text: "wrong" }]);
  });
});

describe("what a handler is handed", () => {
  it("is parameters, keywords, earlier results, the state with their values, and a key for this very call", async () => {
    const seen: unknown[] = [];
    const runtime = await withAction(
      action(() => ({ success: true, values: { unit: "celsius" }, data: 21 }), { name: "FIRST" }),
      action(
        (_runtime, message, state, options) => {
          const first = options.actionContext.getPreviousResult("first");
          seen.push(message.content.text, state.values, options.parameters, options.keywords, first?.data);
          seen.push(options.idempotencyKey, options.actionContext.getPreviousResult("nobody"));
        },
        {
          name: "SECOND",
          parameters: [
            { name: "count", description: "How many.", schema: { type: "number" } },
            { name: "place", description: "Where.", schema: { type: "string", default: "here" } },
          ],
        },
      ),
    );
    await runtime.chain([{ name: "FIRST" }, { name: "SECOND", parameters: { count: "2" } }], {
      message: { text: "go" },
      keywords: ["like"],
      runId: "r",
    });
    await runtime.close();
    expect(seen).toEqual(["go", { unit: "celsius" }, { count: 2, place: "here" }, ["LIKE"], 21, "r/call-2", undefined]);
  });

  it("is a callback that delivers, is quiet about nothing, and refuses what is no content", async () => {
    const { result, said, streamed } = await outcomeOf(async (...[, , , options, callback]) => {
      const memories = await callback({ text: "One moment." });
      await callback({ text: "  " });
      options.onStreamChunk("a");
      options.onStreamChunk("b");
      await expect(callback({} as { text: string })).rejects.toThrow(/callback without a text/);
      return { success: true, data: memories.map(({ content }) => content.text) };
    });
    expect(result.data).toEqual(["One moment."]);
    expect(said).toEqual([{ text: "One moment.", actions: ["DO_IT"] }]);
    expect(streamed).toBe("ab");
  });
});

describe("validate", () => {
  it("keeps the action from running, with its reason", async () => {
    const { result, refused } = await outcomeOf(() => true, {
      validate: async () => ({ pass: false, reason: "the shop is closed" }),
    });
    expect(refused).toBe("validate");
    expect(result.error).toContain("the shop is closed");
  });

  it("says no when it throws", async () => {
    const { result } = await outcomeOf(() => true, {
      validate: () => {
        throw new Error("no shop at all");
      },
    });
    expect(result.error).toContain("no shop at all");
  });
});

it("runs further actions within an action", async () => {
  const runtime = await withAction(
    action(() => ({ success: true, data: 42 }), { name: "INNER" }),
    action(
      async (facade, message) => {
        const [inner] = await facade.processActions(message, [{ name: "INNER" }]);
        return { success: true, data: [inner?.data ?? null] };
      },
      { name: "OUTER" },
    ),
    action(async (facade, message) => void (await facade.processActions(message, [{ name: "SELF" }])), {
      name: "SELF",
    }),
  );
  expect((await runtime.act("OUTER")).result.data).toEqual([42]);
  expect((await runtime.act("SELF")).result.success).toBe(true);
  const message = await runtime.hear({ text: "hi" });
  await expect(runtime.runtime.processActions(message, [{ name: "INNER" }])).rejects.toThrow(
    /inside an action's handler only/,
  );
  await runtime.close();
});

it("calls cleanup when the chain is over", async () => {
  const done: string[] = [];
  const runtime = await withAction(
    action((facade) => ({ success: true, cleanup: () => void done.push(facade.agentId === "" ? "" : "cleaned") })),
  );
  await runtime.act("DO_IT");
  await runtime.close();
  expect(done).toEqual(["cleaned"]);
});

it("undoes what an action did, as part of its own work", async () => {
  const undone: unknown[] = [];
  const { runtime, hear, close } = await createTestRuntime();
  const bound = bindAction(
    action(() => true, {
      rollback: async ({ memories }, { roomId, entityId, content }, result) => {
        const note = { roomId, entityId, type: "fact", content: { text: "undone" } } as const;
        undone.push((await memories.create(note)).id, content.text, result.data);
      },
    }),
    runtime,
  );
  const message = await hear({ text: "never mind" });
  if ("control" in bound) throw new Error("a plugin's action has a handler");
  const { signal } = new AbortController();
  await bound.rollback?.({ message, parameters: {}, signal }, { success: true, data: 1 });
  await bound.rollback?.({ message, parameters: {}, signal }, { success: true, data: 1 });
  expect(undone.slice(1, 3)).toEqual(["never mind", 1]);
  expect(undone[3]).toBe(undone[0]);
  await close();
});
