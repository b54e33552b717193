export { createTelegramClient, type TelegramClient } from "./client.ts";
export { examineTelegram, type Finding } from "./examine.ts";
export type { TelegramOptions, TelegramWebhook } from "./options.ts";
