import { textChannelFor } from "../access.ts";
import { announceTo } from "../announce.ts";
import { commandsOf } from "../commands.ts";
import { refusal } from "../errors.ts";
import { isRecord } from "../form.ts";
import { type Interaction, keepInteraction } from "../interactions.ts";
import { toMessage } from "../message-payload.ts";
import { loadingFlag } from "../messages.ts";
import { toChannel, toFullMember, toUser, viewerOf } from "../payload.ts";
import { channelPermissions, holds } from "../permissions.ts";
import type { Application, Channel, Command, Message, User } from "../world.ts";
import { type CommandValues, toCommandData } from "./command-data.ts";
import { type Stage, type Waiting, waitUntil } from "./stage.ts";

type Named = { readonly id: string };

/** Something a person did with a bot's command or component, and what came of it. */
export type SimulatedInteraction = {
  readonly id: string;
  readonly token: string;
  /** The type of the bot's first answer; null: none yet. */
  readonly callbackType: number | null;
  /** The bot's messages, first answer first, also those only this person sees. */
  replies(): readonly Readonly<Message>[];
  /** What a form asks for, when that was the answer. */
  readonly modal: Readonly<Record<string, unknown>> | null;
  /** The bot's first answer of any kind, as its type. */
  acknowledged(waiting?: Waiting): Promise<number>;
  /** The bot's first message, when it is there and no longer only announced. */
  reply(waiting?: Waiting): Promise<Readonly<Message>>;
};

/** What a person can do with commands and components. */
export type CommandActs = {
  /** Uses a slash command; a subcommand is named with spaces: "admin role add". */
  useCommand(channel: Named, name: string, values?: CommandValues, of?: Named): SimulatedInteraction;
  /** Types a slash command as far as the option `focused`. @returns what the bot suggests. */
  complete(
    channel: Named,
    typed: { readonly name: string; readonly values: CommandValues; readonly focused: string; readonly of?: Named },
    waiting?: Waiting,
  ): Promise<readonly { readonly name: string; readonly value: string | number }[]>;
  /** Presses a button, by its custom id. */
  click(message: Readonly<Message>, customId: string): SimulatedInteraction;
  /** Chooses from a menu, by its custom id. */
  choose(message: Readonly<Message>, customId: string, values: readonly string[]): SimulatedInteraction;
  /** Sends in the form an interaction was answered with: values by custom id. */
  submit(interaction: SimulatedInteraction, values: Readonly<Record<string, string>>): SimulatedInteraction;
};

/** Makes what a user can do with commands. */
export function createCommandActs(stage: Stage, user: User): CommandActs {
  const begin = (begun: Begun): SimulatedInteraction => createInteractionView(stage, start(stage, user, begun));
  return {
    useCommand(channel, name, values = {}, of) {
      const place = placeFor(stage, user, channel.id);
      const { command, application, path } = findCommand(stage, place, { name, of, userId: user.id });
      const data = toCommandData(stage, { command, path, values, channel: place, focused: null });
      return begin({ type: 2, application, channel: place, data, commandName: name, source: null });
    },
    async complete(channel, { name, values, focused, of }, waiting) {
      const place = placeFor(stage, user, channel.id);
      const { command, application, path } = findCommand(stage, place, { name, of, userId: user.id });
      const data = toCommandData(stage, { command, path, values, channel: place, focused });
      const interaction = start(stage, user, {
        type: 4,
        application,
        channel: place,
        data,
        commandName: name,
        source: null,
      });
      return await waitUntil(
        stage.world,
        { what: `suggestions for ${name}`, find: () => interaction.choices },
        waiting,
      );
    },
    click: (message, customId) => begin(useComponent(stage, user, { message, customId, types: [2], values: null })),
    choose: (message, customId, values) =>
      begin(useComponent(stage, user, { message, customId, types: [3, 5, 6, 7, 8], values })),
    submit: (interaction, values) => begin(submitModal(stage, interaction, values)),
  };
}

type Begun = {
  readonly type: Interaction["type"];
  readonly application: Application;
  readonly channel: Channel;
  readonly data: Readonly<Record<string, unknown>>;
  readonly commandName: string | null;
  readonly source: Message | null;
};

function placeFor({ world }: Stage, user: User, channelId: string): Channel {
  const channel = textChannelFor(world, channelId, user.id);
  if (!holds(channelPermissions(world, channel, user.id), "USE_APPLICATION_COMMANDS"))
    throw refusal("missingPermissions");
  return channel;
}

type FoundCommand = { readonly command: Command; readonly application: Application; readonly path: readonly string[] };

type Wanted = { readonly name: string; readonly of: Named | undefined; readonly userId: string };

function findCommand({ world }: Stage, channel: Channel, { name, of, userId }: Wanted): FoundCommand {
  const [first = "", ...path] = name.split(" ");
  for (const application of world.applications.values()) {
    if (of && of.id !== application.id) continue;
    const isHere =
      channel.guildId === null
        ? channel.recipientIds.includes(application.id)
        : world.guilds.get(channel.guildId)?.members.has(application.id);
    if (!isHere) continue;
    const scopes = channel.guildId === null ? [null] : [channel.guildId, null];
    for (const guildId of scopes) {
      const commands = commandsOf(world, { applicationId: application.id, guildId });
      const command = [...commands.values()].find((one) => one.type === 1 && one.name === first);
      if (command && isShown(command, channelPermissions(world, channel, userId), channel))
        return { command, application, path };
    }
  }
  throw new Error(`no bot here has registered /${first}, or it is not for this person and place`);
}

