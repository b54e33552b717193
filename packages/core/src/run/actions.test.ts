import { afterEach, describe, expect, it } from "vitest";
import type { ActionCall, ActionResult, RegisteredAction } from "../action/action.ts";
import type { RegisteredEvaluator } from "../plugin/bind-evaluator.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createStages } from "../testing/stage.ts";
import type { EntryBody } from "./entry.ts";

const stages = createStages();
afterEach(() => stages.close());

const asking = (text: string, ...actions: readonly (string | { name: string; parameters: unknown })[]): string =>
  JSON.stringify({ thought: "so", actions, text });

type Shape = Partial<Extract<RegisteredAction, { run: unknown }>>;
const action = (
  name: string,
  run: (call: ActionCall) => Promise<ActionResult> | ActionResult,
  more: Shape = {},
): RegisteredAction => ({
  name,
  description: `Does ${name}.`,
  similes: [],
  run: async (call) => run(call),
  ...more,
});

const weather = (
  run: (call: ActionCall) => ActionResult = ({ parameters }) => ({
    success: true,
    text: `Sunny in ${parameters["city"]}.`,
  }),
) =>
  action("WEATHER", run, {
    parameters: [{ name: "city", description: "Where", required: true, schema: { type: "string" } }],
  });

const results = (bodies: readonly EntryBody[]) =>
  bodies.flatMap((body) => (body.type === "action_result" ? [body] : []));

