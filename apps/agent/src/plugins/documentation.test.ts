import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { rootPath } from "../config.ts";
import { loadPlugins } from "./load-plugin.ts";
import { createTryFolder, findTypeErrors, runTests } from "./testing/try-folder.ts";

let folder = "";
const documentation = readFileSync(join(rootPath, "docs", "plugins.md"), "utf8");
/** The samples with a path: whole files of one plugin. */
const samples = [...documentation.matchAll(/^```ts (\S+)\n([^]*?)^```$/gm)].map(([, path = "", text = ""]) => ({
  path,
  text,
}));

beforeAll(() => {
  folder = createTryFolder();
  for (const { path, text } of samples) {
    const whole = join(folder, "packages", "plugin-weather", path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

it("shows a plugin whose types are right and whose test passes", () => {
  expect(samples.length).toBeGreaterThan(6);
  expect(documentation).not.toMatch(/^```ts$/m);
  expect(findTypeErrors(folder)).toEqual([]);
  const { status, output } = runTests(folder);
  expect(output).toMatch(/Tests .*3 passed/);
  expect(status).toBe(0);
});

it("shows plugins that a character can load", async () => {
  const characterPath = join(folder, "characters", "ada.character.json");
  const plugins = ["../packages/plugin-weather", "../packages/plugin-weather/src/clock.ts"];
  const loaded = await loadPlugins({ rootPath: folder, characterPath, character: { name: "Ada", plugins } });
  expect(loaded).toMatchObject({ plugins: [{ name: "weather" }, { name: "clock" }], failures: [], warnings: [] });
});
