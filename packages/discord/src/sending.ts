import type { ClientState, Clock, Delivery, Log, SendResult } from "@troupe/core";
import { ClientError } from "@troupe/core/errors";
import type { DiscordApi } from "./api.ts";
import { gather } from "./attachments.ts";
import { longChoices } from "./choices.ts";
import { isRefused, toSendResult } from "./errors.ts";
import type { Place } from "./inbound.ts";
import type { Interactions, OpenInteraction } from "./interactions.ts";
import type { DiscordSettings } from "./options.ts";
import { isDelivery, toChangedMessage, toForward, toNewMessage } from "./outbound.ts";
import { idOf, type Raw, recordOf, recordsOf, textOf } from "./read.ts";

/** What sending needs of an open connection. */
export type SendingParts = {
  readonly api: DiscordApi;
  readonly applicationId: string;
  readonly account: string;
  readonly settings: DiscordSettings;
  readonly interactions: Interactions;
  readonly state: ClientState;
  readonly clock: Clock;
  readonly log: Log;
  /** A channel of a server, if it is known; null for direct messages. */
  readonly place: (id: string) => Place | null;
  /** The newest message heard in a room. */
  readonly newestIn: (room: string) => string | null;
};

/** What a client does with deliveries. */
export type Sending = {
  send(delivery: Delivery, signal: AbortSignal): Promise<SendResult>;
  edit(platformId: string, delivery: Delivery, final: boolean): Promise<SendResult>;
  remove(platformId: string, delivery: Delivery): Promise<SendResult>;
  lookup(delivery: Delivery): Promise<{ readonly platformId: string } | null>;
};

const keptRuns = 1_000;

/** Makes it. Nothing here throws for what Discord may answer, but `lookup`. */
export function createSending(parts: SendingParts): Sending {
  return new DiscordSending(parts);
}

class DiscordSending implements Sending {
  readonly #parts: SendingParts;
  /** The channel of direct messages with somebody, by the person's id. */
  readonly #direct = new Map<string, string>();
  /** The thread a run answers in, for its later pieces. */
  readonly #threads = new Map<string, string>();

  constructor(parts: SendingParts) {
    this.#parts = parts;
  }

  async send(delivery: Delivery, signal: AbortSignal): Promise<SendResult> {
    const what = `a ${delivery.kind} to room ${delivery.target}`;
    try {
      switch (delivery.kind) {
        case "message":
        case "quote":
          return await this.#say(delivery, signal);
        case "like":
          return await this.#like(delivery, signal);
        case "retweet":
          return await this.#forward(delivery, signal);
        case "follow":
          return { type: "rejected", error: "On Discord nobody can be followed." };
        case "unlike":
        case "unretweet":
        case "bookmark":
          return { type: "rejected", error: `Discord cannot ${delivery.kind}.` };
      }
    } catch (error) {
      if (error instanceof ClientError && error.code === "invalid") return { type: "rejected", error: error.message };
      return toSendResult(error, what);
    }
  }

  async edit(platformId: string, delivery: Delivery, final: boolean): Promise<SendResult> {
    const { api, settings, interactions, applicationId } = this.#parts;
    const { channel, message } = placeOf(platformId, delivery);
    const isBlank = delivery.content.text.trim() === "";
    if (!final && isBlank) return { type: "sent", platformId };
    const waitMs = final ? 0 : api.edits.waitMs(channel);
    if (waitMs > 0)
      return { type: "not-sent", retryInMs: waitMs, error: "The edits of this channel are used up for now." };
    const token = interactions.tokenOf(message);
    const body = toChangedMessage(delivery, settings);
    try {
      await this.#keepChoices(delivery);
      const asOwn = { method: "PATCH", body, isRepeatable: true } as const;
      if (token === null) await api.request({ ...asOwn, route: `/channels/${channel}/messages/${message}` });
      else await api.request({ ...asOwn, route: `/webhooks/${applicationId}/${token}/messages/${message}` });
      return { type: "sent", platformId };
    } catch (error) {
      return toSendResult(error, `an edit in room ${delivery.target}`);
    }
  }

  async remove(platformId: string, delivery: Delivery): Promise<SendResult> {
    const { channel, message } = placeOf(platformId, delivery);
    const route = `/channels/${channel}/messages/${message}` as const;
    try {
      await this.#parts.api.request({ method: "DELETE", route, isRepeatable: true });
    } catch (error) {
      if (!isRefused(error, unknownMessage)) return toSendResult(error, `a deletion in room ${delivery.target}`);
    }
    return { type: "sent", platformId };
  }

  /** Looks through the newest messages of the room, from the one that is answered on. */
  async lookup(delivery: Delivery): Promise<{ readonly platformId: string } | null> {
    if (delivery.kind !== "message" && delivery.kind !== "quote") return null;
    const channel = await this.#channelOf(delivery.target);
    const thread = delivery.replyToPlatformId;
    const inThread =
      this.#parts.settings.answerInThread && thread !== undefined ? await this.#find(thread, delivery) : null;
    if (inThread !== null) return { platformId: `${thread}/${inThread}` };
    const found = await this.#find(channel, delivery);
    return found === null ? null : { platformId: found };
  }

