import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadPlugins } from "./load-plugin.ts";
import { readPlugin } from "./plugin-shape.ts";

let root = "";
let outside = "";

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "plugins-")));
  outside = realpathSync(mkdtempSync(join(tmpdir(), "outside-")));
  mkdirSync(join(root, "characters"));
  write("package.json", `{"type": "module"}`);
});

afterEach(() => {
  rmSync(root, { recursive: true });
  rmSync(outside, { recursive: true });
});

function write(path: string, text: string, folder = root): string {
  const whole = join(folder, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

const load = (...plugins: readonly string[]) =>
  loadPlugins({
    rootPath: root,
    characterPath: join(root, "characters", "ada.character.json"),
    character: { name: "Ada", plugins },
    builtIn: { basic: () => ({ name: "basic" }) },
  });

const module = (name: string): string => `export const plugin = { name: "${name}", actions: [] };\n`;

describe("loadPlugins", () => {
  it("finds built-in names, files, folders, workspace packages and installed ones, in the order of the character", async () => {
    write(
      "characters/weather.ts",
      `export const weather: { name: string; actions: [] } = { name: "weather", actions: [] };\n`,
    );
    write("shop/index.js", `export default { name: "shop" };\n`);
    write("packages/plugin-money/package.json", `{"name": "@troupe/plugin-money", "exports": {".": "./src/index.ts"}}`);
    write("packages/plugin-money/src/index.ts", module("money"));
    write("packages/own/package.json", `{"name": "@acme/own", "main": "start.mjs"}`);
    write("packages/own/start.mjs", module("own"));
    write(
      "node_modules/far/package.json",
      `{"name": "far", "type": "module", "exports": {"types": "./x.d.ts", "import": "./far.js"}}`,
    );
    write("node_modules/far/far.js", module("far"));
    write("node_modules/@acme/old/package.json", `{"name": "@acme/old", "main": "./old.cjs"}`);
    write("node_modules/@acme/old/old.cjs", `module.exports = { name: "old" };`);
    const names = ["basic", "./weather.ts", "../shop", "money", "@acme/own", "far", "@acme/old"];
    const { plugins, failures } = await load(...names);
    expect(failures).toEqual([]);
    expect(plugins.map(({ name }) => name)).toEqual(["basic", "weather", "shop", "money", "own", "far", "old"]);
  });

  it("goes on with the others when one cannot be loaded, and names it, the character and the remedy", async () => {
    write("characters/throws.js", `throw new Error("no port");`);
    write("characters/typo.js", `export const plugin = {`);
    write("characters/empty.js", `export const x = 1;`);
    write("characters/needs.js", `import "nowhere-to-be-found";`);
    write("characters/notes.txt", "");
    write("characters/good.js", module("good"));
    const names = [
      "./gone.ts",
      "./throws.js",
      "./typo.js",
      "./empty.js",
      "./notes.txt",
      "nobody",
      "NO NAME",
      "../../up",
    ];
    const { plugins, failures } = await load(...names, "./good.js");
    expect(plugins.map(({ name }) => name)).toEqual(["good"]);
    const reasons = failures.map(({ plugin, reason }) => reason.replace(`The plugin ${plugin} of Ada: `, ""));
    expect(reasons).toEqual([
      expect.stringMatching(/^there is no file .*gone\.ts; correct the path/),
      expect.stringMatching(/^its code cannot be loaded: no port; correct it/),
      expect.stringMatching(/^its code cannot be loaded: /),
      "it exports no plugin (x); export { name, actions, … } as default or by name",
      expect.stringMatching(/notes\.txt is no module/),
      expect.stringMatching(/npm run -s pnpm -- add -w nobody$/),
      expect.stringMatching(/neither a path nor a package's name/),
      expect.stringMatching(/^there is no file/),
    ]);
  });

  it("does not follow a way out of the project, unless it is written out", async () => {
    const path = write("plugin.js", module("elsewhere"), outside);
    symlinkSync(path, join(root, "characters", "link.js"));
    const back = `../../${outside.split("/").at(-1)}/plugin.js`;
    const { plugins, failures } = await load("./link.js", back, path);
    expect(plugins.map(({ name }) => name)).toEqual(["elsewhere"]);
    expect(failures.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/leads out of the project.*write the whole path/),
      expect.stringMatching(/leads out of the project/),
    ]);
  });

  it.each([
    [
      "an entry that is not there",
      `{"name": "bad", "exports": "./dist/x.js"}`,
      /names \.\/dist\/x\.js, which is not there/,
    ],
    ["an entry outside", `{"name": "bad", "exports": "../../secret.js"}`, /which is not there/],
    ["no entry", `{"name": "bad"}`, /has no module/],
    ["no JSON", `{`, /package\.json cannot be read/],
  ])("refuses a package with %s", async (_, text, reason) => {
    write("secret.js", module("secret"));
    write("characters/bad/package.json", text);
    const { failures } = await load("./bad");
    expect(failures[0]?.reason).toMatch(reason);
  });

  it("lets a plugin outside the workspace import the core that runs it", () => {
    write(
      "characters/errors.ts",
      `import { ValidationError } from "@troupe/core";\nexport const plugin = { name: ValidationError.name, init() {} };\n`,
    );
    const script = `import { ValidationError } from "@troupe/core";
      import { loadPlugins } from "./src/plugins/load-plugin.ts";
      const character = { name: "Ada", plugins: ["./errors.ts"] };
      const places = { rootPath: ${JSON.stringify(root)}, characterPath: ${JSON.stringify(join(root, "characters/a.json"))} };
      const { plugins, failures } = await loadPlugins({ ...places, character });
      console.log(JSON.stringify([plugins[0]?.name, failures, ValidationError.name]));`;
    const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      encoding: "utf8",
    });
    expect({ out: run.stdout, err: run.stderr }).toEqual({
      out: '["ValidationError",[],"ValidationError"]\n',
      err: "",
    });
  });
});

