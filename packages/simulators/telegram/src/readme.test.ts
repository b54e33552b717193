import { readFile } from "node:fs/promises";
import { Telegraf } from "telegraf";
import { describe, expect, it } from "vitest";
import { startTelegramSimulator } from "./index.ts";

describe("the sample in the README", () => {
  it("runs as it stands", async () => {
    const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
    const sample = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? "";
    const body = sample.replaceAll(/^import .*$/gm, "");
    const said: unknown[] = [];
    const run = new Function("startTelegramSimulator", "Telegraf", "console", `return (async () => {${body}})();`);
    await run(startTelegramSimulator, Telegraf, { log: (word: unknown) => said.push(word) });
    expect(said).toEqual(["hello"]);
  });
});
