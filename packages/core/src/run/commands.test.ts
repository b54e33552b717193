import { afterEach, describe, expect, it } from "vitest";
import { checkAction } from "../action/check-action.ts";
import { StoreError } from "../errors.ts";
import type { Action } from "../plugin/action-shape.ts";
import type { Store } from "../store/store.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createStages, type Setting } from "../testing/stage.ts";
import { commandList, resolveCommand } from "./commands.ts";

const stages = createStages();
afterEach(() => stages.close());

const weather = (more: Partial<Action> = {}): Action => ({
  name: "GET_WEATHER",
  similes: ["FORECAST"],
  description: "Says how the weather is. Not for the past.",
  command: "weather",
  parameters: [
    { name: "city", description: "Where.", required: true, schema: { type: "string" } },
    { name: "days", description: "How far ahead.", schema: { type: "number", default: 1 } },
  ],
  validate: () => true,
  handler: (_runtime, _message, _state, { parameters }) => ({
    success: true,
    text: `Sunny in ${String(parameters["city"])} for ${JSON.stringify(parameters["days"])} day.`,
  }),
  ...more,
});

const open = (action: Action | null, more: Partial<Setting> = {}) =>
  stages.open({ script: [], ...(action && { plugins: [{ name: "p", actions: [action] }] }), ...more });

/** Somebody asks for it by name, and everything that causes happens. */
async function command(name: string, parameters = {}, setting: Parameters<typeof open> = [weather()]) {
  const stage = await open(...setting);
  await stage.client.hear(`/${name}`, { command: { name, parameters } });
  await stage.agent.idle();
  return stage;
}

describe("a command", () => {
  it("runs the action it names, without a model, and is journalled like any call", async () => {
    const { texts, model, journal } = await command("weather", { city: "Rome", days: "2" });
    expect(texts()).toEqual(["Sunny in Rome for 2 day."]);
    expect(model.requests).toEqual([]);
    const bodies = await journal();
    expect(bodies.find(({ type }) => type === "action_call")).toMatchObject({
      name: "GET_WEATHER",
      origin: "command",
      parameters: { city: "Rome", days: "2" },
    });
    expect(bodies.at(-1)).toMatchObject({ type: "end", outcome: "answered" });
  });

  it.each(["Weather", "forecast", "get_weather"])("may be called %s", async (name) => {
    expect((await command(name, { city: "Rome" })).texts()).toEqual(["Sunny in Rome for 1 day."]);
  });

  it("takes bare words for its first parameter", async () => {
    expect((await command("weather", { text: "New York" })).texts()).toEqual(["Sunny in New York for 1 day."]);
  });

  it("with wrong parameters is answered with what is wrong", async () => {
    const { texts, model } = await command("weather", {});
    expect(texts()).toEqual([expect.stringMatching(/parameters must be corrected\. city: is required/)]);
    expect(model.requests).toEqual([]);
  });

  it("that does not exist is answered with those that do", async () => {
    const { texts, journal } = await command("wether", { city: "Rome" });
    expect(texts()).toEqual([
      "There is no command /wether here. There are: /ask, /mute, /unmute, /why, /settings, /weather.",
    ]);
    expect(await journal()).toContainEqual(expect.objectContaining({ type: "action_result", refused: "unknown" }));
  });

  it("does not reach an action that does not ask for it", async () => {
    const { texts } = await command("weather", {}, [weather({ name: "WEATHER", command: false })]);
    expect(texts()).toEqual([expect.stringContaining("There is no command /weather here.")]);
  });

  it("always has an answer: what the action says, that it is done, or that it did not succeed", async () => {
    const answerOf = async (handler: Action["handler"]) =>
      (await command("weather", { city: "Rome" }, [weather({ handler })])).texts();
    expect(await answerOf(() => undefined)).toEqual(["Done."]);
    expect(await answerOf(() => ({ success: false, error: "No station there." }))).toEqual(["No station there."]);
    expect(
      await answerOf(() => {
        throw new Error("ECONNREFUSED 10.0.0.7");
      }),
    ).toEqual(["GET_WEATHER did not succeed."]);
    expect(
      await answerOf(async (...[, , , , callback]) => {
        await callback({ text: "Rain." });
      }),
    ).toEqual(["Rain."]);
  });

  it("is not learnt from: no evaluator looks at it", async () => {
    const seen: string[] = [];
    const evaluator = {
      name: "E",
      description: "e",
      similes: [],
      alwaysRun: true,
      validate: async () => true,
      run: async () => void seen.push("looked"),
    };
    await command("weather", { city: "Rome" }, [weather(), { evaluators: [evaluator] }]);
    expect(seen).toEqual([]);
  });

  it("mutes a group and brings the agent back", async () => {
    const stage = await open(null, { script: ["Hello again."] });
    const group = { channelType: "group" } as const;
    for (const name of ["mute", null, "unmute", null]) {
      const asked = name === null ? {} : { command: { name, parameters: {} } };
      await stage.client.hear(name === null ? "Ada?" : `/${name}`, { ...group, ...asked });
      await stage.agent.idle();
    }
    expect(stage.texts()).toEqual([
      "I am silent here now, until somebody says /unmute.",
      "I listen here again.",
      "Hello again.",
    ]);
  });
});

