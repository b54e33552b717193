import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rootPath } from "../config.ts";
import { createPlugin } from "./create-plugin.ts";
import { loadPlugins } from "./load-plugin.ts";
import { createTryFolder, findTypeErrors, runTests } from "./testing/try-folder.ts";

let folder = "";
let said = "";

beforeEach(() => {
  folder = createTryFolder();
  said = "";
});

afterEach(() => rmSync(folder, { recursive: true }));

const create = (name: string, directory?: string) => {
  const context = {
    config: { rootPath: folder, workingPath: folder },
    out: { write: (text: string) => void (said += text) },
  };
  createPlugin(context, name, { ...(directory !== undefined && { directory }) });
};

describe("troupe create plugin", () => {
  it("writes a plugin whose test and types pass, and which a character can name", async () => {
    create("weather-report");
    expect(said).toContain("Wrote packages/plugin-weather-report: package.json, turbo.json, README.md, src/index.ts");
    expect(said).toContain('"plugins": ["@troupe/plugin-weather-report"]');
    expect(said).toContain("Try it:  npm run -s pnpm -- exec vitest run packages/plugin-weather-report\n");
    const tested = runTests(folder);
    expect(tested.output).toMatch(/Tests .*3 passed/);
    expect(tested.status).toBe(0);
    expect(findTypeErrors(folder)).toEqual([]);
    const places = { rootPath: folder, characterPath: join(folder, "characters", "ada.character.json") };
    const loaded = await loadPlugins({ ...places, character: { name: "Ada", plugins: ["weather-report"] } });
    expect(loaded).toMatchObject({ plugins: [{ name: "weather-report" }], failures: [], warnings: [] });
  });

  it("writes one that stands elsewhere with a link to the engine", () => {
    create("plugin-tides", "mine");
    expect(readdirSync(join(folder, "mine"))).toEqual(["plugin-tides"]);
    expect(JSON.parse(readFileSync(join(folder, "mine", "plugin-tides", "package.json"), "utf8"))).toMatchObject({
      name: "@troupe/plugin-tides",
      dependencies: { "@troupe/core": "link:../../packages/core" },
      devDependencies: { vitest: "5.1.0" },
    });
    const place = join(folder, "mine", "plugin-tides");
    expect(said).toContain(`Try it:  npm run -s pnpm -- --dir ${place} --ignore-workspace install`);
    expect(said).toContain(`"plugins": ["${place}"]`);
  });

  it.each(["", "Weather", "../up", "a b", "-a", "a-", "a--b", "1a", "x".repeat(41), "a/b", "ä"])(
    "refuses the name %j",
    (name) => {
      expect(() => create(name)).toThrow(/is no name for a plugin/);
      expect(readdirSync(folder)).not.toContain("packages");
    },
  );

  it("overwrites nothing", () => {
    const place = join(folder, "packages", "plugin-weather");
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "notes.txt"), "mine");
    expect(() => create("weather")).toThrow(/plugin-weather is there already; take another name/);
    expect(readdirSync(place)).toEqual(["notes.txt"]);
    writeFileSync(join(folder, "file"), "");
    expect(() => create("weather", "file")).toThrow(/cannot be written/);
  });

  it("stands in the project where packages stand", () => {
    expect(readdirSync(join(rootPath, "packages"))).toContain("plugin-trading");
  });
});
