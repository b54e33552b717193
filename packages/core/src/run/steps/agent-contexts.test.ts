import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { context } from "../../context/context.ts";
import { contextAction } from "../../context/context-action.ts";
import type { RunReport, StepReport } from "../../context/context-frame.ts";
import { contextOutput } from "../../context/context-output.ts";
import { ModelError } from "../../errors.ts";
import { createStages } from "../../testing/stage.ts";
import type { PartialEntry } from "./context-feed.ts";

const stages = createStages();
afterEach(() => stages.close());

const counterOf = (
  more: Partial<
    Parameters<typeof context<z.ZodObject<{ name: z.ZodString }>, z.ZodObject<{ count: z.ZodNumber }>>>[0]
  > = {},
) =>
  context({
    type: "counter",
    schema: z.object({ name: z.string() }),
    state: z.object({ count: z.number() }),
    key: ({ name }) => name,
    create: () => ({ count: 0 }),
    instructions: "You count things.",
    render: ({ state, key }) => `${key}: ${state.count}`,
    ...more,
  }).action({
    name: "ADD",
    description: "Counts one more.",
    handler: async (_, { ctx }) => {
      const { count } = await ctx.update((state) => ({ count: state.count + 1 }));
      return { success: true, data: { count } };
    },
  });
const counter = counterOf();
const add = '<action name="ADD">{}</action>';
const words = (messages: readonly { readonly content: string }[]) => messages.map(({ content }) => content).join("\n");

