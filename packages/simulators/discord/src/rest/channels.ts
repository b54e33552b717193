import { channelFor, demand } from "../access.ts";
import { readJson } from "../body.ts";
import { announceChannel, directChannel, removeChannel } from "../channels.ts";
import { createFormErrors, invalidForm, refusal } from "../errors.ts";
import { type Form, readForm } from "../form.ts";
import { toChannel } from "../payload.ts";
import { channelPermissions, holds } from "../permissions.ts";
import type { Channel, ThreadState, World } from "../world.ts";
import { type Call, ok, type Route } from "./router.ts";

/** How many minutes a thread may rest before it is put away. */
const archiveMinutes: readonly number[] = [60, 1440, 4320, 10_080];

function get(call: Call) {
  return ok(toChannel(call.world, channelFor(call.world, call.param("channel"), call.bot.id), call.bot.id));
}

function change(call: Call) {
  const { world, bot } = call;
  const channel = channelFor(world, call.param("channel"), bot.id);
  if (channel.guildId === null) throw refusal("directChannel");
  const errors = createFormErrors();
  const form = readForm(readJson(call.request), errors);
  const name = form.text("name", { min: 1, max: 100 });
  const slowmode = form.integer("rate_limit_per_user", { min: 0, max: 21_600 });
  const threadChange = channel.thread ? readThreadChange(form) : null;
  const topic = form.text("topic", { max: channel.type === 15 ? 4096 : 1024 });
  errors.check();
  if (channel.thread && threadChange) {
    demandThreadChange(world, channel, { userId: bot.id, form });
    changeThread(world, channel.thread, threadChange);
  } else demand(world, channel, { userId: bot.id, all: ["MANAGE_CHANNELS"] });
  if (name !== null) channel.name = name;
  if (slowmode !== null) channel.slowmodeSeconds = slowmode;
  if (form.fields["topic"] !== undefined) channel.topic = topic;
  announceChannel(world, channel, "UPDATE");
  return ok(toChannel(world, channel, bot.id));
}

type ThreadChange = {
  readonly isArchived: boolean | null;
  readonly isLocked: boolean | null;
  readonly isInvitable: boolean | null;
  readonly autoArchiveMinutes: number | null;
  readonly appliedTagIds: readonly string[] | null;
};

function readThreadChange(form: Form): ThreadChange {
  return {
    isArchived: form.flag("archived"),
    isLocked: form.flag("locked"),
    isInvitable: form.flag("invitable"),
    autoArchiveMinutes: readArchiveMinutes(form),
    appliedTagIds: form.snowflakes("applied_tags", { max: 5 }),
  };
}

/** Reads `auto_archive_duration`. */
export function readArchiveMinutes(form: Form): number | null {
  const minutes = form.integer("auto_archive_duration");
  if (minutes === null || archiveMinutes.includes(minutes)) return minutes;
  form.fail("auto_archive_duration", "BASE_TYPE_CHOICES", "Value must be one of (60, 1440, 4320, 10080).");
  return null;
}

/** @see https://discord.com/developers/docs/topics/threads#editing-deleting-threads */
function demandThreadChange(
  world: World,
  channel: Channel,
  { userId, form }: { readonly userId: string; readonly form: Form },
): void {
  if (holds(channelPermissions(world, channel, userId), "MANAGE_THREADS")) return;
  const { thread } = channel;
  const isOwner = thread?.ownerId === userId;
  const isUnarchiving = form.fields["archived"] === false && Object.keys(form.fields).length === 1;
  if (isUnarchiving && !thread?.isLocked && thread?.members.has(userId)) return;
  if (form.has("locked") || form.has("rate_limit_per_user") || !isOwner) throw refusal("missingPermissions");
  if (thread.isArchived && form.fields["archived"] !== false) throw refusal("archivedThread");
}

function changeThread(world: World, thread: ThreadState, change: ThreadChange): void {
  if (change.isArchived !== null && change.isArchived !== thread.isArchived) {
    thread.isArchived = change.isArchived;
    thread.archivedMs = world.clock.now();
  }
  thread.isLocked = change.isLocked ?? thread.isLocked;
  thread.isInvitable = change.isInvitable ?? thread.isInvitable;
  thread.autoArchiveMinutes = change.autoArchiveMinutes ?? thread.autoArchiveMinutes;
  thread.appliedTagIds = change.appliedTagIds ?? thread.appliedTagIds;
}

function remove(call: Call) {
  const { world, bot } = call;
  const channel = channelFor(world, call.param("channel"), bot.id);
  const shown = toChannel(world, channel, bot.id);
  // Closing direct messages leaves them where they are.
  if (channel.guildId === null) return ok(shown);
  demand(world, channel, { userId: bot.id, all: [channel.thread ? "MANAGE_THREADS" : "MANAGE_CHANNELS"] });
  removeChannel(world, channel);
  return ok(shown);
}

function open(call: Call) {
  const { world, bot } = call;
  const errors = createFormErrors();
  const form = readForm(readJson(call.request), errors);
  form.require("recipient_id");
  const recipientId = form.snowflake("recipient_id");
  errors.check();
  if (recipientId === null || recipientId === bot.id) throw refusal("invalidRecipient");
  const recipient = world.users.get(recipientId);
  if (!recipient) throw invalidForm(["recipient_id"], "USER_INVALID", "Unknown user");
  if (recipient.isBot) throw refusal("closedToYou");
  return ok(toChannel(world, directChannel(world, bot.id, recipientId), bot.id));
}

/** @see https://discord.com/developers/docs/resources/channel */
export const channelRoutes: readonly Route[] = [
  { route: "GET /channels/:channel", handle: get },
  { route: "PATCH /channels/:channel", handle: change },
  { route: "DELETE /channels/:channel", handle: remove },
  { route: "POST /users/@me/channels", handle: open },
];
