export { createTelegramClient, type TelegramClient } from "./client.ts";
export type { TelegramOptions, TelegramWebhook } from "./options.ts";
