import type { DiscordOptions } from "@troupe/discord";
import type { ClientMaking, Platform } from "./platform.ts";

/** Discord: one bot in its servers, threads and direct messages. */
export const discord: Platform = {
  name: "discord",
  title: "Discord",
  credentials: ["DISCORD_API_TOKEN"],
  async create(making) {
    const { createDiscordClient } = await import("@troupe/discord");
    return createDiscordClient(optionsOf(making), making.parts);
  },
  async examine({ parts, signal, ...making }) {
    const { examineDiscord } = await import("@troupe/discord");
    return examineDiscord(optionsOf(making), { ...parts, signal });
  },
};

function optionsOf({ agentId, character, settings, config, credentials }: Omit<ClientMaking, "parts">): DiscordOptions {
  const { DISCORD_API_ROOT: api, TROUPE_DRY_RUN: dryRun } = config.values;
  const { shards } = settings;
  return {
    token: credentials["DISCORD_API_TOKEN"] ?? "",
    agentId,
    agentName: character.name,
    settings,
    ...(api !== undefined && { rest: { api } }),
    ...(shards !== undefined && { shards: shards === "auto" ? shards : Number(shards) }),
    ...(dryRun !== undefined && { dryRun }),
  };
}
