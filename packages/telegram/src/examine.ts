import type { ClientParts } from "@troupe/core";
import { errorMessage } from "@troupe/core/errors";
import { createTelegramApi, type TelegramApi } from "./api.ts";
import { readFailure, toFatal } from "./errors.ts";
import { botIdOf, readSettings, type TelegramOptions } from "./options.ts";
import { type Fields, fieldsOf, integerIn, textIn } from "./payload.ts";

/** One thing that was looked at. */
export type Finding = { readonly ok: boolean; readonly message: string; readonly remedy?: string };

/** What an examination needs. */
export type ExamineParts = Pick<ClientParts, "log"> & { readonly signal: AbortSignal };

/** Another program that polls comes back within so long. */
const listenSeconds = 3;

/**
 * Looks at everything that may keep a bot from working: its token, its settings, who else listens, what it may read. Takes a
 * few seconds; nothing is acknowledged or changed, and no secret is in what it says.
 */
export async function examineTelegram(
  options: TelegramOptions,
  { log, signal }: ExamineParts,
): Promise<readonly Finding[]> {
  try {
    botIdOf(options.token);
    readSettings(options.settings);
  } catch (error) {
    return [{ ok: false, message: errorMessage(error) }];
  }
  const api = await createTelegramApi({ ...options, dryRun: true }, log);
  const ask = (method: string, payload: Fields = {}) => api.call(method, payload, { signal });
  let me: Fields | null;
  try {
    me = fieldsOf(await ask("getMe"));
  } catch (error) {
    return [unanswered(error)];
  }
  const findings: Finding[] = [
    { ok: true, message: `The token is that of @${textIn(me, "username") ?? "?"}.` },
    privacy(me),
  ];
  try {
    const webhook = fieldsOf(await ask("getWebhookInfo"));
    findings.push(...(options.webhook ? webhookFindings(webhook, options.webhook.url) : pollingFindings(webhook)));
    const hasWebhook = (textIn(webhook, "url") ?? "") !== "";
    if (!options.webhook && !hasWebhook) findings.push(await competition(api, signal));
  } catch (error) {
    findings.push(unanswered(error));
  }
  return findings;
}

function unanswered(error: unknown): Finding {
  const failure = readFailure(error);
  const fatal = toFatal(failure);
  if (fatal) return { ok: false, message: fatal.message };
  const code = failure.type === "refused" ? `error ${failure.code}` : failure.code;
  return {
    ok: false,
    message: `Telegram did not answer (${code}).`,
    remedy: "Check the connection to api.telegram.org, or the address of your own Bot API server.",
  };
}

function privacy(me: Fields | null): Finding {
  if (me?.["can_join_groups"] === false) {
    return { ok: true, message: "The bot may not be added to groups; @BotFather changes that with /setjoingroups." };
  }
  if (me?.["can_read_all_group_messages"] === true)
    return { ok: true, message: "The bot reads everything in its groups." };
  return {
    ok: true,
    message: "Privacy mode is on: in groups the bot reads only commands, mentions and answers to it.",
    remedy:
      "To let it read everything, switch it off with /setprivacy at @BotFather and add the bot to its groups again.",
  };
}

function pollingFindings(webhook: Fields | null): readonly Finding[] {
  if ((textIn(webhook, "url") ?? "") === "") return [];
  return [
    {
      ok: false,
      message: "Telegram brings this bot's updates to a webhook, and another program may be using it.",
      remedy: "Starting this agent takes the webhook away; set TELEGRAM_WEBHOOK_URL to go on with one.",
    },
  ];
}

function webhookFindings(webhook: Fields | null, url: string): readonly Finding[] {
  const pending = integerIn(webhook, "pending_update_count") ?? 0;
  const lastError = textIn(webhook, "last_error_message");
  const isSet = textIn(webhook, "url") === url;
  return [
    isSet
      ? { ok: true, message: `Telegram brings updates to the webhook; ${pending} wait.` }
      : { ok: true, message: "The webhook is not set yet; starting the agent sets it." },
    ...(isSet && lastError !== undefined
      ? [
          {
            ok: false,
            message: `Telegram could not bring the last update: ${lastError.slice(0, 200)}.`,
            remedy:
              "See that the address can be reached from outside with a valid certificate, and leads to this agent.",
          },
        ]
      : []),
  ];
}

/** Who asks for updates while another does ends the other's question; the other comes back, and ends ours. */
async function competition(api: TelegramApi, signal: AbortSignal): Promise<Finding> {
  try {
    const waiting = await api.call("getUpdates", { timeout: listenSeconds, limit: 1 }, { signal });
    const isWaiting = Array.isArray(waiting) && waiting.length > 0;
    return { ok: true, message: isWaiting ? "Messages wait for the bot." : "Nobody else asks for the bot's updates." };
  } catch (error) {
    const failure = readFailure(error);
    if (failure.type !== "refused" || failure.code !== 409) return unanswered(error);
    return {
      ok: false,
      message: "Another program asks for this bot's updates.",
      remedy: "Stop it, if it is not this agent itself, or give this agent a bot of its own.",
    };
  }
}
