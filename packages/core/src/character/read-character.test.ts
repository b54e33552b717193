import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { platformSettings } from "./character.ts";
import type { Finding } from "./findings.ts";
import { parseCharacter } from "./parse-character.ts";
import { readCharacter } from "./read-character.ts";
import { characterJsonSchema } from "./schema.ts";

const CHARACTERS = new URL("../../../../characters/", import.meta.url);

function fixture(name: string): string {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8");
}

function accepted(json: unknown) {
  const reading = readCharacter(json, { source: "test.json" });
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems, null, 2));
  return reading;
}

function problemsOf(json: unknown): readonly Finding[] {
  const reading = readCharacter(json, { source: "test.json" });
  expect(reading.ok).toBe(false);
  return reading.ok ? [] : reading.problems;
}

const paths = (findings: readonly Finding[]) => findings.map((finding) => finding.path);

describe("our own form", () => {
  it("needs no more than a name and a bio", () => {
    const { character, form, notices } = accepted({ name: " Ida ", bio: "A beekeeper." });
    expect(form).toBe("troupe");
    expect(notices).toEqual([]);
    expect(character).toEqual({
      name: "Ida",
      bio: ["A beekeeper."],
      lore: [],
      style: { all: [], chat: [], post: [] },
      topics: [],
      adjectives: [],
      messageExamples: [],
      postExamples: [],
      knowledge: [],
      templates: {},
      settings: { models: {} },
      secrets: {},
      plugins: [],
      platforms: {},
    });
  });

  it("tells the kinds of knowledge apart", () => {
    const knowledge = [
      "Bees dance.",
      { path: "a.md" },
      { directory: "d", shared: "true" },
      { url: "https://bees.example/" },
    ];
    const { character, notices } = accepted({ name: "Ida", bio: "x", knowledge });
    expect(character.knowledge).toEqual([
      { kind: "text", text: "Bees dance." },
      { kind: "file", path: "a.md", shared: false },
      { kind: "directory", directory: "d", shared: true },
      { kind: "url", url: "https://bees.example/", shared: false },
    ]);
    expect(notices).toEqual([]);
  });

  it("lets one model do all the work unless others are named", () => {
    const settings = { model: "m", models: { small: "s", fallback: "f" } };
    expect(accepted({ name: "Ida", bio: "x", settings }).character.settings.models).toEqual({
      small: "s",
      large: "m",
      fallback: "f",
    });
  });

  it("takes true, false and numbers in quotes for what they say", () => {
    const settings = { shouldIgnoreBotMessages: "false", actionPlanning: "TRUE", temperature: "0.3", maxSteps: "4" };
    const { character } = accepted({ name: "Ida", bio: "x", settings });
    expect(character.settings).toMatchObject({
      shouldIgnoreBotMessages: false,
      actionPlanning: true,
      temperature: 0.3,
      maxSteps: 4,
    });
  });

  it("keeps settings it does not know for plugins", () => {
    const settings = { weather: { city: "Kiel", days: [1, null, "x"] }, WEATHER_KEY: "k" };
    const { character, notices } = accepted({ name: "Ida", bio: "x", settings });
    expect(character.settings).toEqual({ models: {}, ...settings });
    expect(notices).toEqual([]);
  });

  it("joins secrets from both places and leaves empty ones to the environment", () => {
    const file = { name: "Ida", bio: "x", secrets: { A: "1", C: "" }, settings: { secrets: { A: "0", B: 2, C: "3" } } };
    const { character } = accepted(file);
    expect(character.secrets).toEqual({ A: "1", B: "2", C: "3" });
    expect(character.settings).toEqual({ models: {} });
  });

  it("lets a platform's rules stand before the general ones", () => {
    const { character } = accepted({
      name: "Ida",
      bio: "x",
      settings: { shouldRespondOnlyToMentions: true, coalesceMs: 500 },
      platforms: { telegram: { shouldRespondOnlyToMentions: false, allowedRoomIds: [-100, "7"] } },
    });
    expect(platformSettings(character, "telegram")).toEqual({
      shouldRespondOnlyToMentions: false,
      coalesceMs: 500,
      allowedRoomIds: ["-100", "7"],
    });
    expect(platformSettings(character, "discord")).toEqual({ shouldRespondOnlyToMentions: true, coalesceMs: 500 });
    expect(platformSettings(character, "constructor")).toEqual({ shouldRespondOnlyToMentions: true, coalesceMs: 500 });
  });

  it("reads its own result's JSON again to the same character where the shapes agree", () => {
    const file = JSON.parse(readFileSync(new URL("ada.character.json", CHARACTERS), "utf8"));
    const once = accepted(file).character;
    expect(accepted({ ...file, messageExamples: once.messageExamples, bio: once.bio }).character).toEqual(once);
  });
});