  async #find(channel: string, delivery: Delivery): Promise<string | null> {
    const { api, account } = this.#parts;
    const after = idOf(delivery.replyToPlatformId);
    const query = { limit: "100", ...(after !== null && { after }) };
    try {
      const route = `/channels/${channel}/messages` as const;
      const messages = recordsOf(await api.request({ method: "GET", route, query, isRepeatable: true }));
      const own = messages.filter(({ author }) => recordOf(author)["id"] === account);
      return idOf(own.find((message) => isDelivery(toSaid(message), delivery))?.["id"]);
    } catch (error) {
      if (isRefused(error)) return null;
      throw error;
    }
  }

  async #say(delivery: Delivery, signal: AbortSignal): Promise<SendResult> {
    const { api, settings } = this.#parts;
    const { text, attachments = [] } = delivery.content;
    const { uploads, links } = await gather(attachments, api, signal);
    const isEmpty = text.trim() === "" && uploads.length + links.length === 0 && delivery.isGrowing !== true;
    if (isEmpty) return { type: "rejected", error: "There is nothing to say: the message has neither text nor files." };
    await this.#keepChoices(delivery);
    const interaction = this.#interactionOf(delivery);
    if (interaction?.kind === "command") {
      const answered = await this.#answerCommand(delivery, interaction, { uploads, links, signal });
      if (answered) return answered;
    }
    const channel = await this.#channelFor(delivery, signal);
    const answers = this.#answeredMessage(delivery, channel, interaction);
    const route = `/channels/${channel}/messages` as const;
    const request = { method: "POST", route, files: uploads, isRepeatable: true, signal } as const;
    let message: Raw;
    try {
      message = recordOf(await api.request({ ...request, body: toNewMessage(delivery, { settings, answers, links }) }));
    } catch (error) {
      if (answers === null || !isRefused(error, replyWithoutHistory)) throw error;
      const body = toNewMessage(delivery, { settings, answers: null, links });
      message = recordOf(await api.request({ ...request, body }));
    }
    return this.#sent(message, channel, delivery);
  }

  /** The open interaction this delivery answers: the first delivery of its run does. */
  #interactionOf({ replyToPlatformId, key }: Delivery): OpenInteraction | null {
    const found = replyToPlatformId === undefined ? null : this.#parts.interactions.find(replyToPlatformId);
    return found && (found.answeredBy === null || found.answeredBy === key) ? found : null;
  }

  /** Puts the answer where Discord shows that the bot is thinking; null when that is over. */
  async #answerCommand(
    delivery: Delivery,
    interaction: OpenInteraction,
    { uploads, links, signal }: Awaited<ReturnType<typeof gather>> & { readonly signal: AbortSignal },
  ): Promise<SendResult | null> {
    const { api, applicationId, settings, interactions } = this.#parts;
    interaction.answeredBy = delivery.key;
    if (!(await interaction.isAcknowledged)) return null;
    const route = `/webhooks/${applicationId}/${interaction.token}/messages/@original` as const;
    const body = toChangedMessage(delivery, settings, links);
    try {
      const message = recordOf(
        await api.request({ method: "PATCH", route, body, files: uploads, isRepeatable: true, signal }),
      );
      const id = idOf(message["id"]);
      if (id !== null) interactions.own(id, interaction.token);
      return this.#sent(message, idOf(message["channel_id"]) ?? delivery.target, delivery);
    } catch (error) {
      if (isRefused(error, unknownMessage, unknownWebhook, invalidToken, unknownInteraction)) return null;
      throw error;
    }
  }

  #sent(message: Raw, channel: string, delivery: Delivery): SendResult {
    const id = textOf(message["id"]);
    if (id === null) return { type: "unknown", error: "Discord answered a message without an id." };
    const guild = this.#parts.place(channel)?.guildId ?? "@me";
    const platformId = channel === delivery.target ? id : `${channel}/${id}`;
    return { type: "sent", platformId, url: `https://discord.com/channels/${guild}/${channel}/${id}` };
  }

  /** The message that is shown as the one that is answered. */
  #answeredMessage(delivery: Delivery, channel: string, interaction: OpenInteraction | null): string | null {
    if (interaction) return interaction.sourceMessageId;
    const asked = idOf(delivery.replyToPlatformId);
    if (asked === null || channel !== delivery.target || this.#parts.interactions.find(asked)) return null;
    if (delivery.kind === "quote") return asked;
    const { repliesIn } = this.#parts.settings;
    if (repliesIn !== "groups") return repliesIn === "all" ? asked : null;
    const isDirect = this.#parts.place(channel) === null;
    const newest = this.#parts.newestIn(channel);
    return isDirect && (newest === null || newest === asked) ? null : asked;
  }

  /** Where a delivery goes: its room, the thread at the message it answers, or direct messages yet to be opened. */
  async #channelFor(delivery: Delivery, signal: AbortSignal): Promise<string> {
    const channel = await this.#channelOf(delivery.target, signal);
    if (!this.#parts.settings.answerInThread) return channel;
    const known = this.#threads.get(delivery.runId);
    if (known !== undefined) return known;
    const asked = idOf(delivery.replyToPlatformId);
    const type = this.#parts.place(channel)?.type;
    if (asked === null || (type !== 0 && type !== 5) || this.#parts.interactions.find(asked)) return channel;
    const isOpen = await this.#openThread(channel, asked, delivery);
    if (!isOpen) return channel;
    this.#threads.set(delivery.runId, asked);
    const oldest = this.#threads.keys().next().value;
    if (this.#threads.size > keptRuns && oldest !== undefined) this.#threads.delete(oldest);
    return asked;
  }

  /** A thread at a message has the message's id. */
  async #openThread(channel: string, message: string, { inReplyToText }: Delivery): Promise<boolean> {
    const { api, log } = this.#parts;
    const name = [...(inReplyToText ?? "").trim()].slice(0, 100).join("") || "Answer";
    try {
      const route = `/channels/${channel}/messages/${message}/threads` as const;
      await api.request({ method: "POST", route, body: { name }, isRepeatable: true });
      return true;
    } catch (error) {
      if (isRefused(error, hasThread)) return true;
      if (!isRefused(error)) throw error;
      log.warn({ channel }, "no thread can be opened there (Create Public Threads?); answering in the channel");
      return false;
    }
  }

  /** `user:<id>` stands for the direct messages with somebody, opened when they are not open. */
  async #channelOf(target: string, signal?: AbortSignal): Promise<string> {
    const person = /^user:(\d{1,20})$/.exec(target)?.[1];
    if (person === undefined) {
      if (idOf(target) !== null) return target;
      throw new ClientError("invalid", `"${target}" is no room on Discord: it must be a channel's id, or user:<id>.`);
    }
    const known = this.#direct.get(person);
    if (known !== undefined) return known;
    const opened = recordOf(
      await this.#parts.api.request({
        method: "POST",
        route: "/users/@me/channels",
        body: { recipient_id: person },
        isRepeatable: true,
        ...(signal && { signal }),
      }),
    );
    const channel = textOf(opened["id"]) ?? "";
    this.#direct.set(person, channel);
    const oldest = this.#direct.keys().next().value;
    if (this.#direct.size > keptRuns && oldest !== undefined) this.#direct.delete(oldest);
    return channel;
  }

  async #like(delivery: Delivery, signal: AbortSignal): Promise<SendResult> {
    const message = idOf(delivery.replyToPlatformId);
    if (message === null) return { type: "rejected", error: "There is no message on Discord to react to." };
    const channel = await this.#channelOf(delivery.target, signal);
    const emoji = encodeURIComponent(this.#parts.settings.likeEmoji.replace(/^<a?:(\w+:\d+)>$/, "$1"));
    const route = `/channels/${channel}/messages/${message}/reactions/${emoji}/@me` as const;
    const answer = recordOf(await this.#parts.api.request({ method: "PUT", route, isRepeatable: true, signal }));
    return { type: "sent", platformId: textOf(answer["id"]) ?? message };
  }

  async #forward(delivery: Delivery, signal: AbortSignal): Promise<SendResult> {
    const { api, settings } = this.#parts;
    const message = idOf(delivery.replyToPlatformId);
    const { forwardTo } = settings;
    if (forwardTo === null) {
      return { type: "rejected", error: "There is no channel to forward to: set platforms.discord.forwardTo." };
    }
    if (message === null) return { type: "rejected", error: "There is no message on Discord to forward." };
    const source = { ...delivery, target: await this.#channelOf(delivery.target, signal) };
    const route = `/channels/${forwardTo}/messages` as const;
    const body = toForward(source, message);
    const sent = recordOf(await api.request({ method: "POST", route, body, isRepeatable: true, signal }));
    return this.#sent(sent, forwardTo, delivery);
  }

  /** A value too long for a button is kept, and the button carries its hash. */
  async #keepChoices({ content, isGrowing }: Delivery): Promise<void> {
    if (isGrowing === true) return;
    for (const { key, value } of longChoices(content.choices ?? []))
      await this.#parts.state.set(`choice:${key}`, value);
  }
}

const unknownMessage = 10008;
const unknownWebhook = 10015;
const unknownInteraction = 10062;
const invalidToken = 50027;
const hasThread = 160004;
const replyWithoutHistory = 160002;

/** `channel/message` where a message stands elsewhere than in the room of its delivery. */
function placeOf(platformId: string, { target }: Delivery): { readonly channel: string; readonly message: string } {
  const [channel, message] = platformId.split("/");
  return message === undefined ? { channel: target, message: platformId } : { channel: channel ?? target, message };
}

function toSaid(message: Raw): {
  readonly nonce: string | null;
  readonly text: string;
  readonly answers: readonly string[];
} {
  const nonce = message["nonce"];
  const answers = [
    recordOf(message["message_reference"])["message_id"],
    recordOf(message["interaction_metadata"])["id"],
  ];
  return {
    nonce: typeof nonce === "string" || typeof nonce === "number" ? String(nonce) : null,
    text: textOf(message["content"]) ?? "",
    answers: answers.flatMap((id) => idOf(id) ?? []),
  };
}
