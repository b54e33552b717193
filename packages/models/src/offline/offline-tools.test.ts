import type { ModelEvent, ModelTool } from "@troupe/core";
import { expect, it } from "vitest";
import { createOfflineModel } from "./offline-model.ts";
import { collect, nowBlock, said, systemText, textOf } from "./testing/talk.ts";

const tool = (name: string, properties: ModelTool["parameters"] = {}, required: readonly string[] = []): ModelTool => ({
  name,
  description: `Does ${name}.`,
  parameters: { type: "object", properties, required },
});
const tools = [
  tool("STOP"),
  tool("GET_WEATHER", { location: { type: "string", description: "The city" } }, ["location"]),
];
const answer = "Answer with plain text: just the words Mo says. To do something, call its tool.";

async function hear(line: string, more: { readonly maxTokens?: number } = {}): Promise<readonly ModelEvent[]> {
  const messages = [
    { role: "system", content: systemText({ answer }) },
    { role: "user", content: `${said(line)}\n${nowBlock}` },
  ] as const;
  const { signal } = new AbortController();
  return collect(createOfflineModel().stream({ messages, tools, signal, ...more }));
}

const callsOf = (events: readonly ModelEvent[]): readonly unknown[] =>
  events.flatMap((event) => (event.type === "tool-call" ? [{ name: event.name, input: event.input }] : []));

it("calls the tool a message plainly asks for and speaks in plain text", async () => {
  const events = await hear("use GET_WEATHER for Paris");
  expect(callsOf(events)).toEqual([{ name: "GET_WEATHER", input: { location: "Paris" } }]);
  expect(textOf(events)).not.toMatch(/[{}<>]/);
  expect(events.at(-1)).toMatchObject({ type: "finish", reason: "tool-calls" });
});

it("only speaks when nothing is asked to be done", async () => {
  const events = await hear("hello, how are you?");
  expect(callsOf(events)).toEqual([]);
  expect(textOf(events)).toMatch(/^\p{L}/u);
  expect(events.at(-1)).toMatchObject({ reason: "stop" });
});

it("falls silent by the tool for it", async () => {
  const events = await hear("please be quiet now, stop talking");
  expect([callsOf(events), textOf(events)]).toEqual([[{ name: "STOP", input: {} }], ""]);
});

it("calls nothing when the token limit cuts its words", async () => {
  const events = await hear("use GET_WEATHER for Paris", { maxTokens: 1 });
  expect(callsOf(events)).toEqual([]);
  expect(events.at(-1)).toMatchObject({ reason: "length" });
});
