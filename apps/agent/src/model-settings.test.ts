import { join } from "node:path";
import { type Character, readCharacter } from "@troupe/core";
import { chooseModels, type Target } from "@troupe/models";
import { describe, expect, it } from "vitest";
import { type Config, readConfig } from "./config.ts";
import { modelSettings } from "./model-settings.ts";

function config(environment: Record<string, string>, model?: string): Config {
  const root = join("/", "project");
  const flags = { colour: true, ...(model !== undefined && { model }) };
  return readConfig(flags, { environment, rootPath: root, workingPath: root, readText: () => undefined });
}

function character(rest: object = {}): Character {
  const reading = readCharacter({ name: "Ada", bio: "An engineer.", ...rest }, { source: "test" });
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.character;
}

function large(given: Config, who: Character = character()): Target {
  return chooseModels(modelSettings(given, who)).large;
}

describe("the models of a character", () => {
  it("are offline when nothing is set up", () => {
    expect(large(config({}))).toBe("offline");
  });

  it("are the vendor's that OPENAI_MODEL and ANTHROPIC_MODEL name", () => {
    expect(large(config({ OPENAI_API_KEY: "k-openai", OPENAI_MODEL: "gpt-x" }))).toMatchObject({
      provider: "openai",
      name: "gpt-x",
      apiKey: "k-openai",
    });
    const both = { OPENAI_API_KEY: "k-openai", ANTHROPIC_API_KEY: "k-anthropic", ANTHROPIC_MODEL: "claude-x" };
    expect(large(config({ ...both, TROUPE_PROVIDER: "anthropic" }))).toMatchObject({ name: "claude-x" });
    expect(large(config(both))).toMatchObject({ provider: "openai" });
  });

  it("are those of a server under OPENAI_BASE_URL, with the name OPENAI_MODEL gives", () => {
    const given = config({ OPENAI_BASE_URL: "http://127.0.0.1:11434/v1", OPENAI_MODEL: "llama3.2:3b" });
    expect(large(given)).toMatchObject({ provider: "openai-compatible", name: "llama3.2:3b" });
  });

  it("are the character's own before the environment's, and the flag's before both", () => {
    const own = character({ settings: { modelProvider: "anthropic", models: { large: "claude-own" } } });
    const environment = {
      OPENAI_API_KEY: "k-openai",
      ANTHROPIC_API_KEY: "k-anthropic",
      TROUPE_LARGE_MODEL: "openai:y",
    };
    expect(large(config(environment), own)).toMatchObject({ provider: "anthropic", name: "claude-own" });
    expect(large(config(environment, "offline"), own)).toBe("offline");
    expect(large(config(environment, "openai:z"), own)).toMatchObject({ provider: "openai", name: "z" });
  });

  it("use the character's secrets before the environment's keys", () => {
    const own = character({ secrets: { OPENAI_API_KEY: "k-own" } });
    expect(large(config({ OPENAI_API_KEY: "k-shared" }), own)).toMatchObject({ apiKey: "k-own" });
  });

  it("never send the environment's key to an address that a character names", () => {
    const stranger = character({ secrets: { OPENAI_BASE_URL: "http://stranger.example/v1" } });
    const target = large(config({ OPENAI_API_KEY: "k-shared" }), stranger);
    expect(target).toMatchObject({ baseUrl: "http://stranger.example/v1" });
    expect(JSON.stringify(target)).not.toContain("k-shared");
  });
});
