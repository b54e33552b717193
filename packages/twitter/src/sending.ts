import type { Clock, Delivery, Log, SendResult } from "@troupe/core";
import { ClientError, errorMessage, isAbort } from "@troupe/core/errors";
import type { Access, Purpose } from "./access.ts";
import type { Call } from "./api.ts";
import type { Importance } from "./budget.ts";
import { type Failure, failureFields, readFailure, toSendResult } from "./errors.ts";
import { type FindingParts, findOwn } from "./finding.ts";
import { type Ledger, pieceOf, textKeyOf, withBegun, withDeed, withoutBegun, withSent, wordsOf } from "./ledger.ts";
import { uploadAll } from "./media.ts";
import { directConversationOf, feedRoomId, type Placing, postedText, toCall } from "./outbound.ts";
import { fieldsOf, idIn, isId, textIn } from "./payload.ts";
import { type Permit, permit } from "./permission.ts";
import type { TwitterSettings } from "./settings.ts";
import { textLimit, weightedLength } from "./text.ts";

/** What saying and doing something needs. */
export type SendingParts = {
  readonly access: Access;
  readonly download: (url: string, limitBytes: number, signal: AbortSignal) => Promise<Uint8Array>;
  readonly ledger: Ledger;
  readonly settings: TwitterSettings;
  /** X's id of the account. */
  readonly account: string;
  readonly username: () => string;
  /** The newest post of a conversation that spoke to the account. */
  readonly newestOf: (conversation: string) => string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends everything that is not called off on its own. */
  readonly signal: AbortSignal;
};

/** An account's voice and hands. */
export type Sending = {
  send(delivery: Delivery, signal: AbortSignal): Promise<SendResult>;
  lookup(delivery: Delivery): Promise<{ readonly platformId: string } | null>;
};

/** A person has to do something first. */
const brokenRetryMs = 5 * 60_000;

/** Says and does things, within every rule of X's and of the character's; remembers what was begun and what was done. */
export function createSending(parts: SendingParts): Sending {
  const { ledger, signal: ending } = parts;
  /** Texts of which a piece was refused by our own rules: the other pieces are not said either. */
  const refused = new Set<string>();
  const send = async (delivery: Delivery, signal: AbortSignal): Promise<SendResult> => {
    const what = whatOf(delivery);
    const known = ledger.sent.get().find(({ key }) => key === delivery.key);
    if (known) return sent(parts, known.id);
    const permitted = permit(delivery, parts);
    if ("refusal" in permitted || refused.has(textKeyOf(delivery.key))) {
      refused.add(textKeyOf(delivery.key));
      const reason = "refusal" in permitted ? permitted.refusal : "A piece of the same text was not sent.";
      return { type: "rejected", error: `${reason} Not sent: ${what}.` };
    }
    const isRepeated = ledger.begun.get()[delivery.key] !== undefined;
    await ledger.deeds.change((deeds) => withDeed(deeds, permitted.deed));
    const result = await perform(parts, { delivery, permitted, isRepeated, signal: AbortSignal.any([signal, ending]) });
    await settle(parts, { delivery, permitted, result });
    return result;
  };

  return {
    async send(delivery, signal) {
      const ended: unknown = ending.aborted ? ending.reason : null;
      if (ended instanceof ClientError) return { type: "not-sent", retryInMs: brokenRetryMs, error: ended.message };
      try {
        return await send(delivery, signal);
      } catch (error) {
        if (isAbort(error) && !signal.aborted && !ending.aborted) throw error;
        return { type: "not-sent", error: `${whatOf(delivery)} could not be prepared: ${errorMessage(error)}` };
      }
    },
    async lookup(delivery) {
      if (delivery.kind !== "message" && delivery.kind !== "quote") return null;
      const known = ledger.sent.get().find(({ key }) => key === delivery.key);
      const id = known?.id ?? (await findOwn(delivery, findingParts(parts, delivery)));
      if (id === null) return null;
      if (!known) await remember(parts, delivery, id);
      return { platformId: id };
    },
  };
}

type Performing = {
  readonly delivery: Delivery;
  readonly permitted: Permit;
  /** Something became of it that nobody knows. */
  readonly isRepeated: boolean;
  readonly signal: AbortSignal;
};

async function perform(parts: SendingParts, performing: Performing): Promise<SendResult> {
  const { delivery, permitted, signal } = performing;
  const { ledger, clock, access } = parts;
  const what = whatOf(delivery);
  const purpose = { importance: importanceOf(delivery), signal };
  const pieces = { ...delivery, ...(permitted.about !== undefined && { replyToPlatformId: permitted.about }) };
  let isUnderway = false;
  try {
    const mediaIds = await uploadAll(delivery.content.attachments ?? [], { ...parts, purpose });
    const planned = toCall(pieces, placingOf(parts, delivery, mediaIds));
    const isNamed = "refusal" in planned || permitted.about !== undefined;
    const call = isNamed ? planned : await withAuthor(parts, planned, purpose);
    if ("refusal" in call) return { type: "rejected", error: call.refusal };
    const tooLong = lengthRefusal(call);
    if (tooLong !== null) return { type: "rejected", error: tooLong };
    await ledger.begun.change((begun) => withBegun(begun, delivery.key, clock.now()));
    isUnderway = true;
    const body = await access.call(call, purpose);
    return sent(parts, access.isDry ? `dry-${delivery.nonce}` : idOf(body, call));
  } catch (error) {
    const failure = readFailure(error, clock.now());
    if (signal.aborted && !isUnderway) return { type: "not-sent", error: `${what} was called off.` };
    if (failure.type === "cut" && !isUnderway) {
      return { type: "not-sent", retryInMs: 5_000, error: `No answer came from X while preparing ${what}.` };
    }
    return failed(parts, performing, failure);
  }
}

