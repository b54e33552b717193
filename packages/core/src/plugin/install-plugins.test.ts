import { describe, expect, it } from "vitest";
import { readCharacter } from "../character/read-character.ts";
import type { AgentEvent } from "../event/event.ts";
import { createEvents } from "../event/event.ts";
import { silentLog } from "../log.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createScriptedModel } from "../testing/scripted-model.ts";
import { createSetClock } from "../testing/set-clock.ts";
import { createTestRuntime } from "../testing/test-runtime.ts";
import type { Action } from "./action-shape.ts";
import type { RuntimeParts } from "./create-runtime.ts";
import { installPlugins } from "./install-plugins.ts";
import { createOpenRuns } from "./open-runs.ts";
import type { Plugin, ServiceClass } from "./plugin.ts";
import { createRegistry } from "./registry.ts";
import { createServices } from "./services.ts";

const action = (name: string): Action => ({ name, description: "Does it.", validate: () => true, handler: () => true });

const serviceOf = (type: string, told: string[]): ServiceClass => ({
  serviceType: type,
  start() {
    told.push(`start ${type}`);
    return { stop: () => void told.push(`stop ${type}`) };
  },
});

function createParts(
  settings: Record<string, unknown> = {},
): RuntimeParts & { readonly clock: ReturnType<typeof createSetClock> } {
  const clock = createSetClock();
  const model = createScriptedModel([]);
  const reading = readCharacter({ name: "Ada", bio: "x", settings }, { source: "test" });
  if (!reading.ok) throw new Error("the test's character is wrong");
  return {
    agentId: "agent",
    character: reading.character,
    log: silentLog,
    clock,
    store: createMemoryStore({ clock }),
    models: { TEXT_SMALL: model, TEXT_LARGE: model },
    environment: {},
    events: createEvents(silentLog),
    registry: createRegistry(),
    services: createServices({ clock, log: silentLog }),
    newId: () => "id",
    onModelUsed: () => undefined,
    openRuns: createOpenRuns(),
    handleMessage: async () => ({ runId: "", outcome: "ignored", responses: [] }),
  };
}

const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);

