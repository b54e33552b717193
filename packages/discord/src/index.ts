export { createDiscordClient } from "./client.ts";
export type { DiscordOptions } from "./options.ts";
