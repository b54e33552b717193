import type { ActionResult, NamedResult } from "../action/action.ts";
import type { ExecutableCall, Executed } from "../action/executable-call.ts";
import { executeAction } from "../action/execute-action.ts";
import type { HandedMessage } from "../action/handed-message.ts";
import { createLocks } from "../action/locks.ts";
import { failure } from "../action/normalize-result.ts";
import { createRateLimits } from "../action/rate-limits.ts";
import { readCharacter } from "../character/read-character.ts";
import { ConfigError } from "../errors.ts";
import { type AgentEvent, createEvents } from "../event/event.ts";
import type { JsonObject } from "../json.ts";
import { type Log, silentLog } from "../log.ts";
import { deriveAgentId, deriveId } from "../memory/derive-id.ts";
import type { Content, Memory } from "../memory/memory.ts";
import type { LanguageModel } from "../model/model.ts";
import type { ModelUse } from "../plugin/ask-model.ts";
import { createRuntime, type RuntimeParts } from "../plugin/create-runtime.ts";
import { handleRoute } from "../plugin/handle-route.ts";
import { type InstalledPlugins, installPlugins } from "../plugin/install-plugins.ts";
import { createOpenRuns, type OpenRuns } from "../plugin/open-runs.ts";
import type { Plugin } from "../plugin/plugin.ts";
import { createRegistry } from "../plugin/registry.ts";
import type { Runtime } from "../plugin/runtime.ts";
import { createServices } from "../plugin/services.ts";
import { createActionFilters } from "../run/action-filters.ts";
import { chooseProviders, composeState } from "../state/compose-state.ts";
import type { State } from "../state/provider.ts";
import type { Store } from "../store/store.ts";
import { createInbound, type HeardMessage } from "./create-inbound.ts";
import { createMemoryStore } from "./memory-store.ts";
import { createScriptedModel, type ModelScript } from "./scripted-model.ts";
import { createSetClock, type SetClock } from "./set-clock.ts";

/** What a plugin is tried in. Everything may be left out. */
export type TestRuntimeOptions = {
  readonly plugins?: readonly Plugin[];
  /** A character as its file would have it; one named Ada when absent. */
  readonly character?: JsonObject & { readonly name: string };
  /** What `getSetting` finds in the environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What the model says; without it any question is an error. */
  readonly model?: ModelScript | LanguageModel;
  /** What the agent says to a message that a plugin hands to it; nothing when absent: there is no agent here that answers. */
  readonly answer?: (message: HandedMessage) => string | Promise<string>;
  readonly clock?: SetClock;
  readonly store?: Store;
  readonly log?: Log;
};

/** A message that was heard; `text` is empty unless it is said. See {@link HeardMessage} for the rest. */
export type TestMessage = Partial<HeardMessage>;

/** One action to be called. */
export type TestCall = { readonly name: string; readonly parameters?: JsonObject };

/** What an action is called with besides its parameters. */
export type TestOccasion = {
  /** The message that is being answered, or one that was heard already. */
  readonly message?: TestMessage | Memory;
  readonly keywords?: readonly string[];
  readonly signal?: AbortSignal;
  /** The same id again is the same run, done again. */
  readonly runId?: string;
};

/** What came of one call. */
export type TestResult = {
  readonly result: ActionResult;
  /** What the callback was called with, in order. */
  readonly said: readonly Content[];
  /** Everything that was streamed, joined. */
  readonly streamed: string;
  /** Why it was refused before its handler was asked; `filtered`: the character or the room does not allow it. */
  readonly refused?: NonNullable<Executed["refused"]> | "filtered";
};

/** A real runtime over a store in memory, with a scripted model and a clock set by hand. */
export type TestRuntime = {
  readonly runtime: Runtime;
  readonly clock: SetClock;
  readonly store: Store;
  readonly events: readonly AgentEvent[];
  readonly modelUses: readonly ModelUse[];
  /** What plugins handed to the agent, in order. */
  readonly handed: readonly HandedMessage[];
  /** Says something to the agent: the message is stored with its room and its author. */
  hear(message: TestMessage): Promise<Memory>;
  /**
   * Calls one action, as the engine does: names, parameters, `validate` and the declared policy count. Time limits and the
   * waits of `retry` pass only when the clock is moved.
   */
  act(name: string, parameters?: JsonObject, occasion?: TestOccasion): Promise<TestResult>;
  /** Calls several as one answer would: in order, each seeing the results and values of those before. */
  chain(calls: readonly TestCall[], occasion?: TestOccasion): Promise<readonly TestResult[]>;
  /** Composes the state as a prompt would have it; names add dynamic and private providers. */
  compose(include?: readonly string[], message?: TestMessage | Memory): Promise<State>;
  /** Asks a plugin's route, e.g. `new Request("http://test/weather/today")`. */
  request(request: Request): Promise<Response>;
  close(): Promise<void>;
};

