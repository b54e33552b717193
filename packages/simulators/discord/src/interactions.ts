import type { WireFile } from "@troupe/simulator-wire";
import { announceTo } from "./announce.ts";
import { type MessageBody, readMessageBody } from "./body.ts";
import { createFormErrors, invalidForm, refusal } from "./errors.ts";
import { type Form, isRecord, readForm } from "./form.ts";
import { interactionMentions } from "./mentions.ts";
import { changeMessage, createMessage, demandSomething, emptyBody, loadingFlag, removeMessage } from "./messages.ts";
import type { Message, World } from "./world.ts";
import { randomText } from "./world.ts";

/** How long a bot has for its first answer. @see https://discord.com/developers/docs/interactions/receiving-and-responding#followup-messages */
const answerWithinMs = 3000;
/** How long the token is good for. */
const tokenTtlMs = 15 * 60 * 1000;
const ephemeralFlag = 1 << 6;

/**
 * Somebody used a command (2), clicked or chose (3), is typing an option (4) or sent a form in (5).
 * It begins without a callback; the bot's first answer sets it, and there is only one.
 */
export type Interaction = {
  readonly id: string;
  readonly token: string;
  readonly type: 2 | 3 | 4 | 5;
  readonly applicationId: string;
  readonly userId: string;
  readonly channelId: string;
  readonly guildId: string | null;
  readonly createdMs: number;
  readonly commandName: string | null;
  /** The message whose component was used. */
  readonly source: Message | null;
  /** The type of the bot's first answer; null: none yet. */
  callback: number | null;
  /** The bot's first message, as it is now. */
  original: Message | null;
  /** All its messages, also those only the user sees. */
  readonly answers: Map<string, Message>;
  choices: readonly { readonly name: string; readonly value: string | number }[] | null;
  modal: Readonly<Record<string, unknown>> | null;
};

/** Interactions by id and by token. */
export type Interactions = {
  readonly world: World;
  readonly limitFileBytes: number;
  readonly byId: Map<string, Interaction>;
  readonly byToken: Map<string, Interaction>;
};

/** Makes an empty list of them. */
export function createInteractions(world: World, limitFileBytes: number): Interactions {
  return { world, limitFileBytes, byId: new Map(), byToken: new Map() };
}

/** Keeps a new one, and forgets those whose time is long over. */
export function keepInteraction(
  interactions: Interactions,
  parts: Pick<Interaction, "type" | "applicationId" | "userId" | "channelId" | "guildId" | "commandName" | "source">,
): Interaction {
  const { world, byId, byToken } = interactions;
  const now = world.clock.now();
  for (const old of byId.values()) {
    if (now - old.createdMs <= 2 * tokenTtlMs) break;
    byId.delete(old.id);
    byToken.delete(old.token);
  }
  const interaction: Interaction = {
    ...parts,
    id: world.newId(),
    token: randomText(world, 64),
    createdMs: now,
    callback: null,
    original: null,
    answers: new Map(),
    choices: null,
    modal: null,
  };
  byId.set(interaction.id, interaction);
  byToken.set(interaction.token, interaction);
  return interaction;
}

/** A request with files, as the routes hand it over. */
export type Said = { readonly json: unknown; readonly files: readonly WireFile[] };

/** The bot's first answer. @throws DiscordError 10062, 40060, 50035 */
export function answerInteraction(
  interactions: Interactions,
  asked: { readonly id: string; readonly token: string } & Said,
): Interaction {
  const interaction = interactions.byId.get(asked.id);
  if (!interaction || interaction.token !== asked.token) throw refusal("unknownInteraction");
  if (interaction.callback !== null) throw refusal("alreadyAcknowledged");
  if (interactions.world.clock.now() - interaction.createdMs > answerWithinMs) throw refusal("unknownInteraction");
  const errors = createFormErrors();
  const form = readForm(asked.json, errors);
  form.require("type");
  const type = form.integer("type");
  errors.check();
  const isAllowed = allowedCallbacks[interaction.type].includes(type ?? 0);
  if (!isAllowed)
    throw invalidForm(["type"], "INTERACTION_CALLBACK_TYPE_INVALID", "Interaction callback type is invalid");
  perform(interactions, interaction, { type: type ?? 0, form, files: asked.files });
  interaction.callback = type;
  tell(interactions.world, interaction);
  return interaction;
}

const allowedCallbacks: Readonly<Record<Interaction["type"], readonly number[]>> = {
  2: [4, 5, 9],
  3: [4, 5, 6, 7, 9],
  4: [8],
  5: [4, 5, 6, 7],
};

function perform(
  interactions: Interactions,
  interaction: Interaction,
  { type, form, files }: { readonly type: number; readonly form: Form; readonly files: readonly WireFile[] },
): void {
  const { world, limitFileBytes } = interactions;
  const data = form.fields["data"] ?? {};
  switch (type) {
    case 4: {
      const body = readMessageBody(data, files, limitFileBytes);
      demandSomething(body);
      interaction.original = speak(world, interaction, body);
      return;
    }
    case 5: {
      const flags = isRecord(data) && Number(data["flags"]) & ephemeralFlag ? ephemeralFlag : 0;
      interaction.original = speak(world, interaction, { ...emptyBody, flags }, loadingFlag);
      return;
    }
    case 6:
      interaction.original = interaction.source;
      return;
    case 7:
      interaction.original = interaction.source;
      if (interaction.source) changeMessage(world, interaction.source, readMessageBody(data, files, limitFileBytes));
      return;
    case 8:
      interaction.choices = readChoices(readForm(data, createFormErrors(), ["data"]));
      return;
    default:
      interaction.modal = readModal(readForm(data, createFormErrors(), ["data"]));
  }
}

