import { badRequest, conflict } from "../api-error.ts";
import type { Call, Method } from "./call.ts";

/** Takes over which updates the bot wants; a list without members means all but those that must be asked for. */
function rememberAllowed({ bot, parameters }: Call): void {
  const stated = parameters.json("allowed_updates");
  if (stated === undefined) return;
  if (!Array.isArray(stated)) throw badRequest("can't parse allowed updates JSON object");
  bot.updates.allowed = stated.length === 0 ? null : stated.map(String);
}

/** @see https://core.telegram.org/bots/api#getupdates */
export const getUpdates: Method = async (call) => {
  const { bot, parameters, poller, gone } = call;
  if (bot.webhook.settings) {
    throw conflict(
      "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    );
  }
  rememberAllowed(call);
  const limit = parameters.integer("limit") ?? 100;
  const timeoutSeconds = Math.min(Math.max(parameters.integer("timeout") ?? 0, 0), 50);
  const offset = parameters.integer("offset") ?? 0;
  if (offset !== 0) bot.updates.acknowledge(offset);
  return await poller.poll({ limit: limit < 1 || limit > 100 ? 100 : limit, timeoutMs: timeoutSeconds * 1000, gone });
};

/** @see https://core.telegram.org/bots/api#setwebhook */
export const setWebhook: Method = (call) => {
  const { bot, parameters, poller } = call;
  const url = parameters.text("url")?.trim() ?? "";
  if (url === "") return deleteWebhook(call);
  checkAddress(url);
  const secretToken = parameters.text("secret_token") || null;
  if (secretToken !== null && secretToken.length > 256) throw badRequest("secret token is too long");
  if (secretToken !== null && !/^[\w-]+$/.test(secretToken))
    throw badRequest("secret token contains unallowed characters");
  const connections = parameters.integer("max_connections") ?? 40;
  rememberAllowed(call);
  if (parameters.flag("drop_pending_updates")) bot.updates.clear();
  poller.end(conflict("terminated by setWebhook request"));
  bot.webhook.set({ url, secretToken, maxConnections: Math.min(Math.max(connections, 1), 100) });
  return true;
};

/** HTTPS, or anything on this machine: what Telegram's own server allows where it runs beside the bot. */
function checkAddress(address: string): void {
  const url = URL.parse(address);
  if (!url) throw badRequest("bad webhook: invalid webhook URL specified");
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url.protocol !== "https:" && !(isHere && url.protocol === "http:")) {
    throw badRequest("bad webhook: An HTTPS URL must be provided for webhook");
  }
}

/** @see https://core.telegram.org/bots/api#deletewebhook */
export const deleteWebhook: Method = ({ bot, parameters }) => {
  if (parameters.flag("drop_pending_updates")) bot.updates.clear();
  bot.webhook.set(null);
  return true;
};

/** @see https://core.telegram.org/bots/api#getwebhookinfo */
export const getWebhookInfo: Method = ({ bot }) => bot.webhook.info();

/** @see https://core.telegram.org/bots/api#close */
export const close: Method = ({ bot, poller }) => {
  poller.end(conflict("terminated by close request"));
  bot.webhook.set(null);
  return true;
};

/** @see https://core.telegram.org/bots/api#answercallbackquery */
export const answerCallbackQuery: Method = ({ world, bot, parameters }) => {
  const query = world.callbacks.get(parameters.text("callback_query_id") ?? "");
  const isOld = query === undefined || query.bot !== bot || world.clock.now() - query.atMs > world.callbackTtlMs;
  if (isOld) throw badRequest("query is too old and response timeout expired or query ID is invalid");
  const text = parameters.text("text") ?? "";
  if (text.length > 200) throw badRequest("MESSAGE_TOO_LONG");
  const url = parameters.text("url");
  query.answered({ showAlert: parameters.flag("show_alert"), ...(text ? { text } : {}), ...(url ? { url } : {}) });
  return true;
};

const downloadLimitBytes = 20 * 1024 * 1024;

/** @see https://core.telegram.org/bots/api#getfile */
export const getFile: Method = ({ world, parameters }) => {
  const id = parameters.text("file_id") ?? "";
  if (id === "") throw badRequest("file_id is empty");
  const file = world.files.byId(id);
  if (!file) throw badRequest("invalid file_id");
  if (file.bytes.length > downloadLimitBytes) throw badRequest("file is too big");
  return { file_id: id, file_unique_id: file.uniqueId, file_size: file.bytes.length, file_path: file.path };
};