describe("example conversations", () => {
  const speak = (name: string, text: string) => ({ name, content: { text } });

  it("give the same person the same name everywhere, and nobody a name that is taken", () => {
    const messageExamples = [
      [speak("{{user1}}", "I am {{user1}}, not Noor"), speak("{{char}}", "Hello {{user1}} and {{user2}}")],
      [speak("Noor", "Hi"), speak("robin", "Hi {{agentName}}")],
    ];
    const { character, notices } = accepted({ name: "Robin", bio: "x", messageExamples });
    expect(character.messageExamples).toEqual([
      [speak("Kai", "I am Kai, not Noor"), speak("Robin", "Hello Kai and Mira")],
      [speak("Noor", "Hi"), speak("Robin", "Hi Robin")],
    ]);
    expect(notices).toEqual([]);
  });

  it("run out of names gracefully", () => {
    const messageExamples = [[speak("{{user999}}", "hm"), speak("Ida", "yes")]];
    expect(accepted({ name: "Ida", bio: "x", messageExamples }).character.messageExamples[0]?.[0]?.name).toBe(
      "Guest 999",
    );
  });

  it("are noticed when one speaker says everything, the character says nothing, or nothing is said", () => {
    const messageExamples = [
      [speak("Ida", "a"), speak("ida", "b")],
      [speak("Ada", "a"), speak("{{user1}}", "b")],
      [],
      [speak("", "a"), speak("{{user1}}", ""), speak("Ida", "{{weather}}")],
    ];
    const { character, notices } = accepted({ name: "Ida", bio: "x", messageExamples });
    expect(paths(notices)).toEqual([
      "messageExamples[0]",
      "messageExamples[1]",
      "messageExamples[2]",
      "messageExamples[3][0].name",
      "messageExamples[3][1].content",
      "messageExamples[3][2]",
    ]);
    expect(character.messageExamples.map((conversation) => conversation.length)).toEqual([2, 2, 1]);
  });
});

describe("unknown keys", () => {
  it("are noticed with their path and the key that was meant", () => {
    const { notices } = accepted({
      name: "Ida",
      bio: "x",
      topcis: ["a"],
      persona: "b",
      temperature: 1,
      discord: {},
      qwertz: 1,
      style: { chta: "c", zzzz: "d" },
      settings: { temprature: 1, models: { lrage: "m" } },
      platforms: { discrod: {}, x: {}, telegram: { shouldRespondOnlyToMention: true } },
      knowledge: [{ path: "a.md", share: true }],
      messageExamples: [[{ name: "Ida", content: { text: "t", action_s: [] }, mood: 1 }]],
    });
    expect(notices.map(({ path, remedy }) => [path, /"([^"]+)"/.exec(remedy)?.[1]])).toEqual([
      ["topcis", "topics"],
      ["persona", "bio"],
      ["temperature", "settings.temperature"],
      ["discord", "platforms.discord"],
      ["qwertz", undefined],
      ["style.chta", "chat"],
      ["style.zzzz", undefined],
      ["settings.temprature", "temperature"],
      ["settings.models.lrage", "large"],
      ["platforms.discrod", "discord"],
      ["platforms.x", "twitter"],
      ["platforms.telegram.shouldRespondOnlyToMention", "shouldRespondOnlyToMentions"],
      ["knowledge[0].share", "shared"],
      ["messageExamples[0][0].mood", undefined],
      ["messageExamples[0][0].content.action_s", "actions"],
    ]);
    expect(notices.every(({ file, message }) => file === "test.json" && message !== "")).toBe(true);
  });

  it("are never taken for something every object has", () => {
    const json = JSON.parse('{"name":"Ida","bio":"x","__proto__":{"system":"bad"},"constructor":1,"toString":2}');
    const { character, notices } = accepted(json);
    expect(character.system).toBeUndefined();
    expect(paths(notices)).toEqual(["__proto__", "constructor", "toString"]);
  });
});

