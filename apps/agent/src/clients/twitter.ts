import { join } from "node:path";
import type { PlatformSettings } from "@troupe/core";
import type { SignIn, TwitterOptions } from "@troupe/twitter";
import type { Config } from "../config.ts";
import type { ClientMaking, Platform } from "./platform.ts";

/** X (Twitter): one account, by four keys or a sign-in. */
export const twitter: Platform = {
  name: "twitter",
  title: "X",
  credentials: ["TWITTER_ACCESS_TOKEN", "TWITTER_ACCESS_TOKEN_SECRET", "TWITTER_API_KEY", "TWITTER_API_SECRET_KEY"],
  otherCredentials: ["TWITTER_CLIENT_ID"],
  async create(making) {
    const { createTwitterClient } = await import("@troupe/twitter");
    return createTwitterClient(optionsOf(making), making.parts);
  },
  async examine({ parts, isRunning: _, signal, ...making }) {
    const { examineTwitter } = await import("@troupe/twitter");
    return examineTwitter(optionsOf(making), { ...parts, signal });
  },
};

function optionsOf({ agentId, character, settings, config, credentials }: Omit<ClientMaking, "parts">): TwitterOptions {
  const { TWITTER_API_ROOT: apiRoot, TWITTER_DRY_RUN: isDryOnX, TROUPE_DRY_RUN: isDry } = config.values;
  return {
    credentials: credentialsOf(credentials, config),
    agentId,
    agentName: character.name,
    topics: character.topics,
    settings: { ...settingsOf(config), ...settings },
    ...(apiRoot !== undefined && { apiRoot }),
    dryRun: isDryOnX === true || isDry === true,
  };
}

function credentialsOf(values: ClientMaking["credentials"], config: Config): TwitterOptions["credentials"] {
  const clientId = values["TWITTER_CLIENT_ID"];
  if (clientId !== undefined) return signInOf(clientId, config);
  const read = (name: string): string => values[name] ?? "";
  return {
    appKey: read("TWITTER_API_KEY"),
    appSecret: read("TWITTER_API_SECRET_KEY"),
    accessToken: read("TWITTER_ACCESS_TOKEN"),
    accessSecret: read("TWITTER_ACCESS_TOKEN_SECRET"),
  };
}

/** Where the sign-in of an app is kept in a home, and what opens it. */
function signInOf(clientId: string, { homePath, values }: Config): SignIn {
  const { TWITTER_CLIENT_SECRET: clientSecret, TWITTER_TOKENS_PASSPHRASE: passphrase } = values;
  return {
    clientId,
    tokensPath: join(homePath, "twitter", `${clientId.replaceAll(/[^\w-]/g, "_")}.json`),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(passphrase !== undefined && { passphrase }),
  };
}

/** What the environment says of every character; what stands in its own file wins. */
function settingsOf({ values }: Config): PlatformSettings {
  const range = (from: number | undefined, to: number | undefined, usual: readonly [number, number]) =>
    from === undefined && to === undefined
      ? undefined
      : [from ?? Math.min(usual[0], to ?? usual[0]), to ?? Math.max(usual[1], from ?? 0)];
  const { POST_INTERVAL_MIN: from, POST_INTERVAL_MAX: to } = values;
  const said = {
    mentions: values.TWITTER_ENABLE_REPLIES,
    pollIntervalSeconds: values.TWITTER_POLL_INTERVAL,
    posts: values.TWITTER_ENABLE_POST,
    postIntervalMinutes: range(from, to, [90, 180]),
    homeTimeline: values.ENABLE_ACTION_PROCESSING,
    timelineIntervalMinutes: values.ACTION_INTERVAL,
    maxActionsPerRun: values.MAX_ACTIONS_PROCESSING,
    search: values.TWITTER_SEARCH_ENABLE,
    targets: values.TWITTER_ENABLE_TARGETS,
    targetUsers: values.TWITTER_TARGET_USERS,
    directMessages: values.TWITTER_ENABLE_DIRECT_MESSAGES,
    dailySpendUsd: values.TWITTER_DAILY_SPEND_USD,
  };
  return Object.fromEntries(
    Object.entries(said).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
