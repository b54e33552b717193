import { readFile } from "node:fs/promises";
import { systemClock } from "@troupe/core";
import { createScriptedModel } from "@troupe/core/testing";
import { expect, it } from "vitest";
import { createModels } from "./models.ts";
import { hear, startRaw } from "./testing/vendor-server.ts";
import { wireAnswer } from "./testing/wires.ts";

it("does what the README's sample says", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const { head, tail } = wireAnswer("openai-compatible");
  const server = await startRaw((response) => response.end(head + tail));
  const createOfflineModel = () => createScriptedModel(["offline"]);
  // The sample's own settings, read from the page, pointed at a server that is there.
  const settings = /createModels\(\s*(\{.*\}),\n/.exec(readme)?.[1] ?? "";
  const { models, describe } = createModels(
    { access: { openaiBaseUrl: server.url }, environment: { large: "llama3.2", fallback: "offline" } },
    { clock: systemClock, random: Math.random, offline: createOfflineModel },
  );
  expect(settings.replace("http://127.0.0.1:11434", server.url)).toBe(
    `{ access: { openaiBaseUrl: "${server.url}" }, environment: { large: "llama3.2", fallback: "offline" } }`,
  );
  expect(describe().large).toBe("openai-compatible:llama3.2");
  const messages = [{ role: "user", content: "Who are you?" }] as const;
  const { text } = await hear(models.TEXT_LARGE.stream({ messages, signal: new AbortController().signal }));
  expect(text).toBe("Hello, you.");
  await server.close();
});
