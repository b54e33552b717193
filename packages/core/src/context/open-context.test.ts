import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ActionCall } from "../action/action.ts";
import { createEvents } from "../event/event.ts";
import type { Inbound } from "../inbox/inbound.ts";
import type { JsonObject } from "../json.ts";
import { type Log, silentLog } from "../log.ts";
import type { RoomRow } from "../store/store.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createSetClock } from "../testing/set-clock.ts";
import { context } from "./context.ts";
import { contextAction } from "./context-action.ts";
import type { ContextDefinition, ContextRef } from "./context-definition.ts";
import type { ContextFrame, OutputCall, RegisteredOutput, RunExtras } from "./context-frame.ts";
import { contextOutput } from "./context-output.ts";
import { placeOf } from "./context-ref.ts";
import { createContexts } from "./contexts.ts";
import { input, messages } from "./input.ts";
import { roomContext } from "./room-context.ts";

const agentId = "agent";
const lobby: RoomRow = {
  room: { id: "lobby", platform: "terminal", account: "a", platformId: "lobby", channelType: "dm" },
  stance: "default",
  world: null,
};

function bench(definitions: readonly ContextDefinition[] = [], log: Log = silentLog) {
  const clock = createSetClock(1_000);
  const store = createMemoryStore({ clock });
  const accepted: Inbound[] = [];
  let ids = 0;
  const contexts = createContexts({
    agentId,
    store,
    events: createEvents(log),
    clock,
    log,
    newId: () => `id-${(ids += 1)}`,
    accept: async (inbound) => {
      accepted.push(inbound);
      await store.inbox.accept(agentId, inbound, { at: clock.now() });
    },
  });
  contexts.bring("test", { contexts: definitions });
  const frame = async (contextId = "lobby", extras: RunExtras = {}, step = 1): Promise<ContextFrame> => {
    const room = (await store.rooms.room(agentId, contextId)) ?? lobby;
    const open = await contexts.source.open({ contextId, room, extras });
    return open.frame({ runId: "run", step, now: 1_000, signal: new AbortController().signal });
  };
  /** The frame of a context that was sent to. */
  const frameOf = async (ref: ContextRef, extras: RunExtras = {}): Promise<ContextFrame> => {
    await contexts.send(ref, "hello");
    return frame(placeOf(agentId, ref).id, extras);
  };
  return { clock, store, contexts, accepted, frame, frameOf };
}

/** As much of a call as actions of contexts look at. */
function call(parameters: JsonObject, callId = "1.1"): ActionCall {
  const { signal } = new AbortController();
  return { callId, runId: "run", parameters, signal } as unknown as ActionCall;
}

function outputCall(attributes: JsonObject, content: string): OutputCall {
  const { parameters: _, ...rest } = call({});
  return { ...rest, attributes, content };
}

async function act(frame: ContextFrame, name: string, parameters: JsonObject = {}, callId = "1.1") {
  const action = frame.actions.find((one) => one.name === name);
  if (!action || !("run" in action)) throw new Error(`no action ${name}`);
  return action.run(call(parameters, callId));
}

async function deliver(frame: ContextFrame, name: string, attributes: JsonObject, content: string) {
  const output = frame.outputs.find(
    (one): one is Extract<RegisteredOutput, { deliver: unknown }> => one.name === name && "deliver" in one,
  );
  if (!output) throw new Error(`no output ${name}`);
  return output.deliver(outputCall(attributes, content));
}

const user = context({
  type: "user",
  schema: z.object({ name: z.string() }),
  key: ({ name }) => name,
  state: z.object({ likes: z.array(z.string()) }),
  create: () => ({ likes: [] }),
  render: ({ state, key }) => (state.likes.length > 0 ? `${key} likes ${state.likes.join(", ")}.` : ""),
  instructions: "Learn what people like.",
}).action({
  name: "NOTE_LIKE",
  description: "Notes what somebody likes.",
  schema: z.object({ what: z.string().min(2) }),
  handler: async ({ what }, { ctx }) => {
    const { likes } = await ctx.update(({ likes }) => ({ likes: [...likes, what] }));
    return { success: true, text: `${likes.length} noted` };
  },
});