describe("readPlugin", () => {
  const action = { name: "A", description: "", handler: () => true, validate: () => true };

  it("tells the plugin from actions and providers beside it", () => {
    const reading = readPlugin({ a: action, p: { name: "P", get: () => ({}) }, my: { name: "my", actions: [action] } });
    expect(reading).toMatchObject({ ok: true, plugin: { name: "my" } });
    const twice = { name: "x", init: () => undefined };
    expect(readPlugin({ one: twice, two: twice })).toMatchObject({ ok: true });
  });

  it("asks which of several is meant", () => {
    const reading = readPlugin({ a: { name: "a", actions: [] }, b: { name: "b", init: () => true } });
    expect(reading).toMatchObject({ ok: false, reason: expect.stringContaining("several plugins (a, b)") });
  });

  it("names everything that is wrong, with its place", () => {
    class Clock {
      static serviceType = "clock";
      static start = () => new Clock();
    }
    const reading = readPlugin({
      default: {
        name: " ",
        actions: [action, { ...action, handler: "do it", validate: undefined }],
        providers: {},
        services: [Clock, class {}],
        events: { RUN_ENDED: "x" },
        dependencies: [1],
        init: true,
      },
    });
    expect(reading).toEqual({
      ok: false,
      reason: `its export default is no plugin: ${[
        "name is empty",
        "init is no function",
        "dependencies[0] is no text",
        "services[1] has no static serviceType and start(runtime)",
        "providers is no list",
        "actions[1].handler is no function",
        "actions[1].validate is no function",
        "events.RUN_ENDED is no list of listeners",
      ].join("; ")}`,
    });
  });

  it("knows every member a plugin may have, models of all types among them", () => {
    const models = {
      TEXT_EMBEDDING: { id: "own:embedding", maxBatch: 1, embed: () => [] },
      TEXT_SMALL: [{ priority: 2, model: {} }],
    };
    const lists = { migrations: [], routes: [], contexts: [], inputs: [], outputs: [], extensions: [], settings: [] };
    const plugin = { name: "a", models, ...lists, taskWorkers: {}, choiceWorkers: {} };
    expect(readPlugin({ default: plugin })).toMatchObject({ ok: true, ignored: [] });
    for (const key of Object.keys(lists))
      expect(readPlugin({ own: { name: "a", [key]: [] } })).toMatchObject({ ok: true });
    expect(readPlugin({ default: { name: "a", routes: {} } })).toMatchObject({
      ok: false,
      reason: expect.stringContaining("routes"),
    });
  });

  it("lists members that nothing reads", () => {
    expect(readPlugin({ default: { name: "a", action: [] } })).toMatchObject({ ok: true, ignored: ["action"] });
  });
});