const account = { platform: "test", account: "agent" } as const;

/**
 * Makes a runtime with these plugins installed.
 * @throws ConfigError naming every plugin that cannot be used, with its reason.
 */
export async function createTestRuntime(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  const clock = options.clock ?? createSetClock();
  const store = options.store ?? createMemoryStore({ clock });
  const events: AgentEvent[] = [];
  const modelUses: ModelUse[] = [];
  const handed: HandedMessage[] = [];
  const parts = toParts(options, { clock, store, modelUses, handed });
  parts.events.on((event) => events.push(event));
  const installed = await installPlugins(options.plugins ?? [], parts, { withTestDependencies: true });
  if (installed.failures.length > 0) {
    await installed.close();
    throw new ConfigError("invalid", installed.failures.map(({ plugin, reason }) => `${plugin}: ${reason}`).join("\n"));
  }
  const hear = createEar(parts.agentId, { store, clock });
  const asMemory = async (message: TestMessage | Memory = {}): Promise<Memory> =>
    "content" in message ? message : hear(message);
  const compose = async (include: readonly string[] = [], message?: TestMessage | Memory): Promise<State> => {
    const providers = chooseProviders(parts.registry.providers(), { include });
    const signal = new AbortController().signal;
    const request = { runId: "test", step: 1, message: await asMemory(message), now: clock.now(), signal };
    return composeState(providers, request, clock);
  };
  const chain = createChain(parts, { asMemory, compose });
  return {
    runtime: createRuntime(parts),
    clock,
    store,
    events,
    modelUses,
    handed,
    hear,
    compose,
    chain,
    async act(name, parameters, occasion) {
      const [result] = await chain([{ name, ...(parameters && { parameters }) }], occasion);
      if (!result) throw new Error("a chain of one call has one result");
      return result;
    },
    request: (request) => {
      const { registry, log } = parts;
      return handleRoute(request, {
        routes: () => registry.routes(),
        clock,
        log,
        signal: new AbortController().signal,
      });
    },
    close: () => closeAll(installed, store),
  };
}

async function closeAll(installed: InstalledPlugins, store: Store): Promise<void> {
  await installed.close();
  await store.admin.close();
}

/** What the runtime stands before, and the means to pretend that a run is under way. */
type TestParts = RuntimeParts & { readonly openRuns: OpenRuns };

type Doubles = {
  readonly clock: SetClock;
  readonly store: Store;
  readonly modelUses: ModelUse[];
  readonly handed: HandedMessage[];
};

function toParts(options: TestRuntimeOptions, { clock, store, modelUses, handed }: Doubles): TestParts {
  const { model = [], environment = {}, log = silentLog } = options;
  const reading = readCharacter(options.character ?? { name: "Ada", bio: "An engineer." }, { source: "the test" });
  if (!reading.ok) throw new ConfigError("invalid", reading.problems.map(({ message }) => message).join("\n"));
  const { character } = reading;
  const asked = "stream" in model ? model : createScriptedModel(model);
  const events = createEvents(log);
  const agentId = deriveAgentId(character);
  let made = 0;
  return {
    agentId,
    character,
    log,
    clock,
    store,
    models: { TEXT_SMALL: asked, TEXT_LARGE: asked },
    environment,
    events,
    registry: createRegistry(),
    services: createServices({ clock, log }),
    newId: () => deriveId("memory", "test", String(made++)),
    onModelUsed(use) {
      modelUses.push(use);
      const { callId: _, ...about } = use;
      events.emit({ type: "MODEL_USED", ...about });
    },
    openRuns: createOpenRuns(),
    async handleMessage(message) {
      handed.push(message);
      const runId = `handed-${handed.length}`;
      const text = await options.answer?.(message);
      if (text === undefined) {
        const reason =
          "Nobody answers in a test runtime unless it is given an answer; see createStages for conversations.";
        return { runId, outcome: "ignored", reason, responses: [] };
      }
      const { roomId = "" } = message;
      const id = deriveId("memory", agentId, runId);
      const own = { id, agentId, roomId, entityId: agentId, type: "message", content: { text } } as const;
      return { runId, outcome: "answered", responses: [{ ...own, createdAt: clock.now(), runId }] };
    },
  };
}

