import { z } from "zod";

const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, { abort: true })
    .transform(Number)
    .refine((value) => value >= least && value <= most);

const model = z.string().max(200);

/** `true` and `false`, and what people write for them. */
const flag = z
  .string()
  .toLowerCase()
  .pipe(z.enum(["true", "1", "yes", "on", "false", "0", "no", "off"]))
  .transform((said) => ["true", "1", "yes", "on"].includes(said));

/** What a value must be, and what to tell whoever wrote another one. */
type Variable = { readonly schema: z.ZodType; readonly remedy: string; readonly isSecret?: true };

const kinds = [
  "TEXT_SMALL",
  "TEXT_LARGE",
  "REASONING_SMALL",
  "REASONING_LARGE",
  "OBJECT_SMALL",
  "OBJECT_LARGE",
] as const;
const temperature = {
  schema: z
    .string()
    .regex(/^\d(\.\d+)?$/, { abort: true })
    .transform(Number)
    .refine((value) => value <= 2),
  remedy: "write a number from 0 to 2, e.g. 0.7",
};
const maxTokens = { schema: whole(1, 1_000_000), remedy: "write a whole number from 1 to 1000000, e.g. 2000" };
const reasoning = {
  schema: z.enum(["none", "minimal", "low", "medium", "high"]),
  remedy: "write none, minimal, low, medium or high",
};
const byName = { schema: model, remedy: "write provider:name, e.g. openai:gpt-6-luna" };
const special = { schema: model, remedy: "write provider:name, or none to go without" };

/** One variable for each kind of language model, as `TEXT_SMALL_TEMPERATURE`. */
function perKind<Ending extends string, One extends Variable>(ending: Ending, variable: One) {
  // The cast names what Object.fromEntries cannot know: a key for each kind.
  return Object.fromEntries(kinds.map((kind) => [`${kind}_${ending}`, variable])) as {
    readonly [Name in `${(typeof kinds)[number]}_${Ending}`]: One;
  };
}

const minutes = { schema: whole(1, 100_000), remedy: "write minutes from 1 to 100000, e.g. 90" };
const seconds = { schema: whole(10, 86_400), remedy: "write seconds from 10 to 86400, e.g. 120" };

const key = { schema: z.string().regex(/^[\x21-\x7e]+$/), isSecret: true } as const;
const address = { schema: z.url({ protocol: /^https?$/ }) };

/**
 * Every environment variable the program reads. A value is trimmed before; an empty one counts as absent.
 * `.env.example` says what each is for; a test keeps the two lists the same.
 */
