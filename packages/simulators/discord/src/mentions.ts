import { type Form, lengthOf } from "./form.ts";
import { channelPermissions, holds } from "./permissions.ts";
import type { Channel, World } from "./world.ts";

/** Who may be notified by a message. null in a list: everybody who is named. */
export type AllowedMentions = {
  readonly users: readonly string[] | null;
  readonly roles: readonly string[] | null;
  readonly everyone: boolean;
  readonly repliedUser: boolean;
};

/** What holds when nothing was said. @see https://discord.com/developers/docs/resources/message#allowed-mentions-object */
export const defaultMentions: AllowedMentions = { users: null, roles: null, everyone: true, repliedUser: true };

/** What holds in answers to interactions when nothing was said. */
export const interactionMentions: AllowedMentions = { users: null, roles: [], everyone: false, repliedUser: true };

/** Reads `allowed_mentions`; null when absent. */
export function readAllowedMentions(form: Form): AllowedMentions | null {
  const allowed = form.form("allowed_mentions");
  if (!allowed) return null;
  const parse = allowed.list("parse") ?? [];
  parse.forEach((value, place) => {
    if (value === "users" || value === "roles" || value === "everyone") return;
    form.errors.add(
      [...allowed.path, "parse", String(place)],
      "BASE_TYPE_CHOICES",
      "Value must be one of ('users', 'everyone', 'roles').",
    );
  });
  const lists = {
    users: allowed.snowflakes("users", { max: 100 }) ?? [],
    roles: allowed.snowflakes("roles", { max: 100 }) ?? [],
  };
  for (const name of ["users", "roles"] as const) {
    if (!parse.includes(name) || lists[name].length === 0) continue;
    const message = `parse:["${name}"] and ${name}: [ids...] are mutually exclusive.`;
    form.errors.add(allowed.path, "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", message);
  }
  return {
    users: parse.includes("users") ? null : lists.users,
    roles: parse.includes("roles") ? null : lists.roles,
    everyone: parse.includes("everyone"),
    repliedUser: allowed.flag("replied_user") ?? false,
  };
}

/** Whom a text really notifies. */
export type Mentioned = {
  readonly userIds: readonly string[];
  readonly roleIds: readonly string[];
  readonly everyone: boolean;
};

/** Finds whom a text mentions and the rules and permissions let it notify. What stands in code mentions nobody. */
export function findMentions(
  world: World,
  said: {
    readonly channel: Channel;
    readonly authorId: string;
    readonly content: string;
    readonly allowed: AllowedMentions;
  },
): Mentioned {
  const { channel, authorId, allowed } = said;
  const text = withoutCode(said.content);
  const permissions = channelPermissions(world, channel, authorId);
  const mayAll = channel.guildId !== null && holds(permissions, "MENTION_EVERYONE");
  const guild = world.guilds.get(channel.guildId ?? "");
  const userIds = named(text, /<@!?(\d{1,20})>/g).filter(
    (id) => world.users.has(id) && (allowed.users === null || allowed.users.includes(id)),
  );
  const roleIds = named(text, /<@&(\d{1,20})>/g).filter((id) => {
    const role = guild?.roles.get(id);
    return role && (role.isMentionable || mayAll) && (allowed.roles === null || allowed.roles.includes(id));
  });
  return { userIds, roleIds, everyone: allowed.everyone && mayAll && /@(everyone|here)/.test(text) };
}

function named(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ""))];
}

function withoutCode(text: string): string {
  return text.replace(/```[\s\S]*?```/g, " ").replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, " ");
}

/** Whether nothing but white space is left of it. */
export function isBlank(text: string): boolean {
  return lengthOf(text.trim()) === 0;
}
