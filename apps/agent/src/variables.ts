import { z } from "zod";

const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, { abort: true })
    .transform(Number)
    .refine((value) => value >= least && value <= most);

const model = z.string().max(200);

/** What a value must be, and what to tell whoever wrote another one. */
type Variable = { readonly schema: z.ZodType; readonly remedy: string; readonly isSecret?: true };

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
  TROUPE_TEMPERATURE: {
    schema: z
      .string()
      .regex(/^\d(\.\d+)?$/, { abort: true })
      .transform(Number)
      .refine((value) => value <= 2),
    remedy: "write a number from 0 to 2, e.g. 0.7",
  },
  TROUPE_MAX_TOKENS: { schema: whole(1, 1_000_000), remedy: "write a whole number from 1 to 1000000, e.g. 2000" },
  TROUPE_REASONING: {
    schema: z.enum(["none", "minimal", "low", "medium", "high"]),
    remedy: "write none, minimal, low, medium or high",
  },
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
