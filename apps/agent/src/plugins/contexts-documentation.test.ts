import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { rootPath } from "../config.ts";
import { createTryFolder, findTypeErrors, runTests } from "./testing/try-folder.ts";

let folder = "";
const documentation = readFileSync(join(rootPath, "docs", "contexts.md"), "utf8");
/** Each sample is a whole file. */
const samples = [...documentation.matchAll(/^```ts (\S+)\n([^]*?)^```$/gm)].map(([, path = "", text = ""]) => ({
  path,
  text,
}));

/** What the page says beside of its samples. */
const more = `import { createStages } from "@troupe/core/testing";
import { afterEach, expect, it } from "vitest";
import { office } from "./office.ts";
import { desk } from "./shop.ts";

const stages = createStages();
afterEach(() => stages.close());

it("brings an extension as a plugin, with a room of its own", async () => {
  const script = ['<action name="WAVE">{}</action>', "Hello there."];
  const character = { settings: { mode: "steps" } };
  const { say, texts, model } = await stages.open({ script, plugins: [office], character });
  await say("hi");
  expect(texts()).toEqual(["Hello there."]);
  const [first, second] = model.requests.map(({ messages }) => messages.map(({ content }) => content).join("\\n"));
  expect(first).toMatch(/- WAVE: Waves[^]*<output name="sigh">/);
  expect(second).toContain("👋");
});

it("defines a desk with an input of every kind", () => {
  expect(desk.inputs.map(({ name }) => name)).toEqual(["order", "morning", "arrival", "question", "sensor"]);
});
`;

beforeAll(() => {
  folder = createTryFolder();
  const zod = join(rootPath, "packages", "core", "node_modules", "zod");
  symlinkSync(zod, join(folder, "node_modules", "zod"), "junction");
  for (const { path, text } of [...samples, { path: "more.test.ts", text: more }])
    writeFileSync(join(folder, path), text);
});

afterAll(() => rmSync(folder, { recursive: true }));

it("shows contexts whose types are right and which work", () => {
  expect(samples.length).toBeGreaterThan(4);
  expect(documentation).not.toMatch(/^```ts$/m);
  expect(findTypeErrors(folder)).toEqual([]);
  const { status, output } = runTests(folder);
  expect(output).toMatch(/Tests .*3 passed/);
  expect(status).toBe(0);
}, 120_000);