/** Whether a command is offered here and to somebody with these permissions. */
function isShown(command: Command, permissions: bigint, channel: Channel): boolean {
  const isDirect = channel.guildId === null;
  if (command.contexts ? !command.contexts.includes(isDirect ? 1 : 0) : isDirect && !command.dm_permission)
    return false;
  if (isDirect || command.default_member_permissions === null || holds(permissions, "ADMINISTRATOR")) return true;
  const needed = BigInt(command.default_member_permissions);
  return needed !== 0n && (permissions & needed) === needed;
}

type Used = {
  readonly message: Readonly<Message>;
  readonly customId: string;
  readonly types: readonly number[];
  readonly values: readonly string[] | null;
};

function useComponent(stage: Stage, user: User, { message, customId, types, values }: Used): Begun {
  const { world } = stage;
  const application = world.applications.get(message.authorId);
  const component = findComponent(message.components, customId);
  const type = Number(component?.["type"]);
  if (!application || !component || !types.includes(type))
    throw new Error(`the message ${message.id} has no such component "${customId}"`);
  if (component["disabled"] === true) throw new Error(`the component "${customId}" is disabled`);
  const channel = textChannelFor(world, message.channelId, user.id);
  // The records are live; a reader from outside sees them as read-only.
  const source = message as Message;
  const data = { component_type: type, custom_id: customId, ...(values ? { values: [...values] } : {}) };
  return { type: 3, application, channel, data, commandName: null, source };
}

function findComponent(components: readonly unknown[], customId: string): Readonly<Record<string, unknown>> | null {
  for (const component of components) {
    if (!isRecord(component)) continue;
    if (component["custom_id"] === customId) return component;
    const inner = [component["components"], component["accessory"]].flat();
    const found = findComponent(inner.filter(isRecord), customId);
    if (found) return found;
  }
  return null;
}

function submitModal(
  stage: Stage,
  { id, modal }: SimulatedInteraction,
  values: Readonly<Record<string, string>>,
): Begun {
  const asked = stage.interactions.byId.get(id);
  const application = stage.world.applications.get(asked?.applicationId ?? "");
  const channel = stage.world.channels.get(asked?.channelId ?? "");
  if (!modal || !asked || !application || !channel)
    throw new Error(`the interaction ${id} was not answered with a form`);
  const components = Object.entries(values).map(([customId, value]) => ({
    type: 1,
    components: [{ type: 4, custom_id: customId, value }],
  }));
  return {
    type: 5,
    application,
    channel,
    data: { custom_id: modal["custom_id"], components },
    commandName: null,
    source: asked.source,
  };
}

function start({ world, interactions }: Stage, user: User, begun: Begun): Interaction {
  const { application, channel, data, type, source } = begun;
  const interaction = keepInteraction(interactions, {
    type,
    applicationId: application.id,
    userId: user.id,
    channelId: channel.id,
    guildId: channel.guildId,
    commandName: begun.commandName,
    source,
  });
  const guild = world.guilds.get(channel.guildId ?? "");
  const member = guild?.members.get(user.id);
  const inGuild = member && {
    ...toFullMember(world, member),
    permissions: channelPermissions(world, channel, user.id).toString(),
  };
  const payload = {
    id: interaction.id,
    application_id: application.id,
    type,
    token: interaction.token,
    version: 1,
    data,
    channel_id: channel.id,
    channel: toChannel(world, channel, application.id),
    ...(guild
      ? { guild_id: guild.id, guild: { id: guild.id, locale: "en-US", features: [] }, guild_locale: "en-US" }
      : {}),
    ...(inGuild ? { member: inGuild } : { user: toUser(user) }),
    ...(source ? { message: toMessage(world, source, viewerOf(application)) } : {}),
    app_permissions: channelPermissions(world, channel, application.id).toString(),
    locale: "en-US",
    entitlements: [],
    authorizing_integration_owners: { "0": guild?.id ?? "0" },
    context: guild ? 0 : 1,
    attachment_size_limit: interactions.limitFileBytes,
  };
  announceTo(world, channel.guildId, { name: "INTERACTION_CREATE", onlyFor: [application.id], payload: () => payload });
  return interaction;
}

function createInteractionView({ world }: Stage, interaction: Interaction): SimulatedInteraction {
  return {
    id: interaction.id,
    token: interaction.token,
    get callbackType() {
      return interaction.callback;
    },
    get modal() {
      return interaction.modal;
    },
    replies: () => [...interaction.answers.values()],
    acknowledged: (waiting) =>
      waitUntil(world, { what: "the bot's answer to an interaction", find: () => interaction.callback }, waiting),
    reply(waiting) {
      const find = (): Message | null => {
        const { original } = interaction;
        return original && original !== interaction.source && (original.flags & loadingFlag) === 0 ? original : null;
      };
      return waitUntil(world, { what: "the bot's message to an interaction", find }, waiting);
    },
  };
}
