import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { ConfigError, type TroupeError } from "@troupe/core";
import { MODEL_VARIABLES } from "@troupe/models";
import { describe, expect, it } from "vitest";
import type { GlobalFlags } from "./commands/context.ts";
import { readConfig, rootPath, type Surroundings } from "./config.ts";
import { variableNames } from "./variables.ts";

const root = join("/", "project");
const noFlags: GlobalFlags = { colour: true };

function surroundings(environment: Record<string, string>, file?: string): Surroundings {
  const readText = (path: string): string | undefined => (path === join(root, ".env") ? file : undefined);
  return { environment, rootPath: root, workingPath: join("/", "elsewhere"), readText };
}

function problemsOf(read: () => unknown): TroupeError {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("nothing was wrong");
}

describe("the configuration", () => {
  it("has a home in the project, whatever the current directory", () => {
    expect(readConfig(noFlags, surroundings({})).homePath).toBe(join(root, ".troupe"));
    expect(readConfig(noFlags, surroundings({ TROUPE_HOME: "data" })).homePath).toBe(join(root, "data"));
  });

  it("takes a flag before the environment, and the environment before the file", () => {
    const file = "LOG_LEVEL=error\nOPENAI_MODEL=from-file\n";
    const given = surroundings({ LOG_LEVEL: "info", OPENAI_MODEL: "" }, file);
    expect(readConfig(noFlags, given)).toMatchObject({ logLevel: "info", values: { OPENAI_MODEL: "from-file" } });
    expect(readConfig({ ...noFlags, logLevel: "debug" }, given).logLevel).toBe("debug");
  });

  it("starts relative paths of flags where the user stands", () => {
    expect(readConfig({ ...noFlags, home: "here" }, surroundings({})).homePath).toBe(join("/", "elsewhere", "here"));
  });

  it("tells all wrong values at once, where each was set and what to write", () => {
    const error = problemsOf(() =>
      readConfig(
        { ...noFlags, logLevel: "loud" },
        surroundings({ TROUPE_RUN_TIMEOUT_MS: "soon" }, "OPENAI_BASE_URL=ftp://x\n"),
      ),
    );
    expect(error.message.split("\n")).toEqual([
      "3 settings are wrong:",
      `  OPENAI_BASE_URL is "ftp://x" (in ${join(root, ".env")}): write an address like http://127.0.0.1:11434/v1`,
      '  TROUPE_RUN_TIMEOUT_MS is "soon" (in the environment): write milliseconds from 1000 to 86400000, e.g. 600000 for ten minutes',
      '  --log-level is "loud": write debug, info, warn, error or silent',
    ]);
  });

  it("refuses a timeout outside its range once, with one remedy", () => {
    const error = problemsOf(() => readConfig(noFlags, surroundings({ TROUPE_STOP_GRACE_MS: "60001" })));
    expect(error.message).toBe(
      'TROUPE_STOP_GRACE_MS is "60001" (in the environment): write milliseconds from 0 to 60000, e.g. 3000 for three seconds',
    );
  });

  it("never shows a key that is wrong", () => {
    const error = problemsOf(() => readConfig(noFlags, surroundings({ OPENAI_API_KEY: "sk-very secret" })));
    expect(error.message).toContain("OPENAI_API_KEY (in the environment): it holds spaces");
    expect(error.message).not.toContain("very");
  });

  it("counts an empty value and one of spaces as absent", () => {
    const { values, secrets } = readConfig(noFlags, surroundings({ OPENAI_API_KEY: "  ", TROUPE_HOME: "" }));
    expect(values.OPENAI_API_KEY).toBeUndefined();
    expect(secrets).toEqual([]);
  });

  it("names variables of ours that nothing reads, and all such in the file", () => {
    const { unknownVariables } = readConfig(noFlags, surroundings({ TROUPE_HOMR: "x", PATH: "y" }, "OPENAI_KEY=z\n"));
    expect(unknownVariables).toEqual([
      { name: "TROUPE_HOMR", isFromFile: false },
      { name: "OPENAI_KEY", isFromFile: true },
    ]);
  });

  it("takes characters from flags before those of the environment", () => {
    const given = surroundings({ TROUPE_CHARACTERS: "ada, nadir ,," });
    expect(readConfig(noFlags, given).characters).toEqual(["ada", "nadir"]);
    expect(readConfig({ ...noFlags, character: ["pip"] }, given).characters).toEqual(["pip"]);
  });

  it("wants no colours with NO_COLOR or --no-colour", () => {
    expect(readConfig(noFlags, surroundings({})).isColourWanted).toBe(true);
    expect(readConfig(noFlags, surroundings({ NO_COLOR: "1" })).isColourWanted).toBe(false);
    expect(readConfig({ colour: false }, surroundings({})).isColourWanted).toBe(false);
  });

  it("refuses a file that TROUPE_ENV_FILE names and that is not there", () => {
    const error = problemsOf(() => readConfig(noFlags, surroundings({ TROUPE_ENV_FILE: "other.env" })));
    expect(error.message).toContain(join(root, "other.env"));
  });

  it("reads every variable that messages about models name", () => {
    expect(variableNames).toEqual(expect.arrayContaining(Object.values(MODEL_VARIABLES)));
  });

  it("is documented variable by variable in .env.example, which sets nothing", () => {
    const documented = parseEnv(readFileSync(join(rootPath, ".env.example"), "utf8"));
    expect(Object.keys(documented).sort()).toEqual([...variableNames].sort());
    expect(Object.values(documented).join("")).toBe("");
  });
});
