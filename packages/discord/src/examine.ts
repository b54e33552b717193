import type { ClientParts } from "@troupe/core";
import { createDiscordApi, type DiscordApi } from "./api.ts";
import { readFailure, toClientError } from "./errors.ts";
import { type Identity, identify } from "./identify.ts";
import { checkOptions, type DiscordOptions } from "./options.ts";
import { numberOf, recordOf, recordsOf, textOf } from "./read.ts";

/** One thing that was looked at. */
export type Finding = { readonly ok: boolean; readonly message: string; readonly remedy?: string };

/** What the bot does, and the bit that allows it. @see https://discord.com/developers/docs/topics/permissions */
const neededPermissions = {
  "View Channels": 1n << 10n,
  "Send Messages": 1n << 11n,
  "Send Messages in Threads": 1n << 38n,
  "Create Public Threads": 1n << 35n,
  "Embed Links": 1n << 14n,
  "Attach Files": 1n << 15n,
  "Read Message History": 1n << 16n,
  "Add Reactions": 1n << 6n,
  "Use External Emojis": 1n << 18n,
} as const;

const administrator = 1n << 3n;

/** The page on which an owner lets the bot into a server, with exactly the permissions it needs. */
function inviteUrl(applicationId: string): string {
  const permissions = Object.values(neededPermissions).reduce((all, bit) => all | bit, 0n);
  return `https://discord.com/oauth2/authorize?client_id=${applicationId}&scope=bot+applications.commands&permissions=${permissions}`;
}

/** What looking needs. */
type ExamineParts = Pick<ClientParts, "clock" | "log"> & { readonly signal?: AbortSignal };

/** Looks at the token, the intents, the connections left for today, and each server's permissions. Changes nothing. */
export async function examineDiscord(
  options: DiscordOptions,
  { clock, log, signal }: ExamineParts,
): Promise<readonly Finding[]> {
  try {
    checkOptions(options);
  } catch (error) {
    return [
      { ok: false, message: "The options for Discord are wrong.", remedy: error instanceof Error ? error.message : "" },
    ];
  }
  const { token, rest, timeoutMs = 10_000 } = options;
  const api = await createDiscordApi({ token, api: rest?.api, timeoutMs, isDry: true, clock, log });
  try {
    const identity = await identify(api, signal);
    return [
      { ok: true, message: `Discord knows the bot as ${identity.name} (${identity.userId}).` },
      ...intentFindings(identity),
      await connectionFinding(api),
      ...(await guildFindings(api, identity)),
    ];
  } catch (error) {
    const isToken = readFailure(error).type === "refused";
    const message = isToken ? "Discord does not accept the bot's token." : "Discord cannot be reached.";
    return [{ ok: false, message, remedy: toClientError(error).message }];
  } finally {
    api.close();
  }
}

function intentFindings({ hasContent, hasMembers }: Identity): readonly Finding[] {
  const portal = "switch it on under Bot > Privileged Gateway Intents in the developer portal";
  return [
    hasContent
      ? { ok: true, message: "Message Content Intent is on." }
      : {
          ok: false,
          message: "Message Content Intent is off: only direct messages and mentions are read.",
          remedy: portal,
        },
    hasMembers
      ? { ok: true, message: "Server Members Intent is on." }
      : { ok: true, message: "Server Members Intent is off: joins and leaves are not told.", remedy: portal },
  ];
}

async function connectionFinding(api: DiscordApi): Promise<Finding> {
  const gateway = recordOf(await api.request({ method: "GET", route: "/gateway/bot", isRepeatable: true }));
  const limit = recordOf(gateway["session_start_limit"]);
  const remaining = numberOf(limit["remaining"]);
  const shards = numberOf(gateway["shards"]) ?? 1;
  const advice = shards > 1 ? ` Discord recommends ${shards} shards: start with shards "auto".` : "";
  if (remaining !== 0)
    return { ok: true, message: `The bot may connect ${remaining ?? "some"} more times today.${advice}` };
  const hours = Math.ceil((numberOf(limit["reset_after"]) ?? 0) / 3_600_000);
  return {
    ok: false,
    message: "The bot has connected too often today.",
    remedy: `wait ${hours} h, and see what restarts it`,
  };
}

async function guildFindings(api: DiscordApi, { applicationId }: Identity): Promise<readonly Finding[]> {
  const invite = inviteUrl(applicationId);
  const answer = await api
    .request({ method: "GET", route: "/users/@me/guilds", query: { limit: "200" }, isRepeatable: true })
    .catch((error: unknown) => {
      if (readFailure(error).type !== "refused") throw error;
      return null;
    });
  if (answer === null) return [{ ok: true, message: `Invite the bot with: ${invite}` }];
  const guilds = recordsOf(answer);
  if (guilds.length === 0)
    return [{ ok: false, message: "The bot is in no server.", remedy: `invite it with: ${invite}` }];
  return [
    ...guilds.map((guild): Finding => {
      const name = textOf(guild["name"]) ?? "a server";
      const missing = missingPermissions(textOf(guild["permissions"]));
      if (missing.length === 0) return { ok: true, message: `In ${name} the bot may do all it needs.` };
      return {
        ok: false,
        message: `In ${name} the bot lacks: ${missing.join(", ")}.`,
        remedy: `grant them to its role, or invite it again with: ${invite}`,
      };
    }),
    { ok: true, message: `Invite the bot elsewhere with: ${invite}` },
  ];
}

function missingPermissions(permissions: string | null): readonly string[] {
  const held = permissions !== null && /^\d+$/.test(permissions) ? BigInt(permissions) : 0n;
  if ((held & administrator) !== 0n) return [];
  return Object.entries(neededPermissions).flatMap(([name, bit]) => ((held & bit) === 0n ? [name] : []));
}