/** A refused repetition of what may have arrived before says that it had. */
async function failed(
  parts: SendingParts,
  { delivery, isRepeated }: Performing,
  failure: Failure,
): Promise<SendResult> {
  const { log } = parts;
  const what = whatOf(delivery);
  log.debug({ key: delivery.key, ...failureFields(failure) }, "X did not take a delivery");
  if (failure.type !== "refused" || failure.kind !== "duplicate" || !isRepeated) return toSendResult(failure, what);
  try {
    const found = await findOwn(delivery, findingParts(parts, delivery));
    return sent(parts, found ?? `unseen-${delivery.nonce}`);
  } catch (error) {
    log.debug({ ...failureFields(readFailure(error, parts.clock.now())) }, "an earlier post could not be looked for");
    return { type: "unknown", error: `X has ${what} already, and its id could not be looked up.` };
  }
}

type Settling = { readonly delivery: Delivery; readonly permitted: Permit; readonly result: SendResult };

/** Writes down what became of it; what did not happen counts against no limit. */
async function settle(parts: SendingParts, { delivery, permitted, result }: Settling): Promise<void> {
  const { ledger } = parts;
  if (result.type === "unknown") return;
  if (result.type === "sent") await remember(parts, delivery, result.platformId);
  else if (pieceOf(delivery.key) === 0) {
    await ledger.deeds.change((deeds) => deeds.filter(({ key }) => key !== permitted.deed.key));
  }
  if (result.type === "not-sent") return;
  await ledger.begun.change((begun) => withoutBegun(begun, delivery.key));
}

async function remember({ ledger, clock, settings }: SendingParts, delivery: Delivery, id: string): Promise<void> {
  const { key, kind, target, replyToPlatformId } = delivery;
  const isSaid = kind === "message" || kind === "quote";
  const isForAll = isSaid && (kind === "quote" || target === feedRoomId);
  await ledger.sent.change((all) =>
    withSent(all, {
      ...{ key, id, at: clock.now() },
      ...(kind === "message" && replyToPlatformId !== undefined && { answers: replyToPlatformId }),
      ...(isSaid && isId(target) && { conversation: target }),
      ...(isForAll && { words: wordsOf(postedText(delivery, settings)) }),
    }),
  );
}

function placingOf(parts: SendingParts, delivery: Delivery, mediaIds: readonly string[]): Placing {
  const { account, settings, ledger, newestOf } = parts;
  const piece = pieceOf(delivery.key);
  const beforeKey = `${textKeyOf(delivery.key)}/${piece - 1}`;
  const isSaid = delivery.kind === "message" && directConversationOf(delivery.target) === undefined;
  const before = piece > 0 && isSaid ? ledger.sent.get().find(({ key }) => key === beforeKey)?.id : undefined;
  return {
    ...{ account, settings, mediaIds },
    before: delivery.replyToPlatformId === undefined ? before : undefined,
    isLaterPiece: piece > 0,
    newest: newestOf(delivery.target),
  };
}

/** FOLLOW names a post more often than a person: its author is meant. */
async function withAuthor({ access }: SendingParts, call: Call, purpose: Purpose): Promise<Call> {
  if (call.path !== "users/:id/following") return call;
  const named = String(call.body?.["target_user_id"] ?? "");
  const query = { ids: named, "tweet.fields": "author_id" };
  const answer = fieldsOf(await access.call({ method: "GET", path: "tweets", query }, purpose));
  const [post] = Array.isArray(answer?.["data"]) ? answer["data"] : [];
  const authorId = idIn(fieldsOf(post), "author_id");
  return authorId === undefined ? call : { ...call, body: { target_user_id: authorId } };
}

/** Splitting keeps to the limit; should a text still be too long, X would only say no. */
function lengthRefusal({ path, body }: Call): string | null {
  const text = path === "tweets" ? textIn(body ?? null, "text") : undefined;
  if (text === undefined || weightedLength(text) <= textLimit) return null;
  return `The text is longer than the ${textLimit} that X takes.`;
}

function importanceOf({ kind, target, replyToPlatformId }: Delivery): Importance {
  if (kind !== "message") return "engagement";
  if (isId(target) || directConversationOf(target) !== undefined) return "first";
  return replyToPlatformId === undefined && target === feedRoomId ? "post" : "engagement";
}

/** X's id of what a call made; what is done to a post has that of the post. */
function idOf(body: unknown, call: Call): string {
  const data = fieldsOf(fieldsOf(body)?.["data"]);
  const made = idIn(data, "id") ?? idIn(data, "rest_id") ?? idIn(data, "dm_event_id");
  const about = call.body?.["tweet_id"] ?? call.body?.["target_user_id"] ?? call.parameters?.["tweet_id"];
  return made ?? String(about ?? "unseen");
}

function sent({ username }: SendingParts, platformId: string): SendResult {
  return {
    type: "sent",
    platformId,
    ...(isId(platformId) && { url: `https://x.com/${username()}/status/${platformId}` }),
  };
}

function findingParts(parts: SendingParts, delivery: Delivery): FindingParts {
  const { access, account, settings, ledger, clock, signal } = parts;
  const others = new Set(
    ledger.sent
      .get()
      .filter(({ key }) => key !== delivery.key)
      .map(({ id }) => id),
  );
  return {
    ...{ access, account, settings, signal, others },
    placing: placingOf(parts, delivery, []),
    since: ledger.begun.get()[delivery.key] ?? clock.now() - 60 * 60_000,
  };
}

const whatOf = ({ kind, target }: Delivery): string => `a ${kind} to room ${target}`;
