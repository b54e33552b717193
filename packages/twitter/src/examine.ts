import type { ClientParts } from "@troupe/core";
import { TroupeError } from "@troupe/core/errors";
import { type Answer, createTwitterApi, type TwitterApi } from "./api.ts";
import { readFailure, toClientError } from "./errors.ts";
import { accountOf, type TwitterOptions } from "./options.ts";
import { fieldsOf, readPerson, textIn } from "./payload.ts";
import { readSettings, type TwitterSettings } from "./settings.ts";
import { openTokens } from "./tokens.ts";

/** One thing that was looked at. */
export type Finding = { readonly ok: boolean; readonly message: string; readonly remedy?: string };

/** What an examination needs. */
export type ExamineParts = Pick<ClientParts, "log" | "clock"> & { readonly signal: AbortSignal };

/**
 * Looks at everything that may keep an account from working: its settings, its keys, its standing, what the app may do. Asks X
 * one question that costs nothing; nothing is changed, and no secret is in what it says.
 */
export async function examineTwitter(options: TwitterOptions, parts: ExamineParts): Promise<readonly Finding[]> {
  const { clock, log, signal } = parts;
  let api: TwitterApi | null = null;
  try {
    const settings = readSettings(options.settings);
    const { credentials } = options;
    if (!("clientId" in credentials)) accountOf(credentials);
    const caller = "clientId" in credentials ? openTokens(credentials, { ...options, clock }) : credentials;
    api = await createTwitterApi({ ...options, dryRun: true }, caller, log);
    const answer = await api.call({ method: "GET", path: "users/me" }, signal);
    return [...accountFindings(answer, options), ...settingsFindings(settings, options)];
  } catch (error) {
    signal.throwIfAborted();
    return [failedFinding(error, clock.now())];
  } finally {
    api?.close();
  }
}

function failedFinding(error: unknown, now: number): Finding {
  const isOurs = error instanceof TroupeError;
  const { message } = isOurs ? error : toClientError(readFailure(error, now), "the question whose account it is");
  const [told = message, remedy] = message.replace(/\.$/u, "").split("; ");
  return { ok: false, message: told, ...(remedy !== undefined && { remedy }) };
}

function accountFindings({ body, headers }: Answer, { account, credentials }: TwitterOptions): readonly Finding[] {
  const me = readPerson(fieldsOf(body)?.["data"]);
  if (!me) {
    return [{ ok: false, message: "What answers in X's place is not X", remedy: "check TWITTER_API_ROOT" }];
  }
  if (account !== undefined && account !== me.id) {
    return [
      { ok: false, message: `The keys belong to account ${me.id}, not to ${account}`, remedy: "correct one of them" },
    ];
  }
  const level = textIn(headers, "x-access-level") ?? "";
  const mayWrite = level !== "read";
  const way = "clientId" in credentials ? "OAuth 2.0" : "OAuth 1.0a";
  return [
    { ok: true, message: `X knows the account @${me.username} (${me.id}, ${way})` },
    mayWrite
      ? { ok: true, message: "The app may write" }
      : {
          ok: false,
          message: "The app may only read",
          remedy:
            "set Read and write under User authentication settings in the developer console, then make new access tokens",
        },
    ...(level !== "" && !level.includes("directmessages")
      ? [{ ok: true, message: "The app may not read or write direct messages" }]
      : []),
  ];
}

function settingsFindings(settings: TwitterSettings, options: TwitterOptions): readonly Finding[] {
  const { loops, targetUsers, searchFor, dailySpendUsd } = settings;
  const names = [...loops.keys()];
  const missing = (isMissing: boolean, message: string, remedy: string): readonly Finding[] =>
    isMissing ? [{ ok: false, message, remedy }] : [];
  return [
    {
      ok: true,
      message:
        names.length === 0
          ? "Nothing is switched on: it neither listens nor posts"
          : `Switched on: ${names.join(", ")}`,
    },
    ...missing(loops.has("targets") && targetUsers.length === 0, "targets is on without targetUsers", "name some"),
    ...missing(
      loops.has("search") && searchFor.length === 0 && (options.topics ?? []).length === 0,
      "search is on without anything to search for",
      "give the character topics, or set searchFor",
    ),
    {
      ok: true,
      message: dailySpendUsd === null ? "Spending has no limit" : `It spends at most ${dailySpendUsd} US dollars a day`,
    },
    ...(options.dryRun === true || settings.isDry
      ? [{ ok: true, message: "A dry run: it reads, and writes nothing" }]
      : []),
  ];
}