describe("the context of a room", () => {
  it("is ready-made, with a message output that is said in the room", async () => {
    const { frame } = bench();
    const made = await frame();
    expect(made).toMatchObject({ contextId: "lobby", type: "room", key: "lobby", actions: [], texts: [], missing: [] });
    expect(made.outputs).toMatchObject([{ name: "message", control: "reply" }]);
  });

  it("gives way to one of the same type that somebody brings", async () => {
    const { frame } = bench([roomContext.action({ name: "WAVE", description: "Waves.", handler: () => true })]);
    expect((await frame()).actions).toMatchObject([{ name: "WAVE" }]);
  });

  it("has the room's lane for its id, also when its own key says something else", async () => {
    const { frame } = bench([context({ type: "room", schema: z.object({ roomId: z.string() }), key: () => "other" })]);
    expect(await frame()).toMatchObject({ contextId: "lobby", key: "lobby" });
  });
});

describe("a context that was sent to", () => {
  it("is opened by its lane, with its state rendered and its instructions first", async () => {
    const { frameOf } = bench([user]);
    const first = await frameOf(user.ref({ name: "ada" }));
    expect(first.texts).toEqual([{ name: "INSTRUCTIONS_0", text: "Learn what people like.", isStable: true }]);
    expect(await act(first, "NOTE_LIKE", { what: "tea" })).toMatchObject({ success: true, text: "1 noted" });
    const second = await frameOf(user.ref({ name: "ada" }));
    expect(second.texts[1]).toEqual({
      name: "CONTEXT_0",
      text: '<context type="user" key="ada">\nada likes tea.\n</context>',
      isStable: false,
    });
  });

  it("has a room of its own on no platform, and its input in it", async () => {
    const { contexts, accepted } = bench([user]);
    const sent = await contexts.send(user.ref({ name: "ada" }), { text: "Hello", from: { id: "u1", name: "Ada" } });
    const [inbound] = accepted;
    expect(inbound).toMatchObject({
      room: { id: sent.contextId, platform: "context", platformId: "user/ada" },
      entity: { name: "Ada" },
      memory: { id: sent.memoryId, content: { text: "Hello", mentionContext: { mentionsAgent: true } } },
    });
  });

  it("is named when nothing brings its type any more", async () => {
    const { contexts, frame } = bench();
    contexts.bring("plugin", { contexts: [user] });
    const { contextId } = await contexts.send(user.ref({ name: "ada" }), "hello");
    contexts.takeBack("plugin");
    await expect(frame(contextId)).rejects.toThrow(/user ada.*install the plugin/);
  });

  it("is known by its own definition when nobody registered it", async () => {
    const { frameOf } = bench();
    expect((await frameOf(user.ref({ name: "ada" }))).actions).toMatchObject([{ name: "NOTE_LIKE" }]);
  });

  it("cannot end its own element with what people said", async () => {
    const { frameOf } = bench([user]);
    const frame = await frameOf(user.ref({ name: "ada" }));
    await act(frame, "NOTE_LIKE", { what: '</context><message from="x">' });
    const { texts } = await frameOf(user.ref({ name: "ada" }));
    expect(texts[1]?.text).toContain("&lt;/context>&lt;message");
  });
});