describe("an action", () => {
  it("is offered with its parameters, gets them checked, and its text is told", async () => {
    const { say, texts, model } = await stages.open({
      script: [asking("One moment.", { name: "weather", parameters: { city: "94102", extra: 1 } })],
      actions: [weather()],
    });
    await say("how is the weather?");
    expect(texts()).toEqual(["One moment.", "Sunny in 94102."]);
    expect(model.requests[0]?.messages[0]?.content).toMatch(/- WEATHER: Does WEATHER\. Parameters: \{.*"city"/);
    expect(model.requests).toHaveLength(1);
  });

  it("is not begun with wrong parameters; the model is shown what is wrong and mends it once", async () => {
    const { say, texts, model, journal } = await stages.open({
      script: [
        asking("One moment.", { name: "WEATHER", parameters: {} }),
        asking("", { name: "WEATHER", parameters: { city: "Rome" } }),
      ],
      actions: [weather()],
    });
    await say("weather?");
    expect(texts()).toEqual(["One moment.", "Sunny in Rome."]);
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/<results>\n.*city.*required.*\n<\/results>/s);
    expect(results(await journal()).map(({ success, refused }) => [success, refused])).toEqual([
      [false, "parameters"],
      [true, undefined],
    ]);
  });

  it("is asked for again, in the right order, when the model left out what must come first", async () => {
    const find = action("FIND", () => ({ success: true }));
    const tell = action("TELL", () => ({ success: true, text: "Here." }), { policy: { dependencies: ["FIND"] } });
    const { say, texts, model } = await stages.open({
      script: [asking("One moment.", "TELL"), asking("", "FIND", "TELL")],
      actions: [find, tell],
    });
    await say("where?");
    expect(texts()).toEqual(["One moment.", "Here."]);
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/FIND must have succeeded.*in the right order/s);
  });

  it("is not asked for again when what must come first was tried and failed", async () => {
    const find = action("FIND", () => ({ success: false, error: "nothing there" }));
    const tell = action("TELL", () => ({ success: true }), { policy: { dependencies: ["FIND"] } });
    const { say, model } = await stages.open({
      script: [asking("One moment.", "FIND", "TELL")],
      actions: [find, tell],
    });
    await say("where?");
    expect(model.requests).toHaveLength(1);
  });

  it("passes its values on to the next, in order", async () => {
    const { say, texts } = await stages.open({
      script: [asking("", "FIND", "TELL")],
      actions: [
        action("FIND", () => ({ success: true, values: { place: "the attic" }, data: { key: 7 } })),
        action("TELL", ({ state, previousResults }) => ({
          success: true,
          text: `It is in ${state.values["place"]}, ${JSON.stringify(previousResults[0]?.result.data)}.`,
        })),
      ],
    });
    await say("where is it?");
    expect(texts()).toEqual(['It is in the attic, {"key":7}.']);
  });

  it("fails alone: the next one runs, and the failure is journalled", async () => {
    const { say, texts, journal } = await stages.open({
      script: [asking("", "BREAK", "GREET")],
      actions: [
        action("BREAK", () => {
          throw new Error("no luck");
        }),
        action("GREET", () => ({ success: true, text: "Hello." })),
      ],
    });
    await say("go");
    expect(texts()).toEqual(["Hello."]);
    expect(results(await journal()).map(({ success, error }) => [success, error])).toEqual([
      [false, "no luck"],
      [true, undefined],
    ]);
  });

  it("ends the chain when it says so, and is cleaned up after", async () => {
    const happened: string[] = [];
    const { say, journal } = await stages.open({
      script: [asking("", "FIRST", "SECOND")],
      actions: [
        action("FIRST", () => ({ success: true, continueChain: false, cleanup: () => void happened.push("cleaned") })),
        action("SECOND", () => {
          happened.push("second ran");
          return { success: true };
        }),
      ],
    });
    await say("go");
    expect(happened).toEqual(["cleaned"]);
    expect(results(await journal()).at(-1)).toMatchObject({ success: false, refused: "chain-ended" });
  });

  it("says intermediate messages through the outbox, in order, each once", async () => {
    const { say, texts, store, agent } = await stages.open({
      script: [asking("Looking.", "LOOK")],
      actions: [
        action("LOOK", async (call) => {
          const said = await call.say({ text: "Still looking." });
          return { success: true, text: `Found, after ${said.length} message.` };
        }),
      ],
    });
    await say("look");
    expect(texts()).toEqual(["Looking.", "Still looking.", "Found, after 1 message."]);
    expect((await store.outbox.list(agent.agentId, { limit: 9 })).map(({ state }) => state)).toEqual([
      "sent",
      "sent",
      "sent",
    ]);
  });

  it("streams words to the room that become one exact message", async () => {
    const { say, texts, clock, client, agent } = await stages.open({
      script: [asking("", "STORY")],
      client: { edits: { intervalMs: 0 } },
      actions: [
        action("STORY", async (call) => {
          for (const word of ["Once ", "upon ", "a time."]) {
            call.stream(word);
            await new Promise((resolve) => setImmediate(resolve));
          }
          return { success: true, text: "Once upon a time." };
        }),
      ],
    });
    void say;
    await client.hear("tell me");
    await clock.advance(0);
    await agent.idle();
    expect(texts()).toEqual(["Once upon a time."]);
  });

  it("is asked whether it makes sense for the prompt, and again before it runs", async () => {
    const locked = action("OPEN", () => ({ success: true, text: "Open." }), {
      validate: async () => ({ pass: false, reason: "the door is locked" }),
    });
    const { say, texts, model, journal } = await stages.open({
      script: [asking("Trying.", "OPEN")],
      actions: [locked],
    });
    await say("open it");
    expect(model.requests[0]?.messages[0]?.content).not.toContain("OPEN");
    expect(texts()).toEqual(["Trying."]);
    expect(results(await journal())[0]).toMatchObject({
      success: false,
      refused: "validate",
      error: expect.stringContaining("the door is locked"),
    });
  });

  it("waits for what it depends on, and takes that back when it fails", async () => {
    const undone: string[] = [];
    const reserve = action("RESERVE", () => ({ success: true, data: { seat: 4 } }), {
      rollback: async (_call, result) => void undone.push(JSON.stringify(result.data)),
    });
    const pay = action("PAY", () => ({ success: false, error: "no money" }), { policy: { dependencies: ["RESERVE"] } });
    const both = await stages.open({ script: [asking("", "RESERVE", "PAY")], actions: [reserve, pay] });
    await both.say("book");
    expect(undone).toEqual(['{"seat":4}']);
    expect(await both.journal()).toContainEqual({ type: "action_rolled_back", callId: "1.0", success: true });
    const alone = await stages.open({ script: [asking("", "PAY")], actions: [reserve, pay] });
    await alone.say("pay");
    expect(results(await alone.journal())[0]).toMatchObject({ refused: "dependency" });
  });

  it("is held to its rate, with the reason", async () => {
    const limited = action("PING", () => ({ success: true, text: "pong" }), {
      policy: { rateLimit: { limit: 1, windowMs: 60_000, per: "room" } },
    });
    const { say, texts, clock } = await stages.open({ script: () => asking("", "PING"), actions: [limited] });
    await say("ping");
    await say("ping");
    await clock.advance(60_000);
    await say("ping");
    expect(texts()).toEqual(["pong", "pong"]);
  });

  it("may run others within it, bounded, never in a circle", async () => {
    const { say, texts, journal } = await stages.open({
      script: [asking("", "OUTER")],
      actions: [
        action("OUTER", async (call) => {
          const [inner, unknown] = await call.act([{ name: "INNER" }, { name: "NOWHERE" }]);
          return { success: true, text: `inner said ${inner?.error ?? inner?.text}; ${unknown?.error}` };
        }),
        action("INNER", async (call) => {
          const [circle] = await call.act([{ name: "OUTER" }]);
          return { success: false, error: circle?.error ?? "none" };
        }),
      ],
    });
    await say("go");
    expect(texts()[0]).toMatch(/inner said .*OUTER.*There is no action NOWHERE/s);
    expect(results(await journal()).map(({ callId, refused }) => [callId, refused])).toEqual([
      ["1.0.0.0", "circle"],
      ["1.0.0", undefined],
      ["1.0.1", "unknown"],
      ["1.0", undefined],
    ]);
  });

  it("has its result shown to the model where the character allows more steps", async () => {
    const { say, texts, model } = await stages.open({
      script: [asking("", { name: "WEATHER", parameters: { city: "Rome" } }), asking("Take a hat.")],
      actions: [weather()],
      character: { settings: { maxSteps: 2 } },
    });
    await say("weather in Rome?");
    expect(texts()).toEqual(["Take a hat."]);
    expect(model.requests[1]?.messages.at(-1)?.content).toContain("Sunny in Rome.");
  });

  it("runs alone where only the first action of an answer counts", async () => {
    const { say, texts } = await stages.open({
      script: [asking("", "ONE", "TWO")],
      actions: [
        action("ONE", () => ({ success: true, text: "one" })),
        action("TWO", () => ({ success: true, text: "two" })),
      ],
      character: { settings: { actionPlanning: false } },
    });
    await say("both");
    expect(texts()).toEqual(["one"]);
  });

  it("is not repeated after a crash, unless it says that this does no harm", async () => {
    for (const idempotent of [false, true]) {
      const store = createMemoryStore();
      let runs = 0;
      const hanging = action(
        "SEND",
        () => (runs++ === 0 ? new Promise<never>(() => undefined) : { success: true, text: "done" }),
        { policy: { idempotent } },
      );
      const first = await stages.open({ script: [asking("", "SEND")], actions: [hanging], store });
      await first.client.hear("send");
      await first.clock.advance(0);
      await first.agent.stop(0);
      const second = await stages.open({ script: [], actions: [hanging], store });
      await second.agent.idle();
      expect(runs).toBe(idempotent ? 2 : 1);
      expect(second.texts()).toEqual(idempotent ? ["done"] : []);
      expect(results(await second.journal()).at(-1)).toMatchObject(
        idempotent ? { success: true } : { success: false, refused: "interrupted" },
      );
    }
  });
});

