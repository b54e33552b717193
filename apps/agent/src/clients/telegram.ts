import type { TelegramOptions } from "@troupe/telegram";
import type { ClientMaking, Platform } from "./platform.ts";

/** Telegram: one bot, by polling unless a webhook is set. */
export const telegram: Platform = {
  name: "telegram",
  title: "Telegram",
  credentials: ["TELEGRAM_BOT_TOKEN"],
  async create(making) {
    const { createTelegramClient } = await import("@troupe/telegram");
    return createTelegramClient(optionsOf(making), making.parts);
  },
  async examine({ parts: { log }, isRunning, signal, ...making }) {
    // Asking would interrupt it, and take it for a competitor.
    if (isRunning)
      return [{ ok: true, message: "An agent of this home is connected; stop it to have Telegram looked at." }];
    const { examineTelegram } = await import("@troupe/telegram");
    return examineTelegram(optionsOf(making), { log, signal });
  },
};

function optionsOf({
  agentId,
  character,
  settings,
  config,
  credentials,
}: Omit<ClientMaking, "parts">): TelegramOptions {
  const { TELEGRAM_API_ROOT: apiRoot, TELEGRAM_WEBHOOK_URL: url, TELEGRAM_WEBHOOK_PORT: port } = config.values;
  const { TELEGRAM_WEBHOOK_SECRET: secretToken, TROUPE_DRY_RUN: dryRun } = config.values;
  const webhook = url && { url, ...(port !== undefined && { port }), ...(secretToken && { secretToken }) };
  return {
    token: credentials["TELEGRAM_BOT_TOKEN"] ?? "",
    agentId,
    agentName: character.name,
    settings,
    ...(apiRoot && { apiRoot }),
    ...(webhook && { webhook }),
    ...(dryRun !== undefined && { dryRun }),
  };
}
