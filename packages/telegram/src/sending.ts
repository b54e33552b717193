import type { Clock, Delivery, Edits, Log, SendResult } from "@troupe/core";
import { errorMessage, isAbort } from "@troupe/core/errors";
import type { TelegramApi } from "./api.ts";
import type { Budget, Importance } from "./budget.ts";
import type { Choices } from "./choices.ts";
import { type Failure, failureFields, type Refusal, readFailure, toSendResult } from "./errors.ts";
import { messagePlatformIdOf } from "./inbound.ts";
import type { TelegramSettings } from "./options.ts";
import { type Outgoing, readMessageId, readTarget, toCalls, toEdit } from "./outbound.ts";
import { fieldsOf, integerIn, textIn } from "./payload.ts";

/** What saying something needs. */
export type SendingParts = {
  readonly api: Pick<TelegramApi, "call">;
  readonly budget: Budget;
  readonly choices: Pick<Choices, "remember">;
  readonly settings: TelegramSettings;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends everything that is not called off on its own. */
  readonly signal: AbortSignal;
};

/** A bot's voice. */
export type Sending = Pick<Edits, "edit"> & {
  remove: NonNullable<Edits["remove"]>;
  send(delivery: Delivery, signal: AbortSignal): Promise<SendResult>;
  /** Shows that something is being written; never rejects. */
  showTyping(roomPlatformId: string, signal: AbortSignal): Promise<void>;
};

/** What became of a call: its result, or a send's. */
type Said = { readonly type: "done"; readonly result: unknown } | SendResult;

/** So many of the newest messages are remembered. */
const keptMessages = 1_000;

/** A voice that keeps to the budget, follows groups that moved, and tries the other ways there are. */
export function createSending(parts: SendingParts): Sending {
  const { api, settings, log } = parts;
  /** Where a group that became a supergroup is now, for deliveries that were made before. */
  const movedTo = new Map<string, string>();
  /** The messages of a delivery that were sent before it had to wait. */
  const begun = new Map<string, readonly string[]>();
  /** What stands on Telegram, by the message's id: what is there already need not be sent again. */
  const standing = new Map<string, string>();

  /** What to call instead: the same in the group's new place, or another form. */
  const otherWay = ({ kind, movedTo: moved }: Refusal, outgoing: Outgoing, told: string): Outgoing | null => {
    if (moved !== undefined && movedTo.get(told) !== String(moved) && isNew(outgoing)) {
      movedTo.set(told, String(moved));
      return outgoing;
    }
    return outgoing.otherwise?.find(({ when }) => when === kind)?.call ?? null;
  };

  const callOnce = async (outgoing: Outgoing, { what, importance, signal }: Manner): Promise<Said> => {
    const told = String(outgoing.payload["chat_id"] ?? "");
    const chatId = (isNew(outgoing) ? movedTo.get(told) : undefined) ?? told;
    const waited = await takeTurn(parts, { chatId, what, importance, signal });
    if (waited) return waited;
    try {
      const { method, payload } = chatId === told ? outgoing : withoutReply(outgoing);
      const result = await api.call(method, { ...payload, chat_id: chatId }, { signal });
      parts.budget.recover(chatId);
      return { type: "done", result };
    } catch (error) {
      const failure = readFailure(error);
      const other = failure.type === "refused" ? otherWay(failure, outgoing, told) : null;
      if (other) {
        log.debug({ ...failureFields(failure), method: outgoing.method }, "Telegram refused a form; trying another");
        return callOnce(other, { what, importance, signal });
      }
      return failed(parts, failure, { chatId, what });
    }
  };

  return {
    async send(delivery, signal) {
      const calls = toCalls(delivery, settings);
      const what = whatOf(delivery);
      if ("refusal" in calls) return { type: "rejected", error: calls.refusal };
      const forgetful = await keepChoices(parts, delivery);
      if (forgetful) return forgetful;
      const both = AbortSignal.any([signal, parts.signal]);
      const sent = [...(begun.get(delivery.key) ?? [])];
      for (const call of calls.slice(sent.length)) {
        const said = await callOnce(call, { what, importance: "needed", signal: both });
        if (said.type === "done") sent.push(platformIdOf(said.result, call));
        else if (said.type === "not-sent" && sent.length > 0) {
          keep(begun, delivery.key, sent);
          return said;
        } else if (sent.length === 0) return said;
        else log.warn({ key: delivery.key, result: said.type }, "a file of a message was not sent; its text was");
      }
      begun.delete(delivery.key);
      const [platformId = ""] = sent;
      keep(standing, platformId, contentKey(delivery, true));
      return { type: "sent", platformId, ...linkOf(platformId) };
    },

    async edit(platformId, delivery, isFinal) {
      if (platformId.startsWith("dry-")) return { type: "sent", platformId };
      const call = toEdit(platformId, delivery, isFinal);
      if (!call) return { type: "rejected", error: `There is no message ${platformId} on Telegram to change.` };
      const key = contentKey(delivery, isFinal);
      if (standing.get(platformId) === key) return { type: "sent", platformId };
      const forgetful = isFinal ? await keepChoices(parts, delivery) : null;
      if (forgetful) return forgetful;
      const said = await callOnce(call, {
        what: `a change of ${whatOf(delivery)}`,
        importance: isFinal ? "needed" : "passing",
        signal: parts.signal,
      });
      if (said.type !== "done") return said;
      keep(standing, platformId, key);
      return { type: "sent", platformId };
    },

    async remove(platformId, delivery) {
      if (platformId.startsWith("dry-")) return { type: "sent", platformId };
      const message = readMessageId(platformId);
      if (!message) return { type: "rejected", error: `There is no message ${platformId} on Telegram to take back.` };
      const payload = { chat_id: message.chatId, message_id: message.messageId };
      const call = { method: "deleteMessage", payload };
      const what = `the taking back of ${whatOf(delivery)}`;
      standing.delete(platformId);
      const said = await callOnce(call, { what, importance: "free", signal: parts.signal });
      return said.type === "done" ? { type: "sent", platformId } : said;
    },

    async showTyping(roomPlatformId, signal) {
      const { chatId, topicId } = readTarget(roomPlatformId);
      const topic = topicId === undefined ? {} : { message_thread_id: topicId };
      const payload = { chat_id: movedTo.get(chatId) ?? chatId, action: "typing", ...topic };
      try {
        await api.call("sendChatAction", payload, { signal });
      } catch (error) {
        if (!signal.aborted && !isAbort(error)) {
          log.debug(failureFields(readFailure(error)), "typing could not be shown");
        }
      }
    },
  };
}