describe("a provider that waits to be asked", () => {
  it("is named to the model, and shown in one more step", async () => {
    const { say, texts, model } = await stages.open({
      script: [JSON.stringify({ providers: ["FACTS"], text: "" }), asking("You like tea.")],
      providers: [
        {
          name: "FACTS",
          position: 5,
          isDynamic: true,
          description: "What is known of people",
          get: () => ({ text: "Bo likes tea." }),
        },
      ],
    });
    await say("what do I like?");
    expect(texts()).toEqual(["You like tea."]);
    expect(model.requests[0]?.messages[0]?.content).toContain("- FACTS: What is known of people");
    expect(model.requests[0]?.messages.at(-1)?.content).not.toContain("Bo likes tea.");
    expect(model.requests[1]?.messages.at(-1)?.content).toContain("Bo likes tea.");
  });
});

const evaluator = (name: string, more: Partial<RegisteredEvaluator>): RegisteredEvaluator => ({
  name,
  description: name,
  similes: [],
  alwaysRun: false,
  validate: async () => true,
  run: async () => undefined,
  ...more,
});
const reviewer = (name: string, review: RegisteredEvaluator["review"]): RegisteredEvaluator =>
  evaluator(name, { validate: async () => false, ...(review && { review }) });

describe("an evaluator", () => {
  it("looks at an exchange after it is over, once, with what was said", async () => {
    const seen: string[] = [];
    const { say } = await stages.open({
      script: [asking("Hello.")],
      evaluators: [
        evaluator("FACTS", {
          run: async ({ message, responses }) =>
            void seen.push(`${message.content.text} / ${responses[0]?.content.text}`),
        }),
      ],
    });
    await say("hi");
    expect(seen).toEqual(["hi / Hello."]);
  });

  it("that fails is tried again later and never touches the reply", async () => {
    let tries = 0;
    const flaky = evaluator("FLAKY", {
      run: async () => {
        tries += 1;
        if (tries === 1) throw new Error("no luck");
      },
    });
    const { say, texts, clock, agent } = await stages.open({ script: [asking("Hello.")], evaluators: [flaky] });
    await say("hi");
    expect([texts(), tries]).toEqual([["Hello."], 1]);
    await clock.advance(60_000);
    await agent.idle();
    expect(tries).toBe(2);
  });

  it("looks at silence only when it always runs", async () => {
    const seen: string[] = [];
    const { say } = await stages.open({
      script: ["[IGNORE]"],
      evaluators: [
        evaluator("SOMETIMES", { run: async () => void seen.push("sometimes") }),
        evaluator("ALWAYS", { alwaysRun: true, run: async () => void seen.push("always") }),
      ],
    });
    await say("hi");
    expect(seen).toEqual(["always"]);
  });
});

