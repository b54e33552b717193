import type { Platform } from "./platform.ts";

/** Telegram: one bot, by polling unless a webhook is set. */
export const telegram: Platform = {
  name: "telegram",
  title: "Telegram",
  credentials: ["TELEGRAM_BOT_TOKEN"],
  async create({ agentId, character, settings, config, parts, credentials }) {
    const { createTelegramClient } = await import("@troupe/telegram");
    const { TELEGRAM_API_ROOT: apiRoot, TELEGRAM_WEBHOOK_URL: url, TELEGRAM_WEBHOOK_PORT: port } = config.values;
    const { TELEGRAM_WEBHOOK_SECRET: secretToken, TROUPE_DRY_RUN: dryRun } = config.values;
    const webhook = url && { url, ...(port !== undefined && { port }), ...(secretToken && { secretToken }) };
    return createTelegramClient(
      {
        token: credentials["TELEGRAM_BOT_TOKEN"] ?? "",
        agentId,
        agentName: character.name,
        settings,
        ...(apiRoot && { apiRoot }),
        ...(webhook && { webhook }),
        ...(dryRun !== undefined && { dryRun }),
      },
      parts,
    );
  },
};
