import type { Client, Edits, Guarantee, Receive, SendResult, TextLimits } from "../client/client.ts";
import type { Inbound } from "../inbox/inbound.ts";
import type { Delivery, DeliveryKind } from "../outbox/delivery.ts";
import { createInbound, type HeardMessage } from "./create-inbound.ts";
import { applyRecord, emptyShownState, type Shown, type ShownRecord, showRecord } from "./shown-record.ts";

/** What goes wrong with a send or an edit. `hangs` lasts until the send is called off. */
export type ScriptedFailure =
  | { readonly type: "not-sent"; readonly retryInMs?: number }
  | { readonly type: "unknown"; readonly isApplied: boolean }
  | { readonly type: "rejected" }
  | { readonly type: "hangs" };

/** What a pretended platform can do. */
export type ScriptedClientOptions = {
  readonly agentId: string;
  /** `scripted` unless it is said, both. */
  readonly platform?: string;
  readonly account?: string;
  /** 2,000 UTF-16 units unless it is said. */
  readonly limits?: TextLimits;
  /** `nonce` unless it is said. */
  readonly guarantee?: Guarantee;
  /** What its settings say for outcomes nobody can know; nothing unless it is said. */
  readonly onUnknown?: NonNullable<Client["onUnknown"]>;
  /** Kinds beside `message`; none unless it is said. */
  readonly social?: readonly DeliveryKind[];
  /** Whether messages can be changed, how often, and whether they can be taken back; they cannot unless it is said. */
  readonly edits?: { readonly intervalMs: number; readonly canRemove?: boolean };
  /** Called around the moment in which the platform has a send; a test may end the process there. */
  readonly onSend?: (point: "before" | "after", delivery: Delivery) => void | Promise<void>;
  /** What happened before, and where to write down what happens; nothing and nowhere unless it is said. */
  readonly records?: { readonly earlier: readonly ShownRecord[]; append(record: ShownRecord): void };
};

/** What somebody says, with an event id made when none is given. */
export type ScriptedMessage = Omit<HeardMessage, "text" | "eventId"> & { readonly eventId?: string };

/** A client in memory, and the strings to pull. */
export type ScriptedClient = Client & {
  /** Somebody says this; resolves when the engine has it, rejects as `receive` does. Refused before `start` and after its end. */
  hear(text: string, message?: ScriptedMessage): Promise<Inbound>;
  /** What the other side sees, in the order of sending, taken back ones left out. */
  shown(): readonly Shown[];
  /** How many sends were refused as repeats. */
  repeats(): number;
  /** The next send or edit goes wrong like this; several queue up. */
  failNext(failure: ScriptedFailure): void;
  /** The rooms in which the agent seems to be thinking. */
  typingIn(): readonly string[];
};

/** A client of a pretended platform in memory, judged by `clientContract` like a real one. */
export function createScriptedClient(options: ScriptedClientOptions): ScriptedClient {
  const { agentId, platform = "scripted", account = "scripted", guarantee = "nonce", social = [] } = options;
  const state = emptyShownState();
  for (const record of options.records?.earlier ?? []) applyRecord(state, record);
  const failures: ScriptedFailure[] = [];
  const typing = new Map<string, number>();
  let receive: Receive | null = null;
  let heard = 0;

  const write = (record: ShownRecord): void => {
    options.records?.append(record);
    applyRecord(state, record);
  };
  const findOwn = (delivery: Delivery): Shown | undefined =>
    [...state.shown.values()].find((shown) => shown.nonce === delivery.nonce);
  const show = (delivery: Delivery): SendResult => {
    const earlier = guarantee === "nonce" ? findOwn(delivery) : undefined;
    const platformId = earlier?.platformId ?? `${platform}-${state.shown.size + 1}`;
    write(earlier ? { type: "repeat", key: delivery.key, platformId } : showRecord(delivery, platformId));
    return { type: "sent", platformId };
  };
  const attempt = async (apply: () => SendResult, delivery: Delivery, signal?: AbortSignal): Promise<SendResult> => {
    const failure = failures.shift();
    if (failure && !(failure.type === "unknown" && failure.isApplied)) return fail(failure, platform, signal);
    await options.onSend?.("before", delivery);
    const result = apply();
    await options.onSend?.("after", delivery);
    return failure ? fail(failure, platform, signal) : result;
  };

  const edits: Edits | undefined = options.edits && {
    intervalMs: options.edits.intervalMs,
    edit: (platformId, delivery, final) =>
      attempt(() => {
        if (state.shown.get(platformId)?.isRemoved !== false) return missing(platform, platformId);
        write({ type: "edit", platformId, text: delivery.content.text, isFinal: final });
        return { type: "sent", platformId };
      }, delivery),
    ...(options.edits.canRemove === true && {
      remove: (platformId: string, delivery: Delivery) =>
        attempt(() => {
          if (!state.shown.has(platformId)) return missing(platform, platformId);
          write({ type: "remove", platformId });
          return { type: "sent", platformId };
        }, delivery),
    }),
  };

  return {
    platform,
    account,
    limits: options.limits ?? { textLength: 2_000, unit: "utf16" },
    async start(given, signal) {
      signal.throwIfAborted();
      receive = given;
      signal.addEventListener("abort", () => (receive = null), { once: true });
    },
    async send(delivery, signal) {
      if (delivery.kind !== "message" && !social.includes(delivery.kind)) {
        return { type: "rejected", error: `The ${platform} client cannot deliver a ${delivery.kind}.` };
      }
      return attempt(() => show(delivery), delivery, signal);
    },
    guarantee: () => guarantee,
    ...(options.onUnknown && { onUnknown: options.onUnknown }),
    ...(edits && { edits }),
    ...(social.length > 0 && { social }),
    ...(guarantee === "lookup" && {
      async lookup(delivery: Delivery) {
        const found = findOwn(delivery);
        return found ? { platformId: found.platformId } : null;
      },
    }),
    typing: { start: (room) => startTyping(typing, room) },
    async hear(text, message = {}) {
      if (!receive) throw new Error(`The ${platform} client was told "hear", but it is not started or has ended.`);
      heard += 1;
      const inbound = createInbound(
        { agentId, platform, account },
        { at: heard, ...message, text, eventId: message.eventId ?? `event-${heard}` },
      );
      await receive(inbound);
      return inbound;
    },
    shown: () => [...state.shown.values()].filter((shown) => !shown.isRemoved),
    repeats: () => state.repeats,
    failNext: (failure) => void failures.push(failure),
    typingIn: () => [...typing.keys()],
  };
}

function missing(platform: string, platformId: string): SendResult {
  return { type: "rejected", error: `The ${platform} platform has no message ${platformId}.` };
}

async function fail(failure: ScriptedFailure, platform: string, signal?: AbortSignal): Promise<SendResult> {
  switch (failure.type) {
    case "not-sent":
      return { error: `The ${platform} platform is busy.`, ...failure };
    case "rejected":
      return { type: "rejected", error: `The ${platform} platform refused the message.` };
    case "unknown":
      return { type: "unknown", error: `The ${platform} platform did not answer.` };
    case "hangs":
      if (signal && !signal.aborted) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      }
      return { type: "unknown", error: `The ${platform} platform did not answer.` };
  }
}

function startTyping(typing: Map<string, number>, room: string): () => void {
  let isOver = false;
  typing.set(room, (typing.get(room) ?? 0) + 1);
  return () => {
    if (isOver) return;
    isOver = true;
    const left = (typing.get(room) ?? 1) - 1;
    if (left > 0) typing.set(room, left);
    else typing.delete(room);
  };
}