describe("a context", () => {
  it("has its own actions and state, shown anew in each step", async () => {
    const { agent, model } = await stages.open({ script: [add + add, "Two."], contexts: { contexts: [counter] } });
    const { outcome, entries } = await agent.run(counter.ref({ name: "apples" }), "count two");
    expect(outcome).toBe("answered");
    expect(words(model.requests[0]?.messages ?? [])).toMatch(
      /You count things[\s\S]*- ADD: Counts one more[\s\S]*count two[\s\S]*apples: 0/,
    );
    expect(words(model.requests[1]?.messages ?? [])).toMatch(/apples: 2/);
    expect(await agent.getContext(counter.ref({ name: "apples" }))).toMatchObject({
      type: "counter",
      key: "apples",
      state: { count: 2 },
    });
    expect(entries.at(-1)?.body).toMatchObject({ type: "end", outcome: "answered" });
  });

  it("runs once at a time: what is sent meanwhile joins, and each promise resolves with its own step", async () => {
    const { agent } = await stages.open({
      script: [add, "Both."],
      contexts: {
        contexts: [counterOf({ onStep: async () => void (second ??= agentSend("two")) })],
      },
    });
    let second: Promise<unknown> | undefined;
    const agentSend = (text: string) => agent.send(counter.ref({ name: "a" }), text);
    const first = await agentSend("one");
    expect(first.isCovered).toBe(true);
    expect(await second).toMatchObject({ runId: first.runId, isCovered: true });
  });

  it("is told what became of an input whose run failed", async () => {
    const { agent } = await stages.open({ script: () => ({ error: new ModelError("unauthorized", "Wrong key.") }) });
    expect(await agent.send(counter.ref({ name: "a" }), "hi")).toMatchObject({
      isCovered: false,
      outcome: "failed",
      reason: "Wrong key.",
    });
  });

  it("asks a failing model again, a bounded number of times, ever later, where its hook says so", async () => {
    const failures: number[] = [];
    const stage = await stages.open({
      script: () => ({ error: new ModelError("unavailable", "Overloaded.") }),
      contexts: { contexts: [counterOf({ onError: ({ attempt }) => (failures.push(attempt), "retry") })] },
    });
    const sent = stage.agent.send(counter.ref({ name: "a" }), "hi");
    let isOver = false;
    void sent.then(() => (isOver = true));
    for (let waits = 0; waits < 200 && !isOver; waits++) await stage.clock.advance(1_000);
    expect(await sent).toMatchObject({ outcome: "failed" });
    expect(failures).toEqual([1, 2, 3, 4, 5]);
    expect(stage.model.requests).toHaveLength(6);
  });

  it("goes on when its hooks throw, and may end or lengthen a run by them", async () => {
    const steps: StepReport[] = [];
    const runs: RunReport[] = [];
    const { agent, model } = await stages.open({
      script: ["One.", "Two.", "Three."],
      contexts: {
        contexts: [
          counterOf({
            onStep: (report) => {
              steps.push(report);
              throw new Error("no");
            },
            shouldContinue: ({ step }) => step < 2,
            onRun: (report) => void runs.push(report),
          }),
        ],
      },
    });
    const { outcome, runId } = await agent.run(counter.ref({ name: "a" }), "hi");
    expect(outcome).toBe("answered");
    expect(model.requests).toHaveLength(2);
    expect(steps.map(({ step, text }) => [step, text])).toEqual([
      [1, "One."],
      [2, "Two."],
    ]);
    await expect.poll(() => runs).toMatchObject([{ runId, outcome: "answered", text: "Two.", steps: 2 }]);
  });

  it("has outputs of its own, whose failures the model sees", async () => {
    const mails: unknown[] = [];
    const mail = contextOutput({
      name: "mail",
      description: "Sends a mail.",
      attributes: z.object({ to: z.string() }),
      handler: ({ attributes, content }) => {
        if (attributes.to === "nobody") throw new Error("no such address");
        mails.push([attributes.to, content]);
      },
    });
    const { agent, model } = await stages.open({
      script: [
        '<output name="mail" to="bo">Hello &lt;Bo&gt;</output><output name="mail" to="nobody">x</output><output name="fax">y</output>',
        "Sent one.",
      ],
    });
    await agent.run(counter.ref({ name: "a" }), "mail them", { outputs: [mail] });
    expect(mails).toEqual([["bo", "Hello <Bo>"]]);
    expect(words(model.requests[0]?.messages ?? [])).toContain('<output name="mail">: Sends a mail.');
    const news = words(model.requests[1]?.messages ?? []);
    expect(news).toMatch(/<result output="mail" call="calls\[1\]">.*no such address/);
    expect(news).toMatch(
      /<result output="fax" call="calls\[2\]">.*There is no output fax\. There are: message, mail\./,
    );
    expect(news).not.toContain('call="calls[0]"');
  });

  it("takes what a run brings beside it, for this run alone", async () => {
    let ran = 0;
    const extra = contextAction({ name: "EXTRA", description: "More.", handler: () => void (ran += 1) });
    const { agent } = await stages.open({
      script: ['<action name="EXTRA">{}</action>', "Ok.", '<action name="EXTRA">{}</action>', "No."],
    });
    await agent.run(counter.ref({ name: "a" }), "first", { actions: [extra] });
    await agent.run(counter.ref({ name: "a" }), "second");
    expect(ran).toBe(1);
  });

  it("is called off by the signal of whoever asked, and says so", async () => {
    const off = new AbortController();
    const { agent, model } = await stages.open({ script: () => ({ pieces: [new Promise(() => undefined)] }) });
    const running = agent.run(counter.ref({ name: "a" }), "hi", { signal: off.signal });
    while (model.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    off.abort();
    expect(await running).toMatchObject({ outcome: "aborted" });
    expect(model.requests).toHaveLength(1);
  });

  it("tells those who follow it what grows, and its journal in order", async () => {
    const partials: PartialEntry[] = [];
    const seqs: number[] = [];
    let thinking = "";
    const { agent } = await stages.open({
      script: [`<thought>I shall count.</thought>${add}<output>Counting your apples now.</output>`, "Done."],
      contexts: { contexts: [counter] },
    });
    const { entries } = await agent.run(counter.ref({ name: "a" }), "hi", {
      onEntry: ({ seq }) => seqs.push(seq),
      onPartial: (partial) => partials.push(partial),
      onThinking: (delta) => (thinking += delta),
    });
    const text = (id: string) =>
      partials
        .filter((partial) => partial.id.endsWith(id))
        .map(({ delta }) => delta)
        .join("");
    expect([thinking, text("/1.thought"), text("/1.text")]).toEqual([
      "I shall count.",
      "I shall count.",
      "Counting your apples now.",
    ]);
    expect(partials.find(({ kind }) => kind === "call")).toMatchObject({
      name: "ADD",
      id: expect.stringMatching(/\/1\.0$/),
    });
    expect(partials.filter(({ id }) => id.endsWith("/1.text")).at(-1)).toMatchObject({ isDone: true });
    expect(seqs).toEqual(entries.map(({ seq }) => seq));
    const types = entries.map(({ body }) => body.type);
    expect(types.indexOf("action_call")).toBeLessThan(types.indexOf("action_result"));
  });

  it("may send to another context, and hand over to its own room, without waiting for itself", async () => {
    const other = counterOf();
    const ask = context({ type: "asking" }).action({
      name: "ASK",
      description: "Asks the counter.",
      handler: async () => ({
        success: true,
        data: { covered: (await stage.agent.send(other.ref({ name: "x" }), "and you?")).isCovered },
      }),
    });
    const stage = await stages.open({
      script: ({ messages }) => {
        const all = words(messages);
        if (all.includes("and you?")) return "I am well.";
        return all.includes('<result action="ASK"') ? "It is well." : '<action name="ASK">{}</action>';
      },
    });
    const { entries } = await stage.agent.run(ask.ref(), "how is it?");
    expect(entries.find(({ body }) => body.type === "action_result")?.body).toMatchObject({
      success: true,
      data: { covered: true },
    });
  });
});