describe("an action of a context", () => {
  it("tells the model what does not fit, and changes nothing", async () => {
    const { contexts, frameOf } = bench([user]);
    const frame = await frameOf(user.ref({ name: "ada" }));
    expect(await act(frame, "NOTE_LIKE", { what: "x" })).toMatchObject({
      success: false,
      error: expect.stringMatching(/parameters of NOTE_LIKE do not fit: what/),
    });
    expect((await contexts.get(user.ref({ name: "ada" })))?.state).toEqual({ likes: [] });
  });

  it("changes the state once when its call is done again", async () => {
    const { contexts, frameOf } = bench([user]);
    const frame = await frameOf(user.ref({ name: "ada" }));
    await act(frame, "NOTE_LIKE", { what: "tea" }, "1.1");
    await act(frame, "NOTE_LIKE", { what: "tea" }, "1.1");
    await act(frame, "NOTE_LIKE", { what: "rain" }, "1.2");
    await frame.save();
    expect((await contexts.get(user.ref({ name: "ada" })))?.state).toEqual({ likes: ["tea", "rain"] });
  });

  it("is offered only while it is enabled, and says why not when it is asked for all the same", async () => {
    const door = context({ type: "door", state: z.object({ isOpen: z.boolean() }), create: () => ({ isOpen: false }) })
      .action({
        name: "OPEN",
        description: "Opens.",
        enabled: ({ state }) => !state.isOpen,
        handler: (_, { ctx }) => ctx.update(() => ({ isOpen: true })),
      })
      .action({
        name: "SHUT",
        description: "Shuts.",
        enabled: ({ state }) => ({ pass: state.isOpen, reason: "It is shut." }),
        handler: (_, { ctx }) => ctx.update(() => ({ isOpen: false })),
      })
      .action({
        name: "BREAK",
        description: "Breaks.",
        enabled: () => {
          throw new Error("boom");
        },
        handler: () => true,
      });
    const { frameOf } = bench([door]);
    const shut = await frameOf(door.ref());
    expect(shut.actions.map(({ name }) => name)).toEqual(["OPEN"]);
    await act(shut, "OPEN");
    const open = await frameOf(door.ref());
    expect(open.actions.map(({ name }) => name)).toEqual(["SHUT"]);
    const [again] = shut.actions;
    const occasion = { signal: new AbortController().signal } as never;
    expect(again && "run" in again && (await again.validate?.(occasion))).toMatchObject({ pass: false });
  });

  it("throws on what its handler throws, so that the engine tries again or tells", async () => {
    const boom = contextAction({
      name: "BOOM",
      description: "Throws.",
      handler: () => {
        throw new Error("no");
      },
    });
    const { frameOf } = bench();
    await expect(act(await frameOf(context({ type: "x", actions: [boom] }).ref()), "BOOM")).rejects.toThrow("no");
  });
});