const variables = {
  OPENAI_API_KEY: { ...key, remedy: "it holds spaces, quotes around it or unprintable characters; copy the key again" },
  OPENAI_BASE_URL: { ...address, remedy: "write an address like http://127.0.0.1:11434/v1" },
  OPENAI_MODEL: { schema: model, remedy: "write a model's name" },
  OPENAI_SMALL_MODEL: { schema: model, remedy: "write a model's name" },
  ANTHROPIC_API_KEY: {
    ...key,
    remedy: "it holds spaces, quotes around it or unprintable characters; copy the key again",
  },
  ANTHROPIC_BASE_URL: { ...address, remedy: "write an address like https://api.anthropic.com/v1" },
  ANTHROPIC_MODEL: { schema: model, remedy: "write a model's name" },
  ANTHROPIC_SMALL_MODEL: { schema: model, remedy: "write a model's name" },
  TROUPE_PROVIDER: { schema: z.string().max(50), remedy: "write openai, anthropic, ollama, lmstudio, vllm or offline" },
  TROUPE_LARGE_MODEL: { schema: model, remedy: "write provider:name, e.g. ollama:llama3.2" },
  TROUPE_SMALL_MODEL: { schema: model, remedy: "write provider:name, e.g. ollama:llama3.2" },
  TROUPE_FALLBACK_MODEL: { schema: model, remedy: "write provider:name, or offline" },
  TROUPE_TEMPERATURE: temperature,
  TROUPE_MAX_TOKENS: maxTokens,
  TROUPE_REASONING: reasoning,
  TROUPE_REASONING_SMALL_MODEL: byName,
  TROUPE_REASONING_LARGE_MODEL: byName,
  TROUPE_OBJECT_SMALL_MODEL: byName,
  TROUPE_OBJECT_LARGE_MODEL: byName,
  SHOULD_RESPOND_MODEL: { schema: model, remedy: "write small, large or provider:name" },
  ...perKind("TEMPERATURE", temperature),
  ...perKind("MAX_TOKENS", maxTokens),
  ...perKind("REASONING", reasoning),
  TROUPE_EMBEDDING_MODEL: special,
  OPENAI_EMBEDDING_MODEL: special,
  OPENAI_EMBEDDING_DIMENSIONS: { schema: whole(1, 16_384), remedy: "write a whole number from 1 to 16384, e.g. 512" },
  OPENAI_EMBEDDING_URL: { ...address, remedy: "write an address like http://127.0.0.1:11434/v1" },
  OPENAI_EMBEDDING_API_KEY: {
    ...key,
    remedy: "it holds spaces, quotes around it or unprintable characters; copy the key again",
  },
  TROUPE_IMAGE_DESCRIPTION_MODEL: special,
  IMAGE_DESCRIPTION_MODEL: special,
  OPENAI_IMAGE_DESCRIPTION_MODEL: special,
  TROUPE_TRANSCRIPTION_MODEL: special,
  OPENAI_TRANSCRIPTION_MODEL: special,
  TROUPE_SPEECH_MODEL: special,
  OPENAI_TTS_MODEL: special,
  OPENAI_TTS_VOICE: { schema: z.string().max(100), remedy: "write the name of a voice, e.g. alloy" },
  TROUPE_IMAGE_MODEL: special,
  OPENAI_IMAGE_MODEL: special,
  DISCORD_API_TOKEN: { ...key, remedy: "copy the bot's token again, without quotes" },
  DISCORD_API_ROOT: { ...address, remedy: "write an address like http://127.0.0.1:8080/api" },
  TELEGRAM_BOT_TOKEN: { ...key, remedy: "copy the token from @BotFather again, without quotes" },
  TELEGRAM_API_ROOT: { ...address, remedy: "write an address like http://127.0.0.1:8081" },
  TELEGRAM_WEBHOOK_URL: {
    schema: z.url({ protocol: /^https$/ }),
    remedy: "write an https address that Telegram can reach",
  },
  TELEGRAM_WEBHOOK_PORT: { schema: whole(1, 65_535), remedy: "write a port from 1 to 65535" },
  TELEGRAM_WEBHOOK_SECRET: {
    schema: z.string().regex(/^[A-Za-z0-9_-]{1,256}$/),
    isSecret: true,
    remedy: "write 1 to 256 letters, digits, _ or -",
  },
  TROUPE_ALLOW_PRIVATE_URLS: { schema: flag, remedy: "write true or false" },
  TWITTER_API_KEY: { ...key, remedy: "copy the API key (consumer key) again, without quotes" },
  TWITTER_API_SECRET_KEY: { ...key, remedy: "copy the API key secret again, without quotes" },
  TWITTER_ACCESS_TOKEN: { ...key, remedy: "copy the access token again, without quotes" },
  TWITTER_ACCESS_TOKEN_SECRET: { ...key, remedy: "copy the access token secret again, without quotes" },
  TWITTER_CLIENT_ID: { schema: z.string().regex(/^[\x21-\x7e]+$/), remedy: "copy the app's OAuth 2.0 client id again" },
  TWITTER_CLIENT_SECRET: { ...key, remedy: "copy the app's OAuth 2.0 client secret again" },
  TWITTER_TOKENS_PASSPHRASE: { ...key, remedy: "write a passphrase without spaces" },
  TWITTER_API_ROOT: { ...address, remedy: "write an address like http://127.0.0.1:8082" },
  TWITTER_DRY_RUN: { schema: flag, remedy: "write true or false" },
  TWITTER_ENABLE_REPLIES: { schema: flag, remedy: "write true or false" },
  TWITTER_POLL_INTERVAL: seconds,
  TWITTER_ENABLE_POST: { schema: flag, remedy: "write true or false" },
  POST_INTERVAL_MIN: minutes,
  POST_INTERVAL_MAX: minutes,
  ENABLE_ACTION_PROCESSING: { schema: flag, remedy: "write true or false" },
  ACTION_INTERVAL: minutes,
  MAX_ACTIONS_PROCESSING: { schema: whole(0, 1_000), remedy: "write a whole number from 0 to 1000, e.g. 3" },
  TWITTER_SEARCH_ENABLE: { schema: flag, remedy: "write true or false" },
  TWITTER_ENABLE_TARGETS: { schema: flag, remedy: "write true or false" },
  TWITTER_TARGET_USERS: { schema: z.string().max(10_000), remedy: "write names of accounts with commas between them" },
  TWITTER_ENABLE_DIRECT_MESSAGES: { schema: flag, remedy: "write true or false" },
  TWITTER_DAILY_SPEND_USD: {
    schema: z.union([
      z.literal("unlimited"),
      z
        .string()
        .regex(/^\d{1,6}(\.\d{1,4})?$/)
        .transform(Number),
    ]),
    remedy: "write US dollars, e.g. 5, or unlimited",
  },
  TROUPE_DRY_RUN: { schema: flag, remedy: "write true or false" },
  TROUPE_HOME: { schema: z.string().max(1_000), remedy: "write the path of a directory" },
  TROUPE_CHARACTERS: {
    schema: z.string().max(10_000),
    remedy: "write paths of character files with commas between them",
  },
  TROUPE_ENV_FILE: { schema: z.string().max(1_000), remedy: "write the path of a file" },
  TROUPE_RUN_TIMEOUT_MS: {
    schema: whole(1_000, 86_400_000),
    remedy: "write milliseconds from 1000 to 86400000, e.g. 600000 for ten minutes",
  },
  TROUPE_MODEL_CONCURRENCY: { schema: whole(1, 1_000), remedy: "write a whole number from 1 to 1000, e.g. 16" },
  TROUPE_MODEL_TIMEOUT_MS: {
    schema: whole(1_000, 3_600_000),
    remedy: "write milliseconds from 1000 to 3600000, e.g. 300000 for five minutes",
  },
  TROUPE_STOP_GRACE_MS: {
    schema: whole(0, 60_000),
    remedy: "write milliseconds from 0 to 60000, e.g. 3000 for three seconds",
  },
  LOG_LEVEL: {
    schema: z.enum(["debug", "info", "warn", "error", "silent"]),
    remedy: "write debug, info, warn, error or silent",
  },
  NO_COLOR: { schema: z.string(), remedy: "write anything, or nothing for colours" },
} as const satisfies Readonly<Record<string, Variable>>;

