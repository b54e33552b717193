import { guildFor } from "../access.ts";
import { readJson } from "../body.ts";
import { type CommandScope, changeCommand, commandsOf, replaceCommands, upsertCommand } from "../commands.ts";
import { createFormErrors, refusal } from "../errors.ts";
import { readForm } from "../form.ts";
import { toApplication, toUser } from "../payload.ts";
import type { Command } from "../world.ts";
import { type Call, nothing, ok, type Route } from "./router.ts";

function me(call: Call) {
  const user = { ...toUser(call.bot.user), verified: true, mfa_enabled: false, locale: "en-US", email: null };
  return ok(user);
}

function renameMe(call: Call) {
  const errors = createFormErrors();
  const form = readForm(readJson(call.request), errors);
  const name = form.text("username", { min: 2, max: 32 });
  errors.check();
  if (name !== null) call.bot.user.username = name;
  return me(call);
}

function user(call: Call) {
  const found = call.world.users.get(call.param("user"));
  if (!found) throw refusal("unknownUser");
  return ok(toUser(found));
}

function gatewayUrl(call: { readonly world: Call["world"] }): string {
  return call.world.baseUrl.replace(/^http/, "ws");
}

function gatewayBot(call: Call) {
  const limit = call.parts.gateway.identifyLimit.startsOf(call.bot);
  return ok({ url: gatewayUrl(call), shards: call.bot.shards, session_start_limit: limit });
}

function scopeOf(call: Call): CommandScope {
  if (call.param("application") !== call.bot.id) {
    throw refusal(call.world.applications.has(call.param("application")) ? "notYourApplication" : "unknownApplication");
  }
  const guildId = call.param("guild");
  if (guildId === "") return { applicationId: call.bot.id, guildId: null };
  if (!call.world.guilds.get(guildId)?.members.has(call.bot.id)) throw refusal("missingAccess");
  return { applicationId: call.bot.id, guildId: guildFor(call.world, guildId, call.bot.id).id };
}

function commandOf(call: Call): Command {
  const found = commandsOf(call.world, scopeOf(call)).get(call.param("command"));
  if (!found) throw refusal("unknownCommand");
  return found;
}

function create(call: Call) {
  const { command, isNew } = upsertCommand(call.world, scopeOf(call), readJson(call.request));
  return ok(command, isNew ? 201 : 200);
}

function change(call: Call) {
  return ok(changeCommand(call.world, scopeOf(call), { id: commandOf(call).id, body: readJson(call.request) }));
}

function remove(call: Call) {
  commandsOf(call.world, scopeOf(call)).delete(commandOf(call).id);
  return nothing;
}

/** The same routes for the commands everywhere and for those of one guild. */
function commandRoutes(path: string): Route[] {
  return [
    { route: `GET ${path}`, handle: (call) => ok([...commandsOf(call.world, scopeOf(call)).values()]) },
    { route: `PUT ${path}`, handle: (call) => ok(replaceCommands(call.world, scopeOf(call), readJson(call.request))) },
    { route: `POST ${path}`, handle: create },
    { route: `GET ${path}/:command`, handle: (call) => ok(commandOf(call)) },
    { route: `PATCH ${path}/:command`, handle: change },
    { route: `DELETE ${path}/:command`, handle: remove },
  ];
}

/** Who the bot is, where its gateway is, and its commands. @see https://discord.com/developers/docs/resources/application */
export const applicationRoutes: readonly Route[] = [
  { route: "GET /gateway", isOpen: true, handle: (call) => ok({ url: gatewayUrl(call) }) },
  { route: "GET /gateway/bot", handle: gatewayBot },
  { route: "GET /users/@me", handle: me },
  { route: "PATCH /users/@me", handle: renameMe },
  { route: "GET /users/:user", handle: user },
  { route: "GET /applications/@me", handle: (call) => ok(toApplication(call.world, call.bot)) },
  { route: "GET /oauth2/applications/@me", handle: (call) => ok(toApplication(call.world, call.bot)) },
  ...commandRoutes("/applications/:application/commands"),
  ...commandRoutes("/applications/:application/guilds/:guild/commands"),
];
