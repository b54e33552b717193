import { readFileSync } from "node:fs";
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

describe("the other models of a character", () => {
  const chosen = (environment: Record<string, string>, settings: object = {}, model?: string) =>
    chooseModels(modelSettings(config(environment, model), character({ settings })));

  it("are the vendor's that answers, and none of a server of one's own", () => {
    expect(chosen({ OPENAI_API_KEY: "k" }).special).toMatchObject({
      embedding: { provider: "openai", name: "text-embedding-3-small", apiKey: "k" },
      imageDescription: { provider: "openai", name: "gpt-6-luna" },
    });
    expect(Object.keys(chosen({ ANTHROPIC_API_KEY: "k" }).special)).toEqual(["imageDescription"]);
    expect(chosen({ OPENAI_BASE_URL: "http://127.0.0.1:11434/v1" }).special).toEqual({});
    expect(chosen({}).special).toEqual({});
    expect(chosen({ OPENAI_API_KEY: "k" }, {}, "offline").special).toEqual({});
  });

  it.each([
    [{ OPENAI_API_KEY: "k", OPENAI_EMBEDDING_MODEL: "text-embedding-3-large" }, "openai", "text-embedding-3-large"],
    [
      { ANTHROPIC_API_KEY: "k", TROUPE_EMBEDDING_MODEL: "ollama:nomic-embed-text" },
      "openai-compatible",
      "nomic-embed-text",
    ],
    [{ OPENAI_BASE_URL: "http://127.0.0.1:1/v1", OPENAI_EMBEDDING_MODEL: "bge-m3" }, "openai-compatible", "bge-m3"],
  ])("are those the environment names: %j", (environment, provider, name) => {
    expect(chosen(environment).special.embedding).toMatchObject({ provider, name });
  });

  it("let embeddings live on a server of their own, which is not sent OpenAI's key", () => {
    const environment = { OPENAI_API_KEY: "k-openai", OPENAI_EMBEDDING_URL: "http://127.0.0.1:11434/v1" };
    const { embedding } = chosen({ ...environment, OPENAI_EMBEDDING_MODEL: "bge-m3" }).special;
    expect(embedding).toEqual({
      provider: "openai-compatible",
      name: "bge-m3",
      baseUrl: "http://127.0.0.1:11434/v1",
      setBy: "OPENAI_EMBEDDING_MODEL",
    });
    expect(() => chosen(environment)).toThrow(/OPENAI_EMBEDDING_URL is set but no model.*TROUPE_EMBEDDING_MODEL/);
  });

  it("can be switched off, and are the character's before the environment's", () => {
    const environment = { OPENAI_API_KEY: "k", TROUPE_EMBEDDING_MODEL: "openai:text-embedding-3-large" };
    expect(chosen(environment, { models: { embedding: "none" } }).special).not.toHaveProperty("embedding");
    const models = { embedding: { model: "text-embedding-3-small", dimensions: 512 } };
    const settings = modelSettings(config(environment), character({ settings: { models } }));
    expect(settings.character).toMatchObject({ embedding: "text-embedding-3-small", dimensions: 512 });
    expect(chooseModels(settings).special.embedding).toMatchObject({ name: "text-embedding-3-small" });
  });

  it("decide whether to answer with the large model where it is said", () => {
    expect(chosen({ OPENAI_API_KEY: "k", SHOULD_RESPOND_MODEL: "large" }).side.shouldRespond).toMatchObject({
      name: "gpt-6.1-terra",
    });
    const { side } = chosen({ OPENAI_API_KEY: "k", SHOULD_RESPOND_MODEL: "gpt-6-sol" });
    expect(side.shouldRespond).toMatchObject({ name: "gpt-6-sol", setBy: "SHOULD_RESPOND_MODEL" });
  });

  it("have settings of their own, from the character and from the environment", () => {
    const environment = { OPENAI_API_KEY: "k", TEXT_SMALL_TEMPERATURE: "0.1", REASONING_LARGE_REASONING: "high" };
    const own = character({ settings: { temperature: 0.9, models: { small: { maxTokens: 100 } } } });
    const settings = modelSettings(config(environment), own);
    expect(settings.environment?.parameters).toEqual({
      small: { temperature: 0.1 },
      reasoningLarge: { reasoning: "high" },
    });
    expect(settings.character).toMatchObject({ temperature: 0.9, parameters: { small: { maxTokens: 100 } } });
    expect(chooseModels(settings).small).toMatchObject({ name: "gpt-6-luna" });
  });
});

describe("docs/models.md", () => {
  const page = readFileSync(new URL("../../../docs/models.md", import.meta.url), "utf8");

  it("shows settings that are read without a remark, and mean what it says", () => {
    const [, sample = ""] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
    const reading = readCharacter({ name: "Ada", bio: "An engineer.", ...JSON.parse(sample) }, { source: "docs" });
    if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
    expect(reading.notices).toEqual([]);
    const chosen = chooseModels(modelSettings(config({ ANTHROPIC_API_KEY: "k" }), reading.character));
    expect(chosen.side).toMatchObject({
      reasoningLarge: { name: "claude-opus-5-5" },
      shouldRespond: { provider: "anthropic" },
    });
    expect(chosen.special).toMatchObject({ embedding: { provider: "openai-compatible", name: "nomic-embed-text" } });
    expect(chosen.special).not.toHaveProperty("speech");
    expect(chosen.fallback).toMatchObject({ name: "llama3.2" });
  });

  it("names every kind a character may set", () => {
    const [, kinds = ""] = /The keys are `([^`]+)`/.exec(page) ?? [];
    const models = Object.fromEntries(kinds.split(" ").map((kind) => [kind, "openai:x"]));
    expect(character({ settings: { models } }).settings.models).toEqual(models);
    expect(kinds.split(" ")).toHaveLength(13);
  });
});