describe("what cannot be used", () => {
  it("is reported all at once, with path and remedy", () => {
    const problems = problemsOf({
      name: 3,
      bio: ["a", 4],
      style: [],
      topics: { a: 1 },
      messageExamples: [[{ name: "a" }, { name: "b", content: {} }], "x"],
      knowledge: [{ path: 4 }, { url: "x" }, 5, {}],
      settings: { temperature: 3, maxSteps: 1.5, mode: "loop", shouldIgnoreBotMessages: "perhaps", coalesceMs: -1 },
      platforms: { discord: { allowedRoomIds: [{}] } },
      id: "7",
      plugins: "weather",
    });
    expect(paths(problems).toSorted()).toEqual(
      [
        "name",
        "bio[1]",
        "style",
        "topics",
        "messageExamples[0][0].content",
        "messageExamples[0][1].content.text",
        "messageExamples[1]",
        "knowledge[0].path",
        "knowledge[1].url",
        "knowledge[2]",
        "knowledge[3]",
        "settings.temperature",
        "settings.maxSteps",
        "settings.mode",
        "settings.shouldIgnoreBotMessages",
        "settings.coalesceMs",
        "platforms.discord.allowedRoomIds[0]",
        "id",
        "plugins",
      ].toSorted(),
    );
    const about = Object.fromEntries(
      problems.map((problem) => [problem.path, `${problem.message}. ${problem.remedy}`]),
    );
    expect(about["bio[1]"]).toBe('Expected a text, found a number. Write a text in double quotes, as in "…".');
    expect(about["knowledge[2]"]).toBe("Expected a text or an object, found a number. Write a text or an object here.");
    expect(about["settings.mode"]).toBe('"loop" is not one of the choices. Write one of "reply", "steps".');
    expect(about["settings.temperature"]).toBe("3 is too large. Write a number of at most 2.");
    expect(about["settings.shouldIgnoreBotMessages"]).toBe(
      'Expected true or false, found the text "perhaps". Write true or false.',
    );
    expect(about["platforms.discord.allowedRoomIds[0]"]).toContain("Expected a text or a number, found an object");
    expect(about.id).toContain("derived from the name");
  });

  it.each([[null], [[]], ["Ida"], [7], [undefined], [true]])("includes %j, which is no object", (json) => {
    expect(problemsOf(json)[0]?.message).toMatch(/^A character is one object, found /);
  });

  it.each([
    ["", "empty"],
    [" \u200b ", "empty"],
    ["I\u0007da", "control characters"],
    ["I\nda", "control characters"],
    ["I\u202eda", "control characters"],
    ["Ida\ud800", "lone surrogate"],
    ["{{char}}", "braces"],
    ["I".repeat(101), "101 characters"],
  ])("includes the name %j", (name, message) => {
    const problems = problemsOf({ name, bio: "x" });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ file: "test.json", path: "name", message: expect.stringContaining(message) });
  });

  it("includes a missing name", () => {
    expect(problemsOf({ bio: "x" })[0]).toMatchObject({ path: "name", message: "This is missing; expected a text" });
    expect(paths(problemsOf({ name: null, bio: "x" }))).toEqual(["name"]);
  });

  it("includes texts of absurd length, endless nesting and endless lists", () => {
    expect(problemsOf({ name: "Ida", system: "x".repeat(200_001) })[0]?.path).toBe("system");
    expect(problemsOf({ name: "Ida", bio: "x".repeat(20_001) })[0]?.path).toBe("bio");
    expect(problemsOf({ name: "Ida", topics: ["ok", "x".repeat(501)] })[0]?.path).toBe("topics[1]");
    let nested: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
    expect(problemsOf({ name: "Ida", settings: { nested } })[0]?.message).toContain("Nested deeper");
    expect(problemsOf({ name: "Ida", topics: Array(100_001).fill("a") })[0]?.message).toContain(
      "more than 100000 values",
    );
    expect(problemsOf({ name: "Ida", topics: Array(3000).fill("a".repeat(400)) })[0]?.message).toContain("1 MB");
    const circle: Record<string, unknown> = { name: "Ida" };
    circle.settings = [circle, circle];
    expect(problemsOf(circle)[0]?.message).toContain("Nested deeper");
  });

  it("includes values that JSON does not have", () => {
    expect(paths(problemsOf({ name: "Ida", settings: { a: 1n, b: Number.NaN, c: () => 1 } }))).toEqual([
      "settings.a",
      "settings.b",
      "settings.c",
    ]);
  });

  it("is counted when it is too much to show", () => {
    const problems = problemsOf({ name: "Ida", topics: Array(500).fill(1) });
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)?.message).toBe("400 more like these");
  });
});

