import type { Stage, StageOptions } from "./stage.ts";

/** A platform that can be simulated, and the simulator that is loaded for it. */
export type StagedPlatform = {
  /** As clients, and the command line, call it. */
  readonly name: string;
  /** @throws the system's error when the port is taken. */
  open(options: StageOptions): Promise<Stage>;
};

/** Every platform there is a simulator for, in the order in which they are named to people. */
export const stagedPlatforms: readonly StagedPlatform[] = [
  { name: "discord", open: async (options) => (await import("./discord-stage.ts")).openDiscordStage(options) },
  { name: "telegram", open: async (options) => (await import("./telegram-stage.ts")).openTelegramStage(options) },
  { name: "twitter", open: async (options) => (await import("./twitter-stage.ts")).openTwitterStage(options) },
];
