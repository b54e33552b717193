import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, it } from "vitest";
import { roomIdOf } from "../memory/message-id.ts";
import type { Plugin } from "../plugin/plugin.ts";
import { createStages } from "../testing/stage.ts";
import { createTaskCapability } from "./task-capability.ts";

const stages = createStages();
const directories: string[] = [];
afterEach(async () => {
  await stages.close();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** The plugin of the page, as somebody would copy it. */
async function documented(): Promise<Plugin> {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/tasks.md"), "utf8");
  const code = /```ts\n([\s\S]*?)```/u.exec(page)?.[1] ?? "";
  const directory = mkdtempSync(join(import.meta.dirname, "documented-"));
  directories.push(directory);
  const path = join(directory, "daily.ts");
  writeFileSync(path, code);
  const loaded: { readonly daily: Plugin } = await import(/* @vite-ignore */ pathToFileURL(path).href);
  return loaded.daily;
}

it("the plugin of docs/tasks.md asks every day, posts what is approved and nothing else", async () => {
  const plugins = [await documented()];
  const roomId = roomIdOf("scripted", "scripted", "lobby");
  const character = { settings: { pluginConfig: { daily: { roomId, at: "0 8 * * *" } } } };
  const stage = await stages.open({ script: () => "Hello.", capabilities: [createTaskCapability], plugins, character });
  await stage.say("hi");
  await stage.clock.advance(8 * 3_600_000);
  const asked = "Post “Good morning!”?\n1. Post it\n2. Drop it";
  expect(stage.texts()).toEqual(["Hello.", asked, "Not posted."]);
  await stage.clock.advance(23.5 * 3_600_000);
  const command = { name: "choose", parameters: { value: "1", note: "Good morning, all!" } };
  await stage.client.hear("Post it", { command });
  await stage.clock.advance(0);
  expect(stage.texts().slice(3)).toEqual([asked, "Chosen: Post it.", "Posted: Good morning, all!"]);
});