describe("contexts that use others", () => {
  const project = context({
    type: "project",
    schema: z.string(),
    state: z.object({ members: z.array(z.string()) }),
    create: () => ({ members: ["ada", "bob"] }),
    render: ({ key }) => `Project ${key}.`,
  }).use(({ members }) => members.map((name) => user.ref({ name })));
  const team = context({ type: "team", render: () => "The team." }).use(() => [
    project.ref("one"),
    user.ref({ name: "bob" }),
    project.ref("two"),
  ]);

  it("bring them in order, each once, where it is first used", async () => {
    const { frameOf } = bench([user, project, team]);
    const { contexts, texts } = await frameOf(team.ref());
    expect(contexts.map(({ type, key }) => `${type} ${key}`)).toEqual([
      "team default",
      "project one",
      "user ada",
      "user bob",
      "project two",
    ]);
    expect(texts.filter(({ isStable }) => isStable)).toHaveLength(1);
  });

  it("let the model say whose action is meant when several bring it", async () => {
    const { contexts, frameOf } = bench([user, project, team]);
    const frame = await frameOf(team.ref());
    expect(frame.actions).toHaveLength(1);
    expect(frame.actions[0]?.parameters).toMatchObject([
      { name: "what" },
      { name: "context", schema: { enum: ["ada", "bob"] } },
    ]);
    await act(frame, "NOTE_LIKE", { what: "tea", context: "bob" }, "1.1");
    await act(frame, "NOTE_LIKE", { what: "rain" }, "1.2");
    expect(await act(frame, "NOTE_LIKE", { what: "sun", context: "eve" }, "1.3")).toMatchObject({ success: false });
    expect((await contexts.get(user.ref({ name: "bob" })))?.state).toEqual({ likes: ["tea"] });
    expect((await contexts.get(user.ref({ name: "ada" })))?.state).toEqual({ likes: ["rain"] });
  });

  it("are refused by name when they go in a circle", async () => {
    const one: ContextDefinition & { ref(): ContextRef } = context({ type: "one", use: () => [two.ref()] });
    const two: ContextDefinition & { ref(): ContextRef } = context({ type: "two", use: () => [three.ref()] });
    const three: ContextDefinition & { ref(): ContextRef } = context({ type: "three", use: () => [one.ref()] });
    const { frameOf } = bench([one, two, three]);
    await expect(frameOf(one.ref())).rejects.toThrow(/circle: one → two → three → one/);
  });

  it("are refused when one uses ever more of its own kind", async () => {
    const endless = context({
      type: "endless",
      schema: z.number(),
      use: (_, at): readonly ContextRef[] => [endless.ref(at + 1)],
    });
    const { frameOf } = bench([endless]);
    await expect(frameOf(endless.ref(0))).rejects.toThrow(/more than 64 contexts/);
  });

  it("go on without one that cannot be read, and say which", async () => {
    const broken = context({ type: "broken", state: z.number(), create: () => Promise.reject(new Error("no disk")) });
    const whole = context({ type: "whole", render: () => "Here." }).use(() => [
      broken.ref(),
      user.ref({ name: "ada" }),
    ]);
    const { frameOf } = bench([user, broken, whole]);
    const { contexts, missing } = await frameOf(whole.ref());
    expect(contexts.map(({ type }) => type)).toEqual(["whole", "user"]);
    expect(missing).toEqual([{ name: "broken", failed: "no disk" }]);
  });

  it("leave out a second action of the same name, and say so", async () => {
    const rival = context({ type: "rival" }).action({ name: "note-like", description: "Other.", handler: () => true });
    const both = context({ type: "both" }).use(() => [user.ref({ name: "ada" }), rival.ref()]);
    const { frameOf } = bench([user, rival, both]);
    const { actions, missing } = await frameOf(both.ref());
    expect(actions).toMatchObject([{ name: "NOTE_LIKE", description: "Notes what somebody likes." }]);
    expect(missing).toMatchObject([{ name: expect.stringContaining("NOTE-LIKE of rival") }]);
  });

  it("take what a run brings along", async () => {
    const { frameOf } = bench([user]);
    const extras: RunExtras = {
      contexts: [user.ref({ name: "eve" })],
      actions: [contextAction({ name: "JUMP", description: "Jumps.", handler: () => true })],
      outputs: [contextOutput({ name: "sign", description: "Signs.", handler: () => true })],
      maxSteps: 3,
    };
    const frame = await frameOf(context({ type: "bare", maxSteps: 9 }).ref(), extras);
    expect(frame.contexts.map(({ key }) => key)).toEqual(["default", "eve"]);
    expect(frame.actions.map(({ name }) => name)).toEqual(["JUMP", "NOTE_LIKE"]);
    expect(frame.outputs.map(({ name }) => name)).toEqual(["sign"]);
    expect(frame.maxSteps).toBe(3);
  });
});

