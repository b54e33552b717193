import { afterEach, describe, expect, it } from "vitest";
import type { RegisteredAction } from "../action/action.ts";
import { createActionFilter } from "../action/action-filter.ts";
import { type Log, silentLog } from "../log.ts";
import type { Action } from "../plugin/action-shape.ts";
import type { Plugin } from "../plugin/plugin.ts";
import { createStages, type Stage, stageCharacter } from "../testing/stage.ts";
import { createTestRuntime } from "../testing/test-runtime.ts";
import { createActionFilters } from "./action-filters.ts";

const stages = createStages();
afterEach(() => stages.close());

const done: string[] = [];
const action = (name: string, tags: readonly string[], handler?: Action["handler"]): Action => ({
  name,
  description: `Does ${name}.`,
  tags,
  validate: () => true,
  handler: handler ?? (() => void done.push(name)),
});
const desk: Plugin = {
  name: "desk",
  actions: [
    action("BUY", ["trading", "money"]),
    action("QUOTE_PRICE", ["trading"]),
    action("WAVE", []),
    action("ASK_BUYER", [], async (runtime, message) => {
      const [result] = await runtime.processActions(message, [{ name: "BUY" }]);
      return { success: true, data: result?.error ?? "bought" };
    }),
  ],
};
const answer = (...actions: readonly string[]): string => JSON.stringify({ actions, text: "Well." });
const prompted = ({ model }: Stage): string => JSON.stringify(model.requests.at(-1)?.messages);

describe("a character's choice of actions", () => {
  it("is what the model is offered, and nothing else runs", async () => {
    done.length = 0;
    const character = { settings: { actions: { exclude: ["Money"] } } };
    const stage = await stages.open({ script: [answer("BUY", "WAVE")], plugins: [desk], character });
    await stage.say("hello");
    expect(prompted(stage)).toContain("- QUOTE_PRICE:");
    expect(prompted(stage)).not.toContain("- BUY:");
    expect(done).toEqual(["WAVE"]);
    const reason = "settings.actions.exclude names its tag money";
    const journal = await stage.journal();
    expect(journal).toContainEqual(
      expect.objectContaining({ type: "state", withheld: [{ reason, actions: ["BUY"] }] }),
    );
    expect(journal).toContainEqual(
      expect.objectContaining({
        type: "action_result",
        refused: "filtered",
        error: `BUY was not run: it may not be used here, for ${reason}.`,
      }),
    );
  });

  it("holds for what an action asks for, too", async () => {
    const character = { settings: { actions: { exclude: ["BUY"] } } };
    const stage = await stages.open({ script: [answer("ASK_BUYER")], plugins: [desk], character });
    await stage.say("hello");
    expect(await stage.journal()).toContainEqual(
      expect.objectContaining({ data: expect.stringContaining("settings.actions.exclude names it") }),
    );
  });

  it("leaves native tools out as well", async () => {
    const character = { settings: { responseFormat: "tools", actions: { include: ["wave"] } } };
    const stage = await stages.open({ script: [answer()], plugins: [desk], character });
    await stage.say("hello");
    const tools = stage.model.requests[0]?.tools?.map(({ name }) => name) ?? [];
    expect(tools).toContain("WAVE");
    expect(tools).toContain("IGNORE");
    expect(tools).not.toContain("BUY");
    expect(tools).not.toContain("FOLLOW_ROOM");
  });

  it("may differ by platform and by room, and the room may say something itself", () => {
    const character = stageCharacter({
      settings: { actions: { exclude: ["general"], rooms: { den: { include: "trading" } } } },
      platforms: { discord: { actions: { include: ["WAVE"] } } },
    });
    const filters = createActionFilters(character);
    const room = { id: "r", account: "a", channelType: "group" } as const;
    const buy = { name: "BUY", description: "", similes: [], tags: ["trading"], run: async () => ({ success: true }) };
    const why = (platform: string, platformId: string, data = {}) =>
      filters({ ...room, platform, platformId, data }).refusal(buy);
    expect(why("telegram", "den")).toBeNull();
    expect(why("telegram", "lobby")).toBeNull();
    expect(why("telegram", "lobby", { actions: { exclude: ["buy"] } })).toBe("the room's own actions.exclude names it");
    expect(why("telegram", "lobby", { actions: { exclude: 7 } })).toBeNull();
    expect(why("discord", "den")).toBe("platforms.discord.actions.include names neither it nor its tags");
  });

  it("of which a word means nothing is told at the start, with what was probably meant", async () => {
    const warnings: string[] = [];
    const log: Log = { ...silentLog, warn: (_, text) => void warnings.push(text), child: () => log };
    const character = {
      settings: { actions: { exclude: ["tradnig", "WAVE"], rooms: { den: { include: ["nothing at all"] } } } },
    };
    await stages.open({ script: [], plugins: [desk], character, log });
    expect(warnings).toEqual([
      "settings.actions names tradnig, which is neither an action nor a tag; did you mean trading?",
      'settings.actions.rooms["den"] names nothing at all, which is neither an action nor a tag; correct it, or add the plugin it comes from',
    ]);
  });

  it("counts in a test runtime, too", async () => {
    const character = { name: "Ada", settings: { actions: { include: ["trading"] } } };
    const { act, close } = await createTestRuntime({ plugins: [desk], character });
    expect((await act("WAVE")).refused).toBe("filtered");
    expect((await act("BUY")).result.success).toBe(true);
    await close();
  });
});

describe("createActionFilter", () => {
  const named = (name: string, more: object = {}): RegisteredAction => ({
    name,
    description: "",
    similes: [],
    run: async () => ({ success: true }),
    ...more,
  });

  it("never withholds what only steers the conversation", () => {
    const reply: RegisteredAction = { name: "REPLY", description: "", similes: [], control: "reply" };
    const filter = createActionFilter([{ where: "x", choice: { include: [], exclude: ["REPLY"] } }]);
    expect(filter.refusal(reply)).toBeNull();
    expect(filter.refusal(named("A"))).toBe("x.include names neither it nor its tags");
  });

  it("goes by names, other names and tags, case and separators aside, and gives the same list for the same list", () => {
    const actions = [
      named("BUY_NOW"),
      named("SELL", { similes: ["BUY-LESS"] }),
      named("WAVE", { tags: ["Small Talk"] }),
    ];
    const filter = createActionFilter([{ where: "x", choice: { exclude: ["buynow", "buy less", "small_talk"] } }]);
    const { actions: allowed, withheld } = filter.apply(actions);
    expect(allowed).toEqual([]);
    expect(withheld.map(({ reason }) => reason)).toEqual([
      "x.exclude names it",
      "x.exclude names its other name BUY-LESS",
      "x.exclude names its tag Small Talk",
    ]);
    expect(filter.apply(actions).actions).toBe(allowed);
    expect(createActionFilter([]).apply(actions).actions).toBe(actions);
  });
});
