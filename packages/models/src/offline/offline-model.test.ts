import { decodeResponse, isAbort, ModelError, type PromptMessage } from "@troupe/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOfflineModel } from "./offline-model.ts";
import { collect, lastReply, nowBlock, said, streamAll, systemText, talk, textOf } from "./testing/talk.ts";

const answers = {
  json: "Answer with one JSON object and nothing else, its keys in this order:",
  xml: "Answer with one block and nothing else: <response><thought>why</thought><text>words</text></response>",
  text: "Answer with plain text: just the words Mo says.",
};
const message = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({ maxLength: 300 }),
  fc.constantFrom(
    "hi",
    "who are you?",
    "I am sad",
    "wie geht es dir?",
    "使い方",
    "use GET_WEATHER for Paris",
    "12 * (3",
    "🙂",
    "[LIKE]",
  ),
);
const prompts: fc.Arbitrary<PromptMessage[]> = fc.array(
  fc.record({
    role: fc.constantFrom("system" as const, "user" as const, "assistant" as const),
    content: fc.oneof(
      message,
      message.map((text) => `${said(text)}\n${nowBlock}`),
      fc.constantFrom(
        systemText(),
        "# Actions\n- X: y Parameters: {",
        "You are",
        '<message from="',
        "<results>\n{",
        "<now>",
      ),
    ),
  }),
  { maxLength: 6 },
);

describe("the stream", () => {
  it("comes in pieces of at most the asked code points and never cuts one", async () => {
    const events = await streamAll([{ role: "user", content: "😢" }], 3);
    const pieces = events.flatMap((event) => (event.type === "text" ? [event.text] : []));
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.every((piece) => [...piece].length <= 3 && piece.isWellFormed())).toBe(true);
  });

  it("ends with exactly one finish that costs nothing and estimates the tokens", async () => {
    const events = await streamAll([{ role: "user", content: "x".repeat(400) }]);
    const finishes = events.filter((event) => event.type === "finish");
    expect(finishes).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({
      type: "finish",
      reason: "stop",
      model: "offline:conversation",
      costMicrousd: 0,
      usage: { inputTokens: 100, cachedInputTokens: 0, outputTokens: Math.ceil(textOf(events).length / 4) },
    });
  });

  it("throws an aborted ModelError when called off before and while it speaks", async () => {
    const model = createOfflineModel();
    const messages: PromptMessage[] = [{ role: "user", content: "hi" }];
    const before = model.stream({ messages, signal: AbortSignal.abort() });
    await expect(collect(before)).rejects.toBeInstanceOf(ModelError);
    const controller = new AbortController();
    const heard: string[] = [];
    const listen = async (): Promise<void> => {
      for await (const event of model.stream({ messages, signal: controller.signal })) {
        heard.push(event.type);
        controller.abort();
      }
    };
    await expect(listen()).rejects.toSatisfy(isAbort);
    expect(heard).toEqual(["text"]);
  });

  it("stops at the token limit and says so", async () => {
    const model = createOfflineModel();
    const request = {
      messages: [{ role: "user", content: "hi" } as const],
      maxTokens: 2,
      signal: new AbortController().signal,
    };
    const events = await collect(model.stream(request));
    expect(textOf(events)).toHaveLength(8);
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "length" });
  });

  it("stops before a stop text", async () => {
    const model = createOfflineModel();
    const messages: PromptMessage[] = [
      { role: "system", content: systemText() },
      { role: "user", content: "hi" },
    ];
    const events = await collect(model.stream({ messages, stop: ['"text"'], signal: new AbortController().signal }));
    expect(textOf(events)).not.toContain('"text"');
  });
});

describe("the answer", () => {
  it("puts the actions before the text in JSON", async () => {
    const raw = textOf(
      await streamAll([
        { role: "system", content: systemText() },
        { role: "user", content: said("hello") },
      ]),
    );
    expect(Object.keys(JSON.parse(raw))).toEqual(["thought", "actions", "text"]);
    expect(raw.indexOf("REPLY")).toBeLessThan(raw.indexOf('"text"'));
  });

  it.each(Object.entries(answers))("says the same words in the format %s", async (_format, answer) => {
    const plain = await lastReply(["What do you think of my cat?"], systemText());
    expect(await lastReply(["What do you think of my cat?"], systemText({ answer }))).toBe(plain);
  });

  it("is the same for the same messages, whatever was asked between", async () => {
    await fc.assert(
      fc.asyncProperty(prompts, prompts, async (messages, others) => {
        const model = createOfflineModel();
        const ask = async (asked: PromptMessage[]): Promise<string> =>
          textOf(await collect(model.stream({ messages: asked, signal: new AbortController().signal })));
        const first = await ask(messages);
        await ask(others);
        expect(await ask(messages)).toBe(first);
      }),
      { numRuns: 60 },
    );
  });

  it("is whole and well-formed for any messages whatever", async () => {
    await fc.assert(
      fc.asyncProperty(prompts, async (messages) => {
        const raw = textOf(await streamAll(messages));
        const decoded = decodeResponse(raw, { agentName: "Mo" });
        expect(raw.isWellFormed()).toBe(true);
        expect(decoded.complete).toBe(true);
        expect(decoded.text !== "" || decoded.actions.length + decoded.keywords.length > 0).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("never acts by a keyword that somebody wrote", async () => {
    for (const answer of Object.values(answers)) {
      const replies = await talk(
        ["I want [LIKE] and [STOP]", "I love [RETWEET] very much", "you are [IGNORE]"],
        systemText({ answer }),
      );
      expect(replies.flatMap((reply) => reply.keywords)).toEqual([]);
      expect(replies.every((reply) => reply.text !== "")).toBe(true);
    }
  });

  it("never repeats tags or braces that would end its own format", async () => {
    for (const answer of Object.values(answers)) {
      const replies = await talk(
        ["I hate </text></response>", 'I love {"text":"x"} so much', "I feel ```json {} ```"],
        systemText({ answer }),
      );
      for (const reply of replies) expect(reply.text).not.toMatch(/[<>{}`]/);
    }
  });

  it("keeps going over rubbish of a megabyte", async () => {
    const rubbish = ["a", "i am my ", '<message from="', "&lt;", "\ud800", "[[", "1+", "\n# x", '"', "in for to "];
    for (const piece of rubbish) {
      const content = piece.repeat(1_000_000 / piece.length);
      const events = await streamAll([
        { role: "system", content },
        { role: "assistant", content },
        { role: "user", content: said(content) },
      ]);
      expect(events.at(-1)?.type).toBe("finish");
    }
  });

  it.each([
    [[]],
    [[{ role: "system", content: "" }]],
    [[{ role: "user", content: "" }]],
    [[{ role: "user", content: said("") }]],
    [[{ role: "assistant", content: "hello" }]],
  ] as const)("has something to say to the empty conversation %#", async (messages) => {
    expect(decodeResponse(textOf(await streamAll(messages)), { agentName: "Mo" }).text).not.toBe("");
  });

  it("is plain text when there is no system message at all", async () => {
    expect(textOf(await streamAll([{ role: "user", content: "hello" }]))).not.toContain("{");
  });
});
