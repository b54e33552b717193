import type { Delivery } from "@troupe/core";
import { toComponents } from "./choices.ts";
import type { DiscordSettings } from "./options.ts";

/** The JSON of one message. @see https://discord.com/developers/docs/resources/message#create-message */
export type MessageBody = Readonly<Record<string, unknown>>;

/** Discord's limit, in code points. */
export const textLength = 2_000;
/** Discord shows nothing that is blank; this stands for a text that has not begun yet. */
const placeholder = "…";

/** How a message is sent beside its text. */
export type Form = {
  readonly settings: Pick<DiscordSettings, "allowedMentions">;
  /** The message it answers; null: it stands alone. */
  readonly answers: string | null;
  /** Addresses of files that could not be uploaded. */
  readonly links?: readonly string[];
};

/** A new message: nobody is notified unless the settings say so, and sent again it shows once. */
export function toNewMessage(delivery: Delivery, { settings, answers, links = [] }: Form): MessageBody {
  return {
    ...toChangedMessage(delivery, settings, links),
    nonce: delivery.nonce,
    enforce_nonce: true,
    ...(answers !== null && { message_reference: { message_id: answers, fail_if_not_exists: false } }),
  };
}

/** What a message becomes when it is changed, also the first answer to a command. */
export function toChangedMessage(
  delivery: Delivery,
  { allowedMentions }: Form["settings"],
  links: readonly string[] = [],
): MessageBody {
  const { text, choices = [] } = delivery.content;
  const isBlank = text.trim() === "";
  const shown = isBlank && delivery.isGrowing === true ? placeholder : text.toWellFormed();
  const content = withLinks(shown, links);
  return {
    content,
    allowed_mentions: {
      parse: allowedMentions.filter((who) => who !== "reply"),
      replied_user: allowedMentions.includes("reply"),
    },
    ...(choices.length > 0 && delivery.isGrowing !== true && { components: toComponents(choices) }),
  };
}

/** As many of the links as there is room for. */
function withLinks(text: string, links: readonly string[]): string {
  return links.reduce((so, link) => {
    const longer = so.trim() === "" ? link : `${so}\n${link}`;
    return [...longer].length <= textLength ? longer : so;
  }, text);
}

/** A message passed on to another channel. @see https://discord.com/developers/docs/resources/message#message-reference-types */
export function toForward(delivery: Delivery, messageId: string): MessageBody {
  return {
    message_reference: { type: 1, channel_id: delivery.target, message_id: messageId },
    allowed_mentions: { parse: [] },
    nonce: delivery.nonce,
    enforce_nonce: true,
  };
}

/** Whether a message of ours in a channel's history is this delivery, whole or still growing. */
export function isDelivery(
  message: { readonly nonce: string | null; readonly text: string; readonly answers: readonly string[] },
  delivery: Delivery,
): boolean {
  if (message.nonce !== null) return message.nonce === delivery.nonce;
  const { replyToPlatformId: asked } = delivery;
  const whole = delivery.content.text.trim();
  const shown = message.text.trim();
  if (asked !== undefined && message.answers.includes(asked)) {
    return shown === placeholder || (shown !== "" && whole.startsWith(shown));
  }
  // A short text that answers nothing may well have been said before: then it is rather said twice than never.
  return asked === undefined && [...whole].length >= tellingLength && shown === whole;
}

const tellingLength = 40;
