export { createDiscordClient } from "./client.ts";
export { examineDiscord, type Finding } from "./examine.ts";
export type { DiscordOptions } from "./options.ts";
