import { toUserById } from "../payload.ts";
import { clearReactions, react, reactionOf, readEmoji, unreact } from "../reactions.ts";
import { compareSnowflakes } from "../snowflake.ts";
import { messageOf } from "./messages.ts";
import { readQuery } from "./queries.ts";
import { type Call, nothing, ok, type Route } from "./router.ts";

function add(call: Call) {
  const { message } = messageOf(call);
  react(call.world, message, { userId: call.bot.id, emoji: readEmoji(call.world, call.param("emoji")) });
  return nothing;
}

function takeBack(call: Call, userId: string) {
  const { message } = messageOf(call);
  unreact(call.world, message, { userId, emoji: readEmoji(call.world, call.param("emoji")), byId: call.bot.id });
  return nothing;
}

function who(call: Call) {
  const { message } = messageOf(call);
  const query = readQuery(call.request);
  const limit = query.integer("limit", { min: 1, max: 100 }) ?? 25;
  const after = query.snowflake("after");
  query.check();
  const reaction = reactionOf(message, readEmoji(call.world, call.param("emoji")));
  const ids = [...(reaction?.userIds ?? [])].sort(compareSnowflakes);
  const later = after === null ? ids : ids.filter((id) => compareSnowflakes(id, after) > 0);
  return ok(later.slice(0, limit).map((id) => toUserById(call.world, id)));
}

function clear(call: Call, isOne: boolean) {
  const { message } = messageOf(call);
  const emoji = isOne ? readEmoji(call.world, call.param("emoji")) : null;
  clearReactions(call.world, message, { byId: call.bot.id, emoji });
  return nothing;
}

const path = "/channels/:channel/messages/:message/reactions";

/** @see https://discord.com/developers/docs/resources/message#create-reaction */
export const reactionRoutes: readonly Route[] = [
  { route: `PUT ${path}/:emoji/@me`, handle: add },
  { route: `DELETE ${path}/:emoji/@me`, handle: (call) => takeBack(call, call.bot.id) },
  { route: `DELETE ${path}/:emoji/:user`, handle: (call) => takeBack(call, call.param("user")) },
  { route: `GET ${path}/:emoji`, handle: who },
  { route: `DELETE ${path}/:emoji`, handle: (call) => clear(call, true) },
  { route: `DELETE ${path}`, handle: (call) => clear(call, false) },
];
