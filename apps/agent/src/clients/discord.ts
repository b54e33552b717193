import type { Platform } from "./platform.ts";

/** Discord: one bot in its servers, threads and direct messages. */
export const discord: Platform = {
  name: "discord",
  title: "Discord",
  credentials: ["DISCORD_API_TOKEN"],
  async create({ agentId, character, settings, config, parts, credentials }) {
    const { createDiscordClient } = await import("@troupe/discord");
    const { DISCORD_API_ROOT: api, TROUPE_DRY_RUN: dryRun } = config.values;
    return createDiscordClient(
      {
        token: credentials["DISCORD_API_TOKEN"] ?? "",
        agentId,
        agentName: character.name,
        settings,
        ...(api !== undefined && { rest: { api } }),
        ...(dryRun !== undefined && { dryRun }),
      },
      parts,
    );
  },
};
