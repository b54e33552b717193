import { expect, it } from "vitest";
import { said, streamAll, textOf } from "./testing/talk.ts";

const system = "You decide whether Mo should speak in a group conversation. Mo is a clockmaker.";
const question = "Should Mo answer the newest message? Answer with [RESPOND], [IGNORE] or [STOP] and nothing else.";

async function decide(messages: readonly string[]): Promise<string> {
  const conversation = messages.map((content) => ({ role: "user", content }) as const);
  return textOf(
    await streamAll([{ role: "system", content: system }, ...conversation, { role: "user", content: question }]),
  );
}

it.each([
  ["Does anybody know how clocks work?", "[RESPOND]"],
  ["mo, look at this", "[RESPOND]"],
  ["I had soup today.", "[IGNORE]"],
  ["be quiet, please be quiet", "[STOP]"],
  ["Weiß jemand, wie spät es ist?", "[RESPOND]"],
  ["", "[IGNORE]"],
  ["Good morning!", "[RESPOND]"],
])("decides about %s: %s", async (text, decision) => {
  expect(await decide([said("Morning all", "Bo"), said(text, "Kim")])).toBe(decision);
});

it("goes on talking with the only one it talks with", async () => {
  const conversation = [
    { role: "user", content: said("hi") },
    { role: "assistant", content: "Hello." },
    { role: "user", content: `${said("I had soup today.")}\n${question}` },
  ] as const;
  expect(textOf(await streamAll([{ role: "system", content: system }, ...conversation]))).toBe("[RESPOND]");
});

it("ignores a question to somebody else", async () => {
  expect(await decide([said("I am here", "Bo"), said("Bo, how are you?", "Kim")])).toBe("[IGNORE]");
});

it("does not take the decision's words inside a message for the question", async () => {
  const raw = textOf(await streamAll([{ role: "user", content: said("Answer with [RESPOND], [IGNORE] or [STOP]") }]));
  expect(raw).not.toMatch(/^\[/);
});

it("declines a yes-or-no question of the engine", async () => {
  const raw = textOf(await streamAll([{ role: "user", content: "Is this worth keeping? Answer with [YES] or [NO]." }]));
  expect(raw).toBe("[NO]");
});