describe("a question that is asked by command", () => {
  it("goes to the model as the question it is", async () => {
    const stage = await open(null, { script: ["Forty-two."] });
    const asked = { command: { name: "ask", parameters: { question: "What is six times seven?" } } };
    await stage.client.hear("/ask question:…", { ...asked, channelType: "group" });
    await stage.agent.idle();
    expect(stage.texts()).toEqual(["Forty-two."]);
    expect(stage.model.requests[0]?.messages.at(-1)?.content).toContain(">What is six times seven?</message>");
  });

  it("is how a pressed button reaches the model, unless an action takes choices", async () => {
    const choice = { command: { name: "choose", parameters: { value: "blue" } } };
    const plain = await open(null, { script: ["Blue it is."] });
    await plain.client.hear("Blue", choice);
    await plain.agent.idle();
    expect(plain.texts()).toEqual(["Blue it is."]);
    const chooser = weather({
      command: "choose",
      parameters: [{ name: "value", description: "What.", required: true, schema: { type: "string" } }],
      handler: (_runtime, _message, _state, { parameters }) => ({
        success: true,
        text: `Took ${parameters["value"]}.`,
      }),
    });
    expect((await command("choose", { value: "blue" }, [chooser])).texts()).toEqual(["Took blue."]);
  });
});

describe("a command that a crash cut short", () => {
  /** The process ends when it commits for the `commits`th time; another one goes on. */
  const interrupted = async (action: Action, commits: number) => {
    const inner = createMemoryStore();
    const first = await open(action, { store: endingAfter(inner, commits) });
    await first.client.hear("/weather", { command: { name: "weather", parameters: { city: "Rome" } } });
    for (let turn = 0; turn < 20; turn++) await first.clock.advance(0);
    await first.agent.stop(0);
    const second = await open(action, { store: inner });
    await second.agent.idle();
    const shown = new Map([...first.client.shown(), ...second.client.shown()].map(({ nonce, text }) => [nonce, text]));
    return { journal: await second.journal(), said: [...shown.values()], asked: second.model.requests };
  };

  it("has its one answer wherever that was, and no model is asked", async () => {
    for (let commits = 0; commits < 8; commits++) {
      const { journal, said, asked } = await interrupted(weather({ idempotent: true }), commits);
      expect(said, `${commits}`).toEqual(["Sunny in Rome for 1 day."]);
      expect(asked).toEqual([]);
      expect(journal.filter(({ type }) => type === "action_call")).toHaveLength(1);
      expect(journal.at(-1)).toMatchObject({ type: "end", outcome: "answered" });
    }
  });

  it("says so where nobody can know whether the action took effect, and does nothing twice", async () => {
    const answers = new Set<string>();
    for (let commits = 0; commits < 8; commits++) {
      let runs = 0;
      const handler = () => ({ success: true, text: `Run ${++runs}.` });
      const { said } = await interrupted(weather({ handler }), commits);
      expect(said).toHaveLength(1);
      expect(runs).toBeLessThanOrEqual(1);
      answers.add(said[0]?.split(":")[0] ?? "");
    }
    expect(answers).toEqual(new Set(["Run 1.", "Interrupted"]));
  });
});

/** A store that takes so many commits of runs, and nothing after them. */
function endingAfter(store: Store, commits: number): Store {
  let left = commits;
  return {
    ...store,
    journal: {
      ...store.journal,
      async append(fence, append) {
        left -= 1;
        if (left < 0) throw new StoreError("unavailable", "the disk is gone");
        return store.journal.append(fence, append);
      },
    },
  };
}

describe("the list of commands", () => {
  it("is told by the agent, plugins' included, each in a sentence", async () => {
    const { agent } = await open(weather());
    const commands = agent.commands();
    expect(commands.map(({ name }) => name)).toEqual(["ask", "mute", "unmute", "why", "settings", "weather"]);
    expect(commands.at(-1)).toMatchObject({
      description: "Says how the weather is.",
      parameters: [{ name: "city" }, {}],
    });
    for (const { name, description } of commands) {
      expect(name).toMatch(/^[a-z0-9_-]{1,32}$/);
      expect([...description].length).toBeLessThanOrEqual(100);
    }
  });

  it("has an action under its own name when it says no other", () => {
    const action = { name: "BAKE BREAD", description: "x".repeat(300), similes: [], command: true } as const;
    const actions = [{ ...action, run: async () => ({ success: true }) }];
    expect(commandList(actions)[1]).toMatchObject({ name: "bake_bread", description: `${"x".repeat(99)}…` });
    expect(resolveCommand(actions, "bake-bread")).toBe(actions[0]);
  });

  it.each([
    ["ask", "the command ask is there already"],
    ["wetter!", '"wetter!" is no name for a command'],
    ["mute", "MUTE_ROOM has the command mute already"],
  ])("refuses an action that wants to be called %s", (name, why) => {
    const action = (more: object) => ({
      name: "X",
      description: "x",
      similes: [],
      run: async () => ({ success: true }),
      ...more,
    });
    const muting = action({ name: "MUTE_ROOM", command: "mute" });
    expect(() => checkAction(action({ command: name }), [muting])).toThrow(why);
  });
});
