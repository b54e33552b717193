import { describe, expect, it } from "vitest";
import { createTokenizer } from "./tokenizer.ts";

describe("a tokenizer", () => {
  it.each([
    ["gpt-6-luna", "tiktoken:o200k"],
    ["openai/gpt-4o-mini", "tiktoken:o200k"],
    ["o4-mini", "tiktoken:o200k"],
    ["gpt-4.1", "tiktoken:o200k"],
    ["gpt-4", "tiktoken:cl100k"],
    ["gpt-4-turbo", "tiktoken:cl100k"],
    ["gpt-3.5-turbo", "tiktoken:cl100k"],
    ["claude-haiku-5-5", "estimate:script"],
    ["llama3.2:3b", "estimate:script"],
    [undefined, "estimate:script"],
  ])("of %s is %s", (name, id) => {
    expect(createTokenizer(name).id).toBe(id);
  });

  it("counts as OpenAI does, what looks like a special token too", () => {
    const tokenizer = createTokenizer("gpt-6-luna");
    // As the vendor's own tokenizer page shows it.
    expect(tokenizer.encode("hello world")).toEqual([24912, 2375]);
    expect(tokenizer.count("")).toBe(0);
    expect(tokenizer.count("<|endoftext|>")).toBeGreaterThan(1);
    const text = "Grüße 👩‍👩‍👧 你好 <|endoftext|>";
    expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
    expect(tokenizer.encode(text)).toHaveLength(tokenizer.count(text));
  });
});
