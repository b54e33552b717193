import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { runCommand } from "./testing/run-command.ts";

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** A directory with these character files, and a home beside them. */
function place(files: Readonly<Record<string, string>>): {
  readonly home: string;
  readonly path: (name: string) => string;
} {
  const directory = mkdtempSync(join(tmpdir(), "troupe-characters-"));
  directories.push(directory);
  const folder = join(directory, "cast");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return { home: join(directory, "home"), path: (name) => join(folder, name) };
}

const good = JSON.stringify({
  name: "Bea",
  bio: "A baker.",
  settings: { model: "m1", modelProvider: "openai" },
  secrets: { KEY: "hush" },
});
const files = {
  "good.character.json": good,
  "wrong.character.json": JSON.stringify({ name: "Wim", bio: "x", settings: { temperature: "hot" }, lores: [] }),
  "broken.character.json": '{\n  "name": "Bo",\n  "bio" "x"\n}',
};

describe("troupe characters", () => {
  it("lists what lies in characters/, what is in use, and with which model", async () => {
    const { home, path } = place(files);
    const { out } = await runCommand(home, [
      "characters",
      "--character",
      path("good.character.json"),
      "--character",
      path("broken.character.json"),
    ]);
    expect(out).toMatch(/Bea .*openai:m1 .*valid, in use/u);
    expect(out).toMatch(/\? .*broken.* 1 mistake, in use/u);
    expect(out).toMatch(/Nadir .*discord.* valid\n/u);
  });

  it("says which knowledge is not there", async () => {
    const knowledge = ["A text.", { path: "notes.md" }, { path: "gone.md" }, { directory: "notes.md" }, { path: "." }];
    const { home, path } = place({
      "kim.character.json": JSON.stringify({ name: "Kim", bio: "A clerk.", knowledge }),
      "notes.md": "# Notes",
    });
    const { out, code } = await runCommand(home, ["characters", "validate", path("kim.character.json")]);
    expect(code).toBe(0);
    expect(out).toContain(`knowledge[2].path: there is no file or directory ${path("gone.md")}\n    → `);
    expect(out).toContain(`knowledge[3].directory: ${path("notes.md")} is no directory\n`);
    expect(out).not.toMatch(/knowledge\[[014]\]/u);
  });

  it("names place and remedy of every mistake, and what nothing reads", async () => {
    const { home, path } = place(files);
    const { out, code } = await runCommand(home, ["characters", "validate", ...Object.keys(files).map(path)]);
    expect(code).toBe(1);
    expect(out).toContain(`✓ ${path("good.character.json")}: Bea\n`);
    expect(out).toMatch(/wrong\.character\.json: settings\.temperature: .*hot.*\n {4}→ Write/u);
    expect(out).toMatch(/! .*wrong\.character\.json: lores: .*ignored\n {4}→ Did you mean "lore"\?/u);
    expect(out).toMatch(/✗ .*broken\.character\.json:3:\d+: Line 3/u);
  });

  it("checks all files of a directory, and says when it holds none", async () => {
    const { home, path } = place({ "good.character.json": good, "other.json": "{" });
    expect(await runCommand(home, ["characters", "validate", path("")])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^✓ [^\n]*\n$/u),
    });
    mkdirSync(path("empty"));
    expect(await runCommand(home, ["characters", "validate", path("empty")])).toMatchObject({
      code: 1,
      err: expect.stringContaining(".character.json"),
    });
    const missing = await runCommand(home, ["characters", "validate", path("nobody.character.json"), "--json"]);
    expect(missing.code).toBe(1);
    expect(JSON.parse(missing.out)).toMatchObject([
      { isValid: false, problems: [{ message: "There is no such file" }] },
    ]);
  });

  it("shows a character as the engine sees it, without its secrets", async () => {
    const { home, path } = place(files);
    const { out } = await runCommand(home, ["characters", "show", path("good.character.json")]);
    expect(JSON.parse(out)).toMatchObject({ name: "Bea", bio: ["A baker."], secrets: { KEY: "[secret]" }, topics: [] });
    expect(out).not.toContain("hush");
    expect(await runCommand(home, ["characters", "show", path("wrong.character.json")])).toMatchObject({
      code: 1,
      err: expect.stringContaining("temperature"),
    });
  });

  it("prints the form of a character file", async () => {
    const { home } = place({});
    expect(JSON.parse((await runCommand(home, ["characters", "schema"])).out)).toMatchObject({
      title: "Troupe character",
      type: "object",
    });
  });
});