function createEar(
  agentId: string,
  { store, clock }: Pick<Doubles, "store" | "clock">,
): (message: TestMessage) => Promise<Memory> {
  let heard = 0;
  return async (message) => {
    heard += 1;
    const inbound = createInbound(
      { agentId, ...account },
      { text: "", eventId: String(heard), at: clock.now(), ...message },
    );
    await store.inbox.accept(agentId, inbound, { at: clock.now() });
    return inbound.memory;
  };
}

type Chaining = {
  asMemory(message?: TestMessage | Memory): Promise<Memory>;
  compose(include: readonly string[], message: Memory): Promise<State>;
};

function createChain(parts: TestParts, { asMemory, compose }: Chaining): TestRuntime["chain"] {
  const { agentId, clock, store, registry } = parts;
  const running = {
    clock,
    random: () => 0.5,
    locks: createLocks(),
    rateLimits: createRateLimits({ keyValues: store.keyValues, clock, agentId }),
    onStarted: async () => undefined,
  };
  let runs = 0;
  return async (calls, occasion = {}) => {
    runs += 1;
    const { keywords = [], signal = new AbortController().signal, runId = `run-${runs}` } = occasion;
    const message = await asMemory(occasion.message);
    const room = await store.rooms.room(agentId, message.roomId);
    if (!room)
      throw new ConfigError("invalid", `the room of message ${message.id} is not known; hear the message first`);
    const filter = createActionFilters(parts.character)(room.room);
    const composed = await compose([], message);
    const results: NamedResult[] = [];
    const told: TestResult[] = [];
    const stateNow = (): State => ({
      ...composed,
      values: Object.assign({}, composed.values, ...results.map(({ result }) => result.values ?? {})),
    });
    const perform = async (
      { name, parameters = {} }: TestCall,
      callId: string,
      within?: Parameters<ExecutableCall["act"]>[1],
    ): Promise<TestResult> => {
      const action = registry.resolveAction(name);
      if (!action || "control" in action) {
        const known = registry.actions().map((one) => one.name);
        const error = `There is no action ${name} with a handler; there are: ${known.join(", ") || "none"}.`;
        return { result: failure(error), said: [], streamed: "" };
      }
      const withheld = filter.refusal(action);
      if (withheld !== null) {
        const error = `${action.name} was not run: it may not be used here, for ${withheld}.`;
        return { result: failure(error), said: [], streamed: "", refused: "filtered" };
      }
      const said: Content[] = [];
      let streamed = "";
      let acted = 0;
      const call: ExecutableCall = {
        callId,
        runId,
        parameters,
        message,
        state: stateNow(),
        room,
        social: [],
        responses: [],
        keywords: keywords.map((keyword) => keyword.toUpperCase()),
        previousResults: [...results],
        signal,
        async say(content) {
          said.push(content);
          const memory = ownMemory(parts, { content, message, runId, key: `${callId}/${said.length}` });
          await store.admin.write(agentId, [{ type: "memory.put", memory }]);
          return [memory];
        },
        handle: (handed) => parts.handleMessage({ entityId: message.entityId, roomId: message.roomId, ...handed }),
        deliver: async (kind) => failure(`The test platform has no ${kind}.`),
        stream(chunk) {
          streamed += chunk;
        },
        async act(inner, around) {
          const inside: ActionResult[] = [];
          for (const one of inner) {
            acted += 1;
            const nested = await perform(one, `${callId}.${acted}`, around);
            said.push(...nested.said);
            inside.push(nested.result);
          }
          return inside;
        },
      };
      const executed = await executeAction(action, call, { ...running, ...(within && { within }) });
      results.push({ action: action.name, result: executed.result });
      return {
        result: executed.result,
        said: executed.told === undefined ? said : [...said, { text: executed.told }],
        streamed,
        ...(executed.refused !== undefined && { refused: executed.refused }),
      };
    };
    const leave = parts.openRuns.enter(runId, () => undefined);
    try {
      for (const [at, call] of calls.entries()) {
        const done = await perform(call, `call-${at + 1}`);
        told.push(done);
        if (done.result.continueChain === false) break;
      }
    } finally {
      leave();
    }
    for (const { result } of told) await result.cleanup?.();
    return told;
  };
}

type Own = { readonly content: Content; readonly message: Memory; readonly runId: string; readonly key: string };

function ownMemory({ agentId, clock }: RuntimeParts, { content, message, runId, key }: Own): Memory {
  const { roomId } = message;
  const id = deriveId("memory", agentId, runId, key);
  return { id, agentId, roomId, entityId: agentId, type: "message", content, createdAt: clock.now(), runId };
}
