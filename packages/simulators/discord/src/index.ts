export type { SimulatedChannel } from "./act/channel.ts";
export type { SimulatedInteraction } from "./act/commands.ts";
export type { ChannelOptions, RoleOptions, SimulatedGuild } from "./act/guild.ts";
export type { Saying, SentFile, SimulatedUser } from "./act/user.ts";
export type { GatewayControl, SessionView } from "./gateway/control.ts";
export type { BotOptions, Clock, DiscordSimulatorOptions } from "./options.ts";
export type { LimitOptions } from "./rate-limits.ts";
export {
  type DiscordSimulator,
  type GuildOptions,
  type SimulatedBot,
  startDiscordSimulator,
  type UserOptions,
} from "./simulator.ts";
export { createTown, type Town, type TownEvent } from "./town.ts";
export type { Message, WorldEvent } from "./world.ts";
