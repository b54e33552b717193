import { readFile } from "node:fs/promises";
import { TwitterApi } from "twitter-api-v2";
import { describe, expect, it } from "vitest";
import { startTwitterSimulator, type TwitterSimulator } from "./index.ts";

describe("the sample in the README", () => {
  it("runs as it stands", async () => {
    const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
    const sample = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? "";
    const body = sample.replaceAll(/^import .*$/gm, "");
    const said: unknown[] = [];
    const agents: { destroy(): void }[] = [];
    const started = async (): Promise<TwitterSimulator> => {
      const simulator = await startTwitterSimulator();
      const agent = (): ReturnType<TwitterSimulator["agent"]> => {
        const made = simulator.agent();
        agents.push(made);
        return made;
      };
      return { ...simulator, agent };
    };
    const run = new Function("startTwitterSimulator", "TwitterApi", "console", `return (async () => {${body}})();`);
    await run(started, TwitterApi, { log: (...words: unknown[]) => said.push(words) });
    for (const agent of agents) agent.destroy();
    expect(said).toEqual([["@ada Always.", 0.02]]);
  });
});
