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

/** The plugin of the samples, in a conversation. */
const conversation = `import { createStages } from "@troupe/core/testing";
import { afterEach, expect, it } from "vitest";
import { guestbook } from "./guestbook.ts";
import { createWeatherPlugin } from "./plugin.ts";
import { secondThought } from "./second-thought.ts";

const stages = createStages();
afterEach(() => stages.close());

const answer = JSON.stringify({
  actions: [{ name: "FIND_PLACE", parameters: { town: "oslo" } }, { name: "GET_WEATHER" }],
  text: "I look outside.",
});
const found = { results: [{ name: "Oslo", latitude: 59.9, longitude: 10.7 }] };
const calm = { current: { temperature_2m: 4, wind_speed_10m: 2 } };

it("tells the weather in a conversation", async () => {
  const answers = [found, calm];
  const plugins = [createWeatherPlugin(async () => Response.json(answers.shift()))];
  const { say, texts } = await stages.open({ script: [answer], plugins, character: { settings: { maxSteps: 1 } } });
  await say("What is the weather in Oslo?");
  expect(texts()).toEqual(["I look outside.", "It is 4 °C in Oslo, with a wind of 2 km/h."]);
});

it("thinks again before it stands by a sum", async () => {
  const ask = JSON.stringify({ actions: [{ name: "THINK_AGAIN", parameters: { sum: "6 × 7 = 42" } }], text: "42." });
  const script = [ask, JSON.stringify({ text: "Yes, it is." })];
  const { say, texts, agent } = await stages.open({ script, plugins: [secondThought, guestbook] });
  await say("What is six times seven?");
  expect(texts()).toEqual(["42.", "Yes, it is."]);
  expect(await (await agent.handleRoute(new Request("http://localhost/guestbook"))).json()).toEqual([]);
});

it("tells the room of a town nobody knows", async () => {
  const plugins = [createWeatherPlugin(async () => Response.json({}))];
  const { say, texts } = await stages.open({ script: [answer], plugins, character: { settings: { maxSteps: 1 } } });
  await say("What is the weather in Atlantis?");
  expect(texts()).toContain("I know no town called oslo.");
});
`;

beforeAll(() => {
  folder = createTryFolder();
  for (const { path, text } of [...samples, { path: "src/conversation.test.ts", text: conversation }]) {
    const whole = join(folder, "packages", "plugin-weather", path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

it("shows a plugin whose types are right, whose test passes and which works in a conversation", () => {
  expect(samples.length).toBeGreaterThan(6);
  expect(documentation).not.toMatch(/^```ts$/m);
  expect(findTypeErrors(folder)).toEqual([]);
  const { status, output } = runTests(folder);
  expect(output).toMatch(/Tests .*7 passed/);
  expect(status).toBe(0);
}, 120_000);

it("shows plugins that a character can load", async () => {
  const characterPath = join(folder, "characters", "ada.character.json");
  const plugins = ["../packages/plugin-weather", "../packages/plugin-weather/src/clock.ts"];
  const loaded = await loadPlugins({ rootPath: folder, characterPath, character: { name: "Ada", plugins } });
  expect(loaded).toMatchObject({ plugins: [{ name: "weather" }, { name: "clock" }], failures: [], warnings: [] });
});