describe("installPlugins", () => {
  it("installs in the order of dependencies: init, services, components, events", async () => {
    const told: string[] = [];
    const parts = createParts({ pluginConfig: { base: { unit: "celsius" } } });
    const base: Plugin = {
      name: "base",
      init: (config, { config: own, hasService }) => {
        told.push(`init base ${config["unit"]} ${own["unit"]} ${hasService("clock")}`);
      },
      services: [serviceOf("clock", told)],
      actions: [action("TELL_TIME")],
      providers: [{ name: "TIME", get: () => "noon" as never }],
      evaluators: [{ name: "CHECK", description: "", validate: () => true, handler: () => undefined }],
      models: { TEXT_SMALL: createScriptedModel([], { id: "own:model" }) },
      events: { RUN_PARKED: [({ runId }) => told.push(runId)] },
    };
    const top: Plugin = {
      name: "top",
      dependencies: ["base"],
      init: (_config, { hasService, actionNames }) =>
        void told.push(`init top ${hasService("clock")} ${actionNames()}`),
      services: [serviceOf("alarm", told)],
    };
    const installed = await installPlugins([top, base], parts);
    const { registry, events } = parts;
    events.emit({ type: "RUN_PARKED", runId: "heard", roomId: "r" });
    events.emit({ type: "RUN_STARTED", runId: "not asked for", roomId: "r", memoryIds: [], isResumed: false });
    expect(installed).toMatchObject({ installed: ["base", "top"], failures: [] });
    expect(told).toEqual([
      "init base celsius celsius false",
      "start clock",
      "init top true TELL_TIME",
      "start alarm",
      "heard",
    ]);
    expect([registry.actions(), registry.providers(), registry.evaluators()].map(names)).toEqual([
      ["TELL_TIME"],
      ["TIME"],
      ["CHECK"],
    ]);
    expect(registry.models().map(({ type, model }) => [type, model.id])).toEqual([["TEXT_SMALL", "own:model"]]);
    expect(registry.resolveAction("tell time")?.name).toBe("TELL_TIME");

    await installed.close();
    events.emit({ type: "RUN_PARKED", runId: "unheard", roomId: "r" });
    expect(told.slice(5)).toEqual(["stop alarm", "stop clock"]);
    expect([registry.actions(), registry.providers(), registry.evaluators()].flat()).toEqual([]);
  });

  it("leaves nothing of a plugin whose init throws, fails those that need it, and goes on with the others", async () => {
    const parts = createParts();
    let late: (() => void) | undefined;
    const heard: AgentEvent[] = [];
    const { installed, failures } = await installPlugins(
      [
        {
          name: "broken",
          init: (_config, runtime) => {
            runtime.registerAction(action("EARLY"));
            runtime.on((event) => heard.push(event));
            late = () => runtime.registerAction(action("LATE"));
            throw new Error("no SHOP_URL");
          },
          actions: [action("NEVER")],
        },
        { name: "needy", dependencies: ["broken"], actions: [action("NOR_THIS")] },
        { name: "fine", actions: [action("FINE")] },
      ],
      parts,
    );
    parts.events.emit({ type: "RUN_PARKED", runId: "r", roomId: "r" });
    expect(installed).toEqual(["fine"]);
    expect(failures).toEqual([
      { plugin: "broken", reason: "no SHOP_URL" },
      { plugin: "needy", reason: "needy needs the plugin broken, which could not be used; see why broken failed" },
    ]);
    expect(names(parts.registry.actions())).toEqual(["FINE"]);
    expect(heard).toEqual([]);
    expect(late).toThrow(/broken is not in use any more/);
  });

  it("stops the services of a plugin that fails after they were started", async () => {
    const told: string[] = [];
    const { failures } = await installPlugins(
      [
        {
          name: "half",
          services: [
            serviceOf("one", told),
            {
              serviceType: "two",
              start: () => {
                throw new Error("no port");
              },
            },
          ],
        },
      ],
      createParts(),
    );
    expect(told).toEqual(["start one", "stop one"]);
    expect(failures).toEqual([{ plugin: "half", reason: "no port" }]);
  });

  it("does not wait for ever, and puts away a service that comes too late", async () => {
    const told: string[] = [];
    const parts = createParts();
    const late = Promise.withResolvers<{ stop(): void }>();
    const installing = installPlugins(
      [
        { name: "slow", init: () => new Promise(() => undefined) },
        { name: "sleepy", services: [{ serviceType: "sleepy", start: () => late.promise }] },
      ],
      parts,
      { initTimeoutMs: 1_000 },
    );
    await parts.clock.advance(1_000);
    await parts.clock.advance(30_000);
    const { failures } = await installing;
    expect(failures).toEqual([
      { plugin: "slow", reason: "its init took longer than 1000 ms" },
      { plugin: "sleepy", reason: "starting the service sleepy took longer than 30000 ms" },
    ]);
    late.resolve({ stop: () => void told.push("stopped") });
    await parts.clock.advance(0);
    expect(told).toEqual(["stopped"]);
  });

  it("stops the other services when one does not stop", async () => {
    const told: string[] = [];
    const parts = createParts();
    const stuck: ServiceClass = { serviceType: "stuck", start: () => ({ stop: () => new Promise(() => undefined) }) };
    const installed = await installPlugins([{ name: "a", services: [serviceOf("good", told), stuck] }], parts);
    const closing = installed.close();
    await parts.clock.advance(2_000);
    await closing;
    expect(told).toEqual(["start good", "stop good"]);
    expect(parts.services.has("good")).toBe(false);
  });

  it.each<[string, Plugin, RegExp]>([
    ["a name that is taken", { name: "b", actions: [action("taken")] }, /TAKEN is already registered/],
    ["a name that is none", { name: "b", actions: [action("??")] }, /letters, digits/],
    [
      "two providers of one name",
      {
        name: "b",
        providers: [
          { name: "X", get: () => ({}) },
          { name: "x", get: () => ({}) },
        ],
      },
      /taken by b itself/,
    ],
    ["a service type that is taken", { name: "b", services: [serviceOf("held", [])] }, /is there already, by a/],
    [
      "a service that cannot be stopped",
      { name: "b", services: [{ serviceType: "x", start: () => ({}) as never }] },
      /has no stop/,
    ],
    [
      "a listener that is none",
      { name: "b", events: { RUN_ENDED: ["x" as never] } },
      /the listeners of b for RUN_ENDED are no list of functions/,
    ],
    [
      "a listener for an event there is none of",
      { name: "b", events: { RUN_ENDEND: [() => undefined] } as never },
      /b listens for RUN_ENDEND, an event there is none of; did you mean RUN_ENDED\?/,
    ],
    [
      "a model of a type there is not",
      { name: "b", models: { TEXT_HUGE: createScriptedModel([]) } as never },
      /b brings a model of the type TEXT_HUGE, which there is not; there are TEXT_SMALL/,
    ],
    [
      "a model that is none",
      { name: "b", models: { TEXT_EMBEDDING: createScriptedModel([]) as never } },
      /b brings a TEXT_EMBEDDING that is no such model; give it an id and the function embed\(\)/,
    ],
  ])("refuses %s and keeps the plugin that had it", async (_, plugin, reason) => {
    const parts = createParts();
    const a: Plugin = {
      name: "a",
      actions: [action("TAKEN")],
      services: [serviceOf("held", [])],
      models: { TEXT_LARGE: createScriptedModel([]) },
    };
    const { installed, failures } = await installPlugins([a, plugin], parts);
    expect(installed).toEqual(["a"]);
    expect(failures[0]?.reason).toMatch(reason);
    expect(names(parts.registry.actions())).toEqual(["TAKEN"]);
    expect(parts.services.has("held")).toBe(true);
  });

  it("refuses a configuration that is no object", async () => {
    const { failures } = await installPlugins([{ name: "a" }], createParts({ pluginConfig: { a: 3 } }));
    expect(failures[0]?.reason).toBe(
      'settings.pluginConfig.a of Ada is no object; write { "a": { … } } under settings.pluginConfig',
    );
  });

  it("keeps its lists the same until something changes", async () => {
    const { runtime, ...test } = await createTestRuntime({ plugins: [{ name: "a", actions: [action("ONE")] }] });
    expect(runtime.actionNames()).toEqual(["ONE"]);
    runtime.registerAction(action("TWO"));
    expect(runtime.actionNames()).toEqual(["ONE", "TWO"]);
    expect(() => runtime.registerAction(action("two"))).toThrow(/TWO is already registered/);
    await test.close();
    const registry = createRegistry();
    expect(registry.actions()).toBe(registry.actions());
  });
});