describe("texts", () => {
  it("lose control characters and lone surrogates, with a notice", () => {
    const { character, notices } = accepted({
      name: "Ida",
      bio: ["a\u0000b", "c\ud83d", "d\r\ne\tf"],
      topics: ["", " g "],
    });
    expect(character.bio).toEqual(["ab", "c\ufffd", "d\ne\tf"]);
    expect(character.topics).toEqual(["g"]);
    expect(paths(notices)).toEqual(["bio[0]", "bio[1]", "topics[0]"]);
  });

  it("say the character's name where they left a place for it", () => {
    const { character } = accepted({ name: "$&", bio: "{{agentName}} is {{ char }}", system: "Be {{agentName}}." });
    expect(character.bio).toEqual(["$& is $&"]);
    expect(character.system).toBe("Be $&.");
  });

  it("are asked for when nothing says who the character is", () => {
    expect(accepted({ name: "Ida" }).notices.map((notice) => notice.message)).toEqual(["Nothing says who Ida is"]);
  });
});

describe("Eliza's first form", () => {
  const reading = parseCharacter(fixture("eliza-v0.json"), { source: "marlow.json" });
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  const { character, form, notices } = reading;

  it("is recognised and read whole", () => {
    expect(form).toBe("eliza-v0");
    expect(character).toMatchObject({
      name: "Marlow",
      username: "marlow_clocks",
      bio: ["Marlow runs a clock repair shop and is always seven minutes early."],
      knowledge: [
        { kind: "text", text: "A mainspring stores energy." },
        { kind: "text", text: "quartz.md" },
      ],
      templates: { messageHandler: "You are {{agentName}}.", twitterPost: "Post as {{agentName}}." },
      plugins: ["weather"],
      secrets: { DISCORD_API_TOKEN: "abc" },
    });
    expect(character.settings).toEqual({
      voice: { model: "en_GB-alan-medium" },
      modelProvider: "anthropic",
      models: { small: "some-large-model", large: "some-large-model", embedding: "some-embedding-model" },
      temperature: 0.4,
      maxTokens: 900,
    });
    expect(character.platforms).toEqual({
      discord: {
        enabled: true,
        shouldIgnoreBotMessages: true,
        shouldRespondOnlyToMentions: true,
        allowedRoomIds: ["112233445566778899"],
      },
      telegram: { enabled: true, shouldIgnoreDirectMessages: false, allowedRoomIds: ["-1001234567890"] },
    });
  });

  it("keeps its conversations, with names and actions as ours", () => {
    expect(character.messageExamples[0]).toEqual([
      { name: "Robin", content: { text: "Can you fix my watch, Marlow?" } },
      { name: "Marlow", content: { text: "Leave it with me, Robin.", actions: ["CONTINUE"] } },
      { name: "Marlow", content: { text: "It will be early on Friday." } },
    ]);
    expect(character.messageExamples[1]?.[0]?.name).toBe("Noor");
  });

  it("reports everything that was moved or left out", () => {
    expect(new Set(paths(notices))).toEqual(
      new Set([
        "clients[0]",
        "clients[1]",
        "clients[2]",
        "clients[3]",
        "clientConfig.discord",
        "clientConfig.discord.messageSimilarityThreshold",
        "clientConfig.discord.isPartOfTeam",
        "clientConfig.telegram",
        "clientConfig.slack",
        "modelProvider",
        "imageModelProvider",
        "settings.embeddingModel",
        "settings.modelConfig.temperature",
        "settings.modelConfig.maxOutputTokens",
        "settings.modelConfig.frequency_penalty",
        "settings.voice",
        "settings.ragKnowledge",
        "plugins[0]",
        "plugins[1]",
        "plugins[2]",
        "messageExamples",
        "templates.messageHandlerTemplate",
        "templates.twitterPostTemplate",
        "twitterProfile",
        "people",
        "nft",
        "extends",
      ]),
    );
    expect(notices.every((notice) => notice.file === "marlow.json" && notice.remedy !== "")).toBe(true);
  });

  it("has no key that vanishes in silence", () => {
    const file = JSON.parse(fixture("eliza-v0.json"));
    const known = Object.keys(character);
    for (const key of Object.keys(file)) {
      const isNoticed = notices.some(
        (notice) => notice.path === key || notice.path.startsWith(`${key}[`) || notice.path.startsWith(`${key}.`),
      );
      expect([key, known.includes(key) || isNoticed]).toEqual([key, true]);
    }
  });

  it("is refused, not bent, where its values have the wrong kind", () => {
    const file = {
      name: "M",
      bio: 1,
      clients: "discord",
      clientConfig: { telegram: 3 },
      modelProvider: {},
      settings: 4,
    };
    expect(paths(problemsOf(file)).toSorted()).toEqual(["bio", "clientConfig.telegram", "clients", "settings"]);
    expect(paths(problemsOf({ name: "M", modelProvider: [] }))).toEqual(["modelProvider"]);
  });
});

