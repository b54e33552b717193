import type { Clock } from "../clock.ts";
import { errorMessage } from "../errors.ts";
import type { Events } from "../event/event.ts";
import type { Inbound } from "../inbox/inbound.ts";
import type { Log } from "../log.ts";
import type { RegisteredRoute } from "../plugin/bind-route.ts";
import type { Store } from "../store/store.ts";
import type { ContextRef } from "./context-definition.ts";
import { type BroughtContexts, createContextDefinitions } from "./context-definitions.ts";
import type { ContextSource } from "./context-frame.ts";
import { readInput, type SentInput, toContextInbound } from "./context-inbound.ts";
import type { ContextInput } from "./context-input.ts";
import { placeOf } from "./context-ref.ts";
import { type ContextState, createContextStates } from "./context-states.ts";
import { createInputWork, type InputTasks } from "./input-work.ts";
import { createContextSource } from "./open-context.ts";
import { type ContextView, toView } from "./stored-contexts.ts";
import { webhookRoutes } from "./webhook-routes.ts";

export type { ContextView } from "./stored-contexts.ts";

/** An input that is durable: whoever waits for its outcome knows it by its memory. */
type SentContextInput = { readonly contextId: string; readonly memoryId: string; readonly eventId: string };

/** An agent's contexts, joined. */
export type Contexts = {
  /** For the loop. */
  readonly source: ContextSource;
  /** @throws ConfigError when a type is taken. */
  bring(owner: string, brought: BroughtContexts): void;
  /** Takes back what an owner brought. */
  takeBack(owner: string): void;
  /** Gives something to a context, made if need be; resolves when it is durable. @throws ValidationError when it does not fit. */
  send(ref: ContextRef, input: SentInput): Promise<SentContextInput>;
  /** Reads one as it is kept, by its ref or id; null when there is none. */
  get(which: ContextRef | string): Promise<ContextView | null>;
  /** Page by page, by id. */
  list(page: { readonly limit: number; readonly after?: string }): Promise<readonly ContextView[]>;
  /** Takes one away for good: its state, not what was said in it. */
  remove(id: string): Promise<boolean>;
  /** Hears of every state that changed, after that is durable; returns what ends the hearing. */
  onChanged(listener: (state: ContextState) => void): () => void;
  /** What webhooks answer, under `/contexts/…`. */
  routes(): readonly RegisteredRoute[];
  /** Begins to hear what inputs subscribe to. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** What contexts are put together with. */
export type ContextsParts = {
  readonly agentId: string;
  readonly store: Pick<Store, "keyValues" | "rooms">;
  readonly events: Events;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: () => string;
  /** Accepts like a client's message, into the lane of the inbound's room: durable when it resolves. */
  readonly accept: (inbound: Inbound) => Promise<void>;
  /** Absent: inputs cannot have schedules. */
  readonly planning?: InputTasks;
};

/** An agent's contexts; nothing is heard before `start`. */
export function createContexts(parts: ContextsParts): Contexts {
  const { agentId, store, events, clock, log, newId, accept, planning } = parts;
  const definitions = createContextDefinitions();
  const listeners = new Set<(state: ContextState) => void>();
  const states = createContextStates({
    agentId,
    keyValues: store.keyValues,
    clock,
    log,
    onChanged: (state) => tellAll(listeners, state, log),
  });
  const send: Contexts["send"] = async (given, sent) => {
    const ref = { ...given, definition: definitions.current(given) };
    const input = readInput(sent, ref.definition.type, inputsOf(ref));
    const { place } = await states.open(ref);
    const inbound = await toContextInbound(place, input, { agentId, rooms: store.rooms, at: clock.now(), newId });
    await accept(inbound);
    return { contextId: place.id, memoryId: inbound.memory.id, eventId: inbound.eventId };
  };
  const inputsOf = ({ definition: { type } }: ContextRef): readonly ContextInput[] =>
    definitions.inputs().flatMap(({ context, input }) => (context.type === type ? [input] : []));
  const work = createInputWork({ agentId, definitions, send, events, clock, log, ...(planning && { planning }) });
  return {
    source: createContextSource({ agentId, states, definitions, clock, log }),
    bring: (owner, brought) => definitions.add(owner, brought),
    takeBack: (owner) => definitions.remove(owner),
    send,
    async get(which) {
      const id = typeof which === "string" ? which : placeOf(agentId, which).id;
      const record = await states.find(id);
      return record ? toView({ id, ...record }) : null;
    },
    list: async (page) => (await states.list(page)).map(toView),
    remove: (id) => states.remove(id),
    onChanged(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    routes: () => webhookRoutes({ definitions, send, log }),
    start: () => work.start(),
    stop: () => work.stop(),
  };
}

/** One that throws harms nobody. */
function tellAll(listeners: ReadonlySet<(state: ContextState) => void>, state: ContextState, log: Log): void {
  for (const listener of listeners) {
    try {
      listener(state);
    } catch (error) {
      log.error(
        { contextId: state.place.id, error: errorMessage(error) },
        "a listener of contexts threw; the others go on",
      );
    }
  }
}