/** The name of a variable the program reads. */
export type VariableName = keyof typeof variables;

/** Variables with their values as read; absent ones are undefined. */
export type VariableValues = {
  readonly [Name in VariableName]: z.output<(typeof variables)[Name]["schema"]> | undefined;
};

/** Whether a variable is read by the program. */
export function isVariable(name: string): name is VariableName {
  return Object.hasOwn(variables, name);
}

/** Whether a variable's value must never be shown. */
export function isSecret(name: VariableName): boolean {
  const variable: Variable = variables[name];
  return variable.isSecret === true;
}

const schema = z.object(
  // The cast names what Object.fromEntries cannot know: the same keys with their own schemas.
  Object.fromEntries(Object.entries(variables).map(([name, { schema }]) => [name, schema.optional()])) as {
    [Name in VariableName]: z.ZodOptional<(typeof variables)[Name]["schema"]>;
  },
);

/** Values that were read, or one line for each that is wrong: its name, what it is (unless secret), the remedy. */
export type VariablesReading =
  | { readonly ok: true; readonly values: VariableValues }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads the variables out of an environment; all that is wrong is told at once. `origin` says where a name was set. */
export function readVariables(
  environment: Readonly<Record<string, string | undefined>>,
  origin: (name: string) => string,
): VariablesReading {
  const given: Record<string, string> = {};
  for (const name of Object.keys(variables)) {
    const value = environment[name]?.trim();
    if (value) given[name] = value;
  }
  const parsed = schema.safeParse(given);
  if (parsed.success) return { ok: true, values: parsed.data as VariableValues };
  const names = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))];
  return {
    ok: false,
    problems: names.filter(isVariable).map((name) => describeProblem(name, given[name], origin(name))),
  };
}

function describeProblem(name: VariableName, value: string | undefined, origin: string): string {
  const shown = isSecret(name) ? "" : ` is ${JSON.stringify(value?.slice(0, 60))}`;
  return `${name}${shown} (${origin}): ${variables[name].remedy}`;
}

/** The names of all variables. */
export const variableNames: readonly string[] = Object.keys(variables);