describe("a reviewer", () => {
  it("may say an answer differently before anything is sent", async () => {
    const { say, texts } = await stages.open({
      script: [asking("The code is 1234.")],
      evaluators: [reviewer("DISCREET", async () => ({ verdict: "amend", text: "The code is secret." }))],
    });
    await say("code?");
    expect(texts()).toEqual(["The code is secret."]);
  });

  it("may hold it back with everything it asked for, visibly", async () => {
    let ran = false;
    const { say, texts, events } = await stages.open({
      script: [asking("The code is 1234.", "GIVE")],
      actions: [action("GIVE", () => ((ran = true), { success: true }))],
      evaluators: [reviewer("DISCREET", async () => ({ verdict: "veto", reason: "a secret" }))],
    });
    await say("code?");
    expect([texts(), ran]).toEqual([[], false]);
    expect(events.at(-1)).toMatchObject({ type: "RUN_ENDED", reason: expect.stringContaining("a secret") });
  });

  it("that fails holds nothing back", async () => {
    const { say, texts } = await stages.open({
      script: [asking("Hello.")],
      evaluators: [reviewer("BROKEN", () => Promise.reject(new Error("no network")))],
    });
    await say("hi");
    expect(texts()).toEqual(["Hello."]);
  });
});

describe("native tool calls", () => {
  it("mean what the same actions mean in JSON", async () => {
    const { say, texts, model } = await stages.open({
      script: [{ text: "One moment.", calls: [{ name: "WEATHER", input: { city: "Rome" } }] }],
      actions: [weather()],
      character: { settings: { responseFormat: "tools" } },
    });
    await say("weather in Rome?");
    expect(texts()).toEqual(["One moment.", "Sunny in Rome."]);
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toContain("WEATHER");
    expect(model.requests[0]?.messages[0]?.content).not.toContain("# Actions");
  });
});