describe("Eliza's second form", () => {
  const reading = parseCharacter(fixture("eliza-v1.json"), { source: "wilma.json" });
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  const { character, form, notices } = reading;

  it("is recognised and read whole", () => {
    expect(form).toBe("eliza-v1");
    expect(character).toMatchObject({
      id: "b850bc30-45f8-0041-a00a-83df46d8555d",
      username: "wilma",
      system: "You are Wilma, a gardener.",
      knowledge: [
        { kind: "file", path: "./knowledge/soil.md", shared: false },
        { kind: "file", path: "knowledge/beds.md", shared: true },
        { kind: "directory", directory: "knowledge/seeds", shared: false },
      ],
      templates: { shouldRespond: "Should {{agentName}} speak?" },
      plugins: ["garden-plugin"],
      settings: { avatar: "wilma.png", modelProvider: "openai" },
      secrets: { GARDEN_KEY: "rose", GARDEN_PORT: "8080" },
      platforms: { discord: { enabled: true, shouldRespondOnlyToMentions: true } },
    });
    expect(character.messageExamples[0]?.[1]).toEqual({
      name: "Wilma",
      content: { text: "It drowned, Robin. They mostly do.", actions: ["REPLY"] },
    });
  });

  it("reports everything that was moved or left out", () => {
    expect(paths(notices)).toEqual([
      "settings.discord",
      "settings.avatar",
      "plugins[0]",
      "plugins[1]",
      "plugins[2]",
      "plugins[3]",
      "messageExamples",
      "templates.shouldRespondTemplate",
      "knowledge",
    ]);
  });

  it("is read in its later spelling too: groups of examples, knowledge items, messages in no list", () => {
    const message = { name: "{{name1}}", content: { text: "Hi" } };
    const grouped = accepted({
      name: "W",
      bio: "x",
      messageExamples: [{ examples: [message, { name: "W", content: { text: "Ho" } }] }],
      knowledge: [
        { item: { case: "path", value: "a.md" } },
        { item: { case: "directory", value: { directory: "d" } } },
      ],
    });
    expect(grouped.form).toBe("eliza-v1");
    expect(grouped.character.messageExamples).toHaveLength(1);
    expect(grouped.character.knowledge.map((source) => source.kind)).toEqual(["file", "directory"]);
    const flat = accepted({ name: "W", bio: "x", messageExamples: [message, { name: "W", content: { text: "Ho" } }] });
    expect(flat.character.messageExamples).toEqual(grouped.character.messageExamples);
    expect(paths(flat.notices)).toEqual(["messageExamples"]);
  });

  it("chooses one model provider and says which", () => {
    const plugins = ["@elizaos/plugin-ollama", "@elizaos/plugin-anthropic"];
    const { character: chosen, notices: said } = accepted({ name: "W", bio: "x", plugins });
    expect(chosen.settings.modelProvider).toBe("openai-compatible");
    expect(said.map((notice) => notice.remedy)).toEqual(["Set OPENAI_BASE_URL and settings.model.", "Remove it."]);
  });
});