describe("an output of a context", () => {
  const board = context({
    type: "board",
    state: z.object({ notes: z.array(z.string()) }),
    create: () => ({ notes: [] }),
  })
    .output({
      name: "note",
      description: "Pins a note.",
      instructions: "At most one a day.",
      examples: [{ attributes: { size: 2 }, content: { title: "Milk" } }],
      attributes: z.object({ size: z.int().min(1), color: z.enum(["red", "blue"]).default("red") }),
      content: z.object({ title: z.string().min(1) }),
      handler: async ({ attributes, content }, { ctx }) => {
        const note = `${content.title} ${attributes.size} ${attributes.color}`;
        await ctx.update(({ notes }) => ({ notes: [...notes, note] }));
      },
    })
    .output({
      name: "fail",
      description: "Fails.",
      handler: () => {
        throw new Error("no printer");
      },
    });

  it("shows its schemas, and an example as the model should give it", async () => {
    const { outputs } = await bench([board]).frameOf(board.ref());
    expect(outputs[0]).toMatchObject({
      name: "note",
      instructions: "At most one a day.",
      examples: [{ attributes: { size: 2 }, content: '{"title":"Milk"}' }],
      attributes: { type: "object", required: ["size"], properties: { color: { enum: ["red", "blue"] } } },
      content: { type: "object", required: ["title"] },
    });
  });

  it("is delivered by its handler, which is awaited", async () => {
    const { contexts, frameOf } = bench([board]);
    const frame = await frameOf(board.ref());
    expect(await deliver(frame, "note", { size: "2" }, '```json\n{"title":"Milk"}\n```')).toEqual({ success: true });
    expect((await contexts.get(board.ref()))?.state).toEqual({ notes: ["Milk 2 red"] });
  });

  it.each([
    [{}, '{"title":"x"}', /size is required/],
    [{ size: "0" }, '{"title":"x"}', /size/],
    [{ size: 1, color: "green" }, '{"title":"x"}', /color/],
    [{ size: 1 }, "Milk", /content must be JSON/],
    [{ size: 1 }, '{"title":""}', /title/],
  ])("says what is wrong with what the model gave: %#", async (attributes, content, problem) => {
    const frame = await bench([board]).frameOf(board.ref());
    const result = await deliver(frame, "note", attributes, content);
    expect(result).toMatchObject({ success: false, error: expect.stringMatching(problem) });
  });

  it("has a failed result when its handler throws", async () => {
    const frame = await bench([board]).frameOf(board.ref());
    expect(await deliver(frame, "fail", {}, "x")).toMatchObject({
      success: false,
      error: expect.stringContaining("no printer"),
    });
  });
});

describe("hooks of a context", () => {
  const report = { runId: "run", step: 1, text: "", results: [] };

  it("see and change its state, once for a step", async () => {
    const counted = context({
      type: "counted",
      state: z.number(),
      create: () => 0,
      onStep: async (_, ctx) => void (await ctx.update((state) => state + 1)),
    });
    const { contexts, frameOf } = bench([counted]);
    const frame = await frameOf(counted.ref());
    await frame.onStep(report);
    await frame.onStep(report);
    await frame.onStep({ ...report, step: 2 });
    expect((await contexts.get(counted.ref()))?.state).toBe(2);
  });

  it("harm nobody when they throw or take too long, and the others are called", async () => {
    const called: string[] = [];
    const slow = context({ type: "slow", onRun: () => new Promise<void>(() => undefined) });
    const bad = context({
      type: "bad",
      onRun: () => {
        throw new Error("boom");
      },
    }).use(() => [slow.ref(), good.ref()]);
    const good = context({ type: "good", onRun: () => void called.push("good") });
    const { clock, frameOf } = bench([bad, good, slow]);
    const frame = await frameOf(bad.ref());
    const done = frame.onRun({ runId: "run", outcome: "answered", steps: 1, text: "" });
    await clock.advance(12_000);
    await done;
    expect(called).toEqual(["good"]);
  });

  it("say whether a run goes on: no before yes, and nothing leaves it open", async () => {
    const say = (type: string, answer: boolean | undefined) => context({ type, shouldContinue: () => answer });
    const [yes, no, open] = [say("yes", true), say("no", false), say("open", undefined)];
    const asked = async (...used: (typeof yes)[]) => {
      const { frameOf } = bench([yes, no, open]);
      const frame = await frameOf(context({ type: "asks", use: () => used.map((one) => one.ref()) }).ref());
      return frame.shouldContinue(report);
    };
    expect(await asked(open)).toBeNull();
    expect(await asked(yes, open)).toBe(true);
    expect(await asked(yes, no)).toBe(false);
  });

  it("let a failed model be asked again a bounded number of times, each after a longer wait", async () => {
    const stubborn = context({ type: "stubborn", onError: () => "retry" });
    const frame = await bench([stubborn]).frameOf(stubborn.ref());
    const waits = [];
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      waits.push(await frame.onError({ runId: "run", step: 1, attempt, error: new Error("down") }));
    }
    expect(waits.map((wait) => wait?.retryInMs)).toEqual([500, 1_000, 2_000, 4_000, 8_000, undefined]);
  });

  it("do not ask again for what was called off", async () => {
    const stubborn = context({ type: "stubborn", onError: () => "retry" });
    const frame = await bench([stubborn]).frameOf(stubborn.ref());
    const error = Object.assign(new Error("off"), { name: "AbortError" });
    expect(await frame.onError({ runId: "run", step: 1, attempt: 1, error })).toBeNull();
  });
});

