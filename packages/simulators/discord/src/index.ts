export type { SimulatedChannel } from "./act/channel.ts";
export type { SimulatedInteraction } from "./act/commands.ts";
export type { SimulatedGuild } from "./act/guild.ts";
export type { SimulatedUser } from "./act/user.ts";
export type { BotOptions, DiscordSimulatorOptions } from "./options.ts";
export {
  type DiscordSimulator,
  type GuildOptions,
  type SimulatedBot,
  startDiscordSimulator,
  type UserOptions,
} from "./simulator.ts";
export type { Message } from "./world.ts";
