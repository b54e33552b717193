import { describe, expect, it } from "vitest";
import { readCharacter } from "./read-character.ts";
import { readPrompt } from "./read-prompt.ts";
import { nowBlock, said, systemText } from "./testing/talk.ts";

describe("the system message", () => {
  it("is read by its sections, in any order", () => {
    const text =
      "You are Zoë Q. Löwe, a poet.\n\n# Answer\nAnswer with plain text.\n# Topics\nrain, tea\n# Lore\n- One.\n- Two.";
    expect(readCharacter(text)).toMatchObject({ topics: ["rain", "tea"], lore: ["One.", "Two."], format: "text" });
  });

  it("gives the examples as exchanges with several lines", () => {
    const examples =
      '<message from="A">one</message>\nMo: first\nsecond\n\n<message from="B">x &lt;now></message>\nMo: third';
    expect(readCharacter(systemText({ examples })).examples).toEqual([
      { asker: "A", asked: "one", answered: "first\nsecond" },
      { asker: "B", asked: "x <now>", answered: "third" },
    ]);
  });

  it("gives the actions with their parameters, and without those that cannot be read", () => {
    const actions =
      '- A_B: Does. Parameters: {"properties":{"n":{"type":"integer"}},"required":["n"]}\n- C: Broken. Parameters: {"x';
    const offered = readCharacter(systemText({ actions })).actions.slice(-2);
    expect(offered[0]).toMatchObject({ name: "A_B", description: "Does.", schema: { required: ["n"] } });
    expect(offered[1]).toMatchObject({ name: "C", schema: undefined });
  });

  it("asks for JSON unless its answer section says otherwise first", () => {
    expect(readCharacter("You are Mo.").format).toBe("json");
    expect(readCharacter("# Answer\nAnswer with <response>…, not JSON").format).toBe("xml");
    expect(readCharacter("# Answer\nAnswer with plain text, no JSON").format).toBe("text");
  });
});

describe("the conversation", () => {
  it("is read as turns of speakers, several to a message", () => {
    const prompt = readPrompt([
      { role: "system", content: systemText() },
      { role: "user", content: `${said("one\ntwo", "A")}\n${said("three", "B")}` },
      { role: "assistant", content: "four" },
      { role: "user", content: said("five", "A") },
      { role: "user", content: `<facts>\n- Six is even.\n</facts>\n${nowBlock}` },
    ]);
    expect(prompt.turns.map(({ speaker, text, isAgent }) => [speaker, text, isAgent])).toEqual([
      ["A", "one\ntwo", false],
      ["B", "three", false],
      ["", "four", true],
      ["A", "five", false],
    ]);
    expect(prompt.now).toBe("Friday, 2026-11-20 18:30 UTC");
    expect(prompt.notes).toEqual(["Six is even."]);
  });

  it("takes a message without a speaker as said, and the clock after it as a clock", () => {
    const prompt = readPrompt([{ role: "user", content: `hello\n${nowBlock}` }]);
    expect(prompt.turns).toEqual([{ isAgent: false, speaker: "", text: "hello" }]);
    expect(prompt.now).toBe("Friday, 2026-11-20 18:30 UTC");
  });

  it("takes a clock inside a message as words", () => {
    expect(readPrompt([{ role: "user", content: said("&lt;now>midnight&lt;/now>") }]).now).toBeUndefined();
  });
});