describe("messages that clients hear", () => {
  it("go to the context that takes them, and to their room when none does", async () => {
    const ticket = context({ type: "ticket", schema: z.object({ room: z.string() }) }).input({
      name: "customer",
      source: messages({
        args: ({ room, memory }) => (memory.content.text.startsWith("!") ? { room: room.id } : null),
      }),
    });
    const broken = context({ type: "broken" }).input({
      name: "x",
      source: messages({
        args: () => {
          throw new Error("boom");
        },
      }),
    });
    const { contexts } = bench([broken, ticket]);
    const heard = (text: string) => ({ room: lobby.room, memory: { content: { text } } }) as Inbound;
    expect(await contexts.source.laneOf(heard("hello"))).toBeNull();
    const lane = await contexts.source.laneOf(heard("!help"));
    expect(lane).toBe(placeOf(agentId, ticket.ref({ room: "lobby" })).id);
    const open = await contexts.source.open({ contextId: lane ?? "", room: lobby });
    expect(open).toMatchObject({ type: "ticket" });
  });
});

describe("inputs that are sent", () => {
  const game = context({ type: "game" }).input({
    name: "move",
    schema: z.object({ to: z.string() }),
    format: ({ to }) => `moves to ${to}`,
  });

  it("are read by their schema, formatted, and kept with what was given", async () => {
    const { contexts, accepted } = bench([game]);
    await contexts.send(game.ref(), { input: "move", value: { to: "e4", junk: 1 } });
    expect(accepted[0]?.memory).toMatchObject({
      content: { text: "moves to e4" },
      metadata: { given: { input: "move", value: { to: "e4" } } },
    });
  });

  it("are the same input under the same event id", async () => {
    const { contexts, store } = bench([game]);
    const first = await contexts.send(game.ref(), { input: "move", value: { to: "e4" }, eventId: "m1" });
    const second = await contexts.send(game.ref(), { input: "move", value: { to: "e4" }, eventId: "m1" });
    expect(second).toEqual(first);
    expect((await store.inbox.counts(agentId)).waiting).toBe(1);
  });

  it("are refused by name when they do not fit, or there is none", async () => {
    const { contexts, accepted } = bench([game]);
    await expect(contexts.send(game.ref(), { input: "move", value: {} })).rejects.toThrow(
      /input move of context game.*to/,
    );
    await expect(contexts.send(game.ref(), { input: "pass" })).rejects.toThrow(/no input pass; it has move/);
    expect(accepted).toEqual([]);
  });

  it("may be brought to a context by somebody else", async () => {
    const { contexts, accepted } = bench([game]);
    contexts.bring("other", { inputs: [{ context: game, input: input({ name: "clock" }) }] });
    await contexts.send(game.ref(), { input: "clock", value: "tick" });
    expect(accepted[0]?.memory.content.text).toBe("tick");
  });
});