describe("reading", () => {
  it("never throws, whatever the JSON, and always says something of what it refuses", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (json) => {
        const reading = readCharacter(json, { source: "any.json" });
        expect(reading.ok || reading.problems.length > 0).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it("never throws on a character with any values under the keys it knows", () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.string({ unit: "binary" }), fc.constant("{{user1}}"));
    const keys = [
      ...Object.keys(JSON.parse(fixture("eliza-v0.json"))),
      ...Object.keys(JSON.parse(fixture("eliza-v1.json"))),
      "platforms",
      "__proto__",
    ];
    const message = fc.record({
      user: value,
      name: value,
      content: fc.oneof(value, fc.dictionary(fc.string(), value)),
    });
    const parts = fc.record(
      {
        ...Object.fromEntries([...new Set(keys)].map((key) => [key, value])),
        messageExamples: fc.oneof(value, fc.array(fc.array(message))),
        settings: fc.oneof(
          value,
          fc.dictionary(fc.constantFrom("models", "discord", "modelConfig", "secrets", "mode"), value),
        ),
        clientConfig: fc.oneof(value, fc.dictionary(fc.constantFrom("discord", "slack"), value)),
        clients: fc.oneof(value, fc.array(value)),
        plugins: fc.oneof(
          value,
          fc.array(fc.oneof(value, fc.constant("@elizaos/plugin-openai"), fc.constant("@elizaos/client-discord"))),
        ),
        platforms: fc.oneof(value, fc.dictionary(fc.constantFrom("discord", "x"), value)),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(parts, (json) => {
        const reading = readCharacter(json, { source: "any.json" });
        expect(reading.ok || reading.problems.every((problem) => problem.remedy !== "")).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});

describe("the characters of the house", () => {
  const files = readdirSync(CHARACTERS).filter((file) => file.endsWith(".character.json"));

  it("are at least three", () => {
    expect(files).toContain("ada.character.json");
    expect(files.length).toBeGreaterThanOrEqual(3);
  });

  it.each(files)("%s is valid without a notice and has all a character needs", (file) => {
    const reading = parseCharacter(readFileSync(new URL(file, CHARACTERS), "utf8"), { source: file });
    expect(reading).toMatchObject({ ok: true, form: "troupe", notices: [] });
    if (!reading.ok) return;
    const { bio, lore, style, topics, adjectives, messageExamples, postExamples, system } = reading.character;
    expect(
      [bio, lore, style.all, style.chat, style.post, adjectives, postExamples].every((list) => list.length > 0),
    ).toBe(true);
    expect(topics.length).toBeGreaterThanOrEqual(6);
    expect(messageExamples.length).toBeGreaterThanOrEqual(4);
    expect(messageExamples.some((conversation) => conversation.length > 2)).toBe(true);
    expect(system).toBeDefined();
  });

  it("leave room in the prompt: the default one takes less than 2,500 characters", () => {
    const reading = parseCharacter(readFileSync(new URL("ada.character.json", CHARACTERS), "utf8"), { source: "ada" });
    if (!reading.ok) throw new Error("ada cannot be read");
    const { bio, lore, style, topics, messageExamples } = reading.character;
    const examples = messageExamples.flat().map(({ name, content }) => `${name}: ${content.text}`);
    const lines = [...bio, ...lore, ...style.all, ...style.chat, ...style.post, topics.join(", "), ...examples];
    expect(lines.join("\n").length).toBeLessThan(2_500);
  });

  it("stand beside a schema for editors that says what is read", () => {
    const written = readFileSync(new URL("character.schema.json", CHARACTERS), "utf8");
    expect(JSON.parse(written), "write characterJsonSchema() to characters/character.schema.json").toEqual(
      characterJsonSchema(),
    );
  });
});
