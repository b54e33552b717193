import { describe, expect, it } from "vitest";
import type { Attachment, Memory } from "../memory/memory.ts";
import { isShort, questionText } from "./question-text.ts";
import { createSpokenWords } from "./spoken-words.ts";

const agentId = "ada";
const memory = (id: string, text: string, more: Partial<Memory> = {}): Memory => ({
  ...{ id, agentId, roomId: "room", entityId: "bo", type: "message", content: { text }, createdAt: 0 },
  ...more,
});
const voice: Attachment = { id: "1", url: "https://files.test/a", mediaType: "audio/ogg; codecs=opus" };
const image: Attachment = { id: "2", url: "https://files.test/b", mediaType: "image/png", description: "A cat." };
const store = { memories: { recent: async () => [] } } as never;
const ask = (conversation: readonly Memory[], message = conversation.at(-1)): Promise<string> =>
  questionText({ message: message ?? memory("", ""), conversation }, { agentId, store });

describe("the words a message is looked for by", () => {
  it("are its own when there are enough of them", async () => {
    const before = memory("1", "Where is the lighthouse?");
    expect(await ask([before, memory("2", "How many lamps does the harbour have?")])).toBe(
      "How many lamps does the harbour have?",
    );
  });

  it("come with what it follows when there are few: the person's own and the answer to it", async () => {
    const question = memory("1", "What is the tax on books?");
    const answer = memory("2", "Seven percent.", { entityId: agentId });
    expect(await ask([question, answer, memory("3", "And in Austria?")])).toBe(
      "What is the tax on books?\nSeven percent.\nAnd in Austria?",
    );
    expect(await ask([question, memory("3", "And here?", { entityId: "cy" })])).toBe(
      "What is the tax on books?\nAnd here?",
    );
    expect(await ask([memory("1", "x".repeat(5_000)), memory("2", "Why?")])).toHaveLength(305);
  });

  it("are nothing when it says nothing", async () => {
    expect(await ask([memory("1", "Before"), memory("2", "", { content: { text: "", attachments: [image] } })])).toBe(
      "",
    );
  });

  it("are those of its recordings too, once somebody has listened", async () => {
    const message = memory("1", "", { content: { text: "", attachments: [voice, image] } });
    const spoken = createSpokenWords();
    const { promise, resolve } = Promise.withResolvers<readonly Attachment[]>();
    spoken.begin("1", promise);
    const asked = questionText({ message, conversation: [message] }, { agentId, store, spoken });
    resolve([{ ...voice, description: "When does the ferry leave on Sundays?" }, image]);
    expect(await asked).toBe("When does the ferry leave on Sundays?");
  });

  it.each([
    ["And in Germany?", true],
    ["多少钱？", true],
    ["这个城市的公共汽车几点发车？", false],
    ["What is the capital of France?", false],
    ["", true],
  ])("count %s as short: %s", (text, isOne) => {
    expect(isShort(text)).toBe(isOne);
  });
});