function readChoices(form: Form): { name: string; value: string | number }[] {
  const choices = (form.forms("choices", { max: 25 }) ?? []).map((choice) => {
    choice.require("name", "value");
    const isNumber = typeof choice.fields["value"] === "number";
    const value = isNumber ? choice.number("value") : choice.text("value", { max: 100 });
    return { name: choice.text("name", { min: 1, max: 100 }) ?? "", value: value ?? "" };
  });
  form.errors.check();
  return choices;
}

function readModal(form: Form): Readonly<Record<string, unknown>> {
  form.require("custom_id", "title", "components");
  form.text("custom_id", { min: 1, max: 100 });
  form.text("title", { min: 1, max: 45 });
  form.list("components", { min: 1, max: 5 });
  form.errors.check();
  return form.fields;
}

function speak(world: World, interaction: Interaction, body: MessageBody, flags = 0): Message {
  const channel = world.channels.get(interaction.channelId);
  if (!channel) throw refusal("unknownChannel");
  const isAnswer = interaction.original === null && interaction.callback === null;
  const isToCommand = interaction.type === 2 && isAnswer;
  const message = createMessage(world, {
    channel,
    authorId: interaction.applicationId,
    body,
    type: isToCommand ? 20 : interaction.source || !isAnswer ? 19 : 0,
    reference: referenceOf(interaction, isAnswer),
    applicationId: interaction.applicationId,
    interaction: {
      id: interaction.id,
      type: interaction.type,
      userId: interaction.userId,
      name: interaction.commandName,
    },
    mentions: interactionMentions,
    flags: flags | (body.flags & ephemeralFlag),
  });
  interaction.answers.set(message.id, message);
  return message;
}

function referenceOf(interaction: Interaction, isAnswer: boolean): Message["reference"] {
  const target = isAnswer ? interaction.source : interaction.original;
  return target ? { type: 0, messageId: target.id, channelId: target.channelId, guildId: target.guildId } : null;
}

/** The interaction of a token. @throws DiscordError 10015, 50027 */
function interactionFor(
  interactions: Interactions,
  asked: { readonly applicationId: string; readonly token: string },
): Interaction {
  const interaction = interactions.byToken.get(asked.token);
  if (!interaction || interaction.applicationId !== asked.applicationId) throw refusal("unknownWebhook");
  if (interactions.world.clock.now() - interaction.createdMs >= tokenTtlMs) throw refusal("invalidWebhookToken");
  if (interaction.callback === null) throw refusal("unknownWebhook");
  return interaction;
}

type Addressed = { readonly applicationId: string; readonly token: string };

/** One of the bot's messages; `@original` is the first. @throws DiscordError 10008, 10015, 50027 */
export function findAnswer(interactions: Interactions, asked: Addressed & { readonly messageId: string }): Message {
  const interaction = interactionFor(interactions, asked);
  const found = asked.messageId === "@original" ? interaction.original : interaction.answers.get(asked.messageId);
  if (!found) throw refusal("unknownMessage");
  return found;
}

/** A further message, or the awaited one when the first was put off. @throws DiscordError */
export function followUp(interactions: Interactions, asked: Addressed & Said): Message {
  const interaction = interactionFor(interactions, asked);
  const { world } = interactions;
  const body = readMessageBody(asked.json, asked.files, interactions.limitFileBytes);
  demandSomething(body);
  if (interaction.original && (interaction.original.flags & loadingFlag) !== 0) {
    changeMessage(world, interaction.original, body);
    tell(world, interaction);
    return interaction.original;
  }
  const message = speak(world, interaction, body);
  tell(world, interaction);
  return message;
}

/** Changes one of the bot's messages. @throws DiscordError */
export function editAnswer(
  interactions: Interactions,
  asked: Addressed & Said & { readonly messageId: string },
): Message {
  const message = findAnswer(interactions, asked);
  changeMessage(interactions.world, message, readMessageBody(asked.json, asked.files, interactions.limitFileBytes));
  tell(interactions.world, interactionFor(interactions, asked));
  return message;
}

/** Takes one of the bot's messages away. @throws DiscordError */
export function deleteAnswer(interactions: Interactions, asked: Addressed & { readonly messageId: string }): void {
  const message = findAnswer(interactions, asked);
  const interaction = interactionFor(interactions, asked);
  interaction.answers.delete(message.id);
  if (interaction.original === message) interaction.original = null;
  const channel = interactions.world.channels.get(message.channelId);
  if (channel) removeMessage(interactions.world, channel, message);
}

function tell(world: World, interaction: Interaction): void {
  const subject = { type: "interaction", interactionId: interaction.id } as const;
  announceTo(world, null, { name: "INTERACTION_ANSWERED", onlyFor: [], payload: () => null, subject });
}
