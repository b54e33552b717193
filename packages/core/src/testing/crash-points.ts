import type { Client } from "../client/client.ts";
import type { LanguageModel, ModelEvent } from "../model/model.ts";
import type { AgentParts } from "../run/agent-parts.ts";
import type { EntryBody } from "../run/entry.ts";
import type { Append, Store } from "../store/store.ts";

/** The moments of a run at which a process may end, in the order in which they come. `mid-stream` only with edits. */
export const crashPoints = [
  "after-accept",
  "after-decide",
  "before-model",
  "mid-stream",
  "after-model",
  "after-journal",
  "before-send",
  "after-send",
  "before-receipt",
  "after-receipt",
] as const;

/** One of {@link crashPoints}. */
export type CrashPoint = (typeof crashPoints)[number];

/** The parts of an agent through which a crash point can be reached. */
export type Crashable = Pick<AgentParts, "store" | "models" | "clients" | "providers">;

/** A reply's text must be at least this long for `mid-stream` to come before its end. */
const longestHeldBack = 512;

/**
 * The same parts, but `die` is called whenever a run reaches the point; where it ends the process, nothing after it happens. No
 * part knows of it: the store, the model and the clients are wrapped from outside.
 */
export function crashAt(point: CrashPoint, parts: Crashable, die: () => void): Crashable {
  const crash: Crash = { point, die };
  return {
    store: crashingStore(parts.store, crash),
    models: { TEXT_LARGE: crashingModel(parts.models.TEXT_LARGE, crash), TEXT_SMALL: parts.models.TEXT_SMALL },
    clients: parts.clients.map((client) => crashingClient(client, crash)),
    providers: [
      ...(parts.providers ?? []),
      {
        name: "CRASH",
        position: 0,
        get: () => {
          if (point === "after-decide") die();
          return {};
        },
      },
    ],
  };
}

type Crash = { readonly point: CrashPoint; readonly die: () => void };

function crashingStore(store: Store, { point, die }: Crash): Store {
  const { inbox, journal } = store;
  return {
    ...store,
    inbox: {
      accept: async (agentId, inbound, options) => {
        const accepted = await inbox.accept(agentId, inbound, options);
        if (point === "after-accept") die();
        return accepted;
      },
      claim: (agentId, owner, limit) => inbox.claim(agentId, owner, limit),
      waiting: (fence) => inbox.waiting(fence),
      release: (fence) => inbox.release(fence),
      recover: (agentId) => inbox.recover(agentId),
      find: (agentId, memoryId) => inbox.find(agentId, memoryId),
      counts: (agentId) => inbox.counts(agentId),
    },
    journal: {
      append: async (fence, append) => {
        if (point === "before-receipt" && has(append, "receipt")) die();
        const next = await journal.append(fence, append);
        if (point === "after-journal" && has(append, "model_answer")) die();
        if (point === "after-receipt" && has(append, "receipt")) die();
        return next;
      },
      entries: (agentId, runId) => journal.entries(agentId, runId),
      parts: (agentId, hashes) => journal.parts(agentId, hashes),
      run: (agentId, id) => journal.run(agentId, id),
      runs: (agentId, query) => journal.runs(agentId, query),
    },
  };
}

function has({ entries }: Append, type: EntryBody["type"]): boolean {
  return entries.some(({ body }) => body.type === type);
}

function crashingModel(model: LanguageModel, { point, die }: Crash): LanguageModel {
  return {
    id: model.id,
    async *stream(request) {
      if (point === "before-model") die();
      let characters = 0;
      for await (const event of model.stream(request)) {
        if (event.type === "finish" && point === "after-model") die();
        yield event;
        characters += lengthOf(event);
        // One turn of the event loop lets what was said so far be shown.
        if (point === "mid-stream") await new Promise((resolve) => setTimeout(resolve, 5));
        if (point === "mid-stream" && characters > longestHeldBack) die();
      }
    },
  };
}

function lengthOf(event: ModelEvent): number {
  return event.type === "text" ? event.text.length : 0;
}

function crashingClient(client: Client, { point, die }: Crash): Client {
  const { edits, typing, social } = client;
  return {
    platform: client.platform,
    account: client.account,
    limits: client.limits,
    start: (receive, signal) => client.start(receive, signal),
    guarantee: (kind) => client.guarantee(kind),
    ...(client.lookup && { lookup: (delivery) => client.lookup?.(delivery) ?? Promise.resolve(null) }),
    ...(edits && { edits }),
    ...(typing && { typing }),
    ...(social && { social }),
    async send(delivery, signal) {
      if (point === "before-send") die();
      const result = await client.send(delivery, signal);
      if (point === "after-send") die();
      return result;
    },
  };
}