type Manner = {
  /** What is sent where, for error messages. */
  readonly what: string;
  /** `free` spends nothing. */
  readonly importance: Importance | "free";
  readonly signal: AbortSignal;
};

/** Waits until there is room in the budget; what is only passing does not wait, and a send that is called off was not sent. */
async function takeTurn(
  { budget, clock }: SendingParts,
  { chatId, what, importance, signal }: Manner & { readonly chatId: string },
): Promise<SendResult | null> {
  if (importance === "free") return null;
  for (;;) {
    const waitMs = budget.spend(chatId, importance);
    const error = `There was no room left for ${what} in what Telegram lets a bot send.`;
    if (signal.aborted) return { type: "not-sent", error };
    if (waitMs === 0) return null;
    if (importance === "passing") return { type: "not-sent", retryInMs: waitMs, error };
    await clock.sleep(waitMs, signal).catch(() => undefined);
  }
}

/** The result of a refused or broken call; what stands there already counts as sent. */
function failed(
  { budget, log }: SendingParts,
  failure: Failure,
  { chatId, what }: { readonly chatId: string; readonly what: string },
): Said {
  if (failure.type !== "refused") return toSendResult(failure, what);
  if (failure.kind === "unchanged") return { type: "done", result: null };
  if (failure.retryInMs !== undefined && budget.pause(chatId, failure.retryInMs)) {
    log.warn({ chatId, retryInMs: failure.retryInMs }, "Telegram asks to wait before more is sent to a chat");
  }
  return toSendResult(failure, what);
}

const whatOf = ({ kind, target }: Delivery): string => `a ${kind} to room ${target}`;

/** The platform's id of what a call made; a reaction has that of its message. */
function platformIdOf(result: unknown, { payload }: Outgoing): string {
  const fields = fieldsOf(result);
  const dryId = textIn(fields, "dryId");
  if (dryId !== undefined) return dryId;
  const chatId = integerIn(fieldsOf(fields?.["chat"]), "id") ?? String(payload["chat_id"]);
  return messagePlatformIdOf(chatId, integerIn(fields, "message_id") ?? String(payload["message_id"] ?? 0));
}

function linkOf(platformId: string): { readonly url?: string } {
  const [, chat, message] = /^-100(\d+):(\d+)$/.exec(platformId) ?? [];
  return chat === undefined ? {} : { url: `https://t.me/c/${chat}/${message}` };
}

/** What a message says, with what is under it; under a growing one there is nothing yet. */
function contentKey({ content }: Delivery, isWhole: boolean): string {
  return JSON.stringify([content.text, isWhole ? (content.choices ?? []) : []]);
}

/** Values too long for a button are kept before the button is shown; a send that cannot keep them is not made. */
async function keepChoices({ choices }: SendingParts, { content }: Delivery): Promise<SendResult | null> {
  try {
    await choices.remember(content.choices ?? []);
    return null;
  } catch (error) {
    return { type: "not-sent", error: `The choices under a message could not be kept: ${errorMessage(error)}` };
  }
}

/** Only what is new can be said elsewhere: the numbers of old messages mean nothing in the new group. */
const isNew = ({ method }: Outgoing): boolean => /^(send|forward)/.test(method);

function withoutReply(outgoing: Outgoing): Outgoing {
  const { reply_parameters: _, ...payload } = outgoing.payload;
  const otherwise = outgoing.otherwise?.map(({ when, call }) => ({ when, call: withoutReply(call) }));
  return { method: outgoing.method, payload, ...(otherwise && { otherwise }) };
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > keptMessages && oldest !== undefined) map.delete(oldest);
}
