import { describe, expect, it } from "vitest";
import { type ErrorCode, ModelError } from "../errors.ts";
import type { LanguageModel, ModelEvent, ModelRequest, ModelTool } from "../model/model.ts";

/** What a model has to be brought to do for one test of the contract. */
export type ModelSituation =
  /** Answers anything at all, in words of its own. */
  | { readonly kind: "answers" }
  /** Answers exactly these pieces; none: an empty answer. */
  | { readonly kind: "says"; readonly pieces: readonly string[] }
  /** Says these words, none when empty, and then makes these calls; `raw` are the arguments to the letter. */
  | { readonly kind: "calls"; readonly text: string; readonly calls: readonly { name: string; raw: string }[] }
  /** Never answers. */
  | { readonly kind: "hangs" }
  /** Fails before it said anything, with this code. */
  | { readonly kind: "fails"; readonly code: ErrorCode };

/** A model in its situation, and what closes everything it needed. */
export type OpenedModel = { readonly model: LanguageModel; close(): Promise<void> };

/** How the suite gets at the model. */
export type ModelContractOptions = {
  open(situation: ModelSituation): Promise<OpenedModel>;
  /** True for a model that cannot be told what to say and cannot hang or fail, such as the offline one. */
  readonly isSelfWilled?: boolean;
  /** True for a model that calls tools and can be told which. */
  readonly canCallTools?: boolean;
  /** Codes it can be made to fail with; `unauthorized`, `not_found` and `unavailable` unless it is said. */
  readonly codes?: readonly ErrorCode[];
};

/** What every language model must keep, whoever makes it. Call it at the top of a test file. */
export function modelContract(name: string, options: ModelContractOptions): void {
  const inSituation = async (
    situation: ModelSituation,
    test: (model: LanguageModel) => Promise<void>,
  ): Promise<void> => {
    const { model, close } = await options.open(situation);
    try {
      await test(model);
    } finally {
      await close();
    }
  };
  describe(`the model contract, kept by ${name}`, () => {
    describeAnswers(inSituation);
    describeAborts(inSituation);
    describeTools(inSituation);
    if (options.canCallTools) describeCalls(inSituation);
    if (!options.isSelfWilled) {
      describeScripts(inSituation);
      describeFailures(inSituation, options.codes ?? ["unauthorized", "not_found", "unavailable"]);
    }
  });
}

type InSituation = (situation: ModelSituation, test: (model: LanguageModel) => Promise<void>) => Promise<void>;

function describeAnswers(inSituation: InSituation): void {
  it("is called provider:name", () =>
    inSituation({ kind: "answers" }, async (model) => {
      expect(model.id).toMatch(/^[^:\s]+:\S+$/);
    }));

  it("streams what it says and then finishes exactly once", () =>
    inSituation({ kind: "answers" }, async (model) => {
      const events = await collect(model, ask("Hello, who are you?"));
      expect(textOf(events).trim()).not.toBe("");
      expect(events.filter(({ type }) => type === "finish")).toHaveLength(1);
      expect(events.at(-1)?.type).toBe("finish");
      expect(events.filter((event) => "text" in event && event.text === "")).toEqual([]);
    }));

  it("says how it ended, who answered and what it used", () =>
    inSituation({ kind: "answers" }, async (model) => {
      const finish = finishOf(await collect(model, ask("Hello, who are you?")));
      expect(["stop", "length"]).toContain(finish.reason);
      expect(finish.model).toMatch(/^[^:\s]+:\S+$/);
      for (const tokens of Object.values(finish.usage)) expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true);
      expect(finish.usage.cachedInputTokens).toBeLessThanOrEqual(finish.usage.inputTokens);
    }));

  it("answers several calls at once without mixing them", () =>
    inSituation({ kind: "answers" }, async (model) => {
      const calls = await Promise.all([1, 2, 3].map(() => collect(model, ask("Hello, who are you?"))));
      for (const events of calls) expect(events.filter(({ type }) => type === "finish")).toHaveLength(1);
    }));

  it("can be asked again after somebody stopped listening", () =>
    inSituation({ kind: "answers" }, async (model) => {
      for await (const _event of model.stream(ask("Hello, who are you?"))) break;
      expect(finishOf(await collect(model, ask("Hello, who are you?"))).type).toBe("finish");
    }));
}

function describeAborts(inSituation: InSituation): void {
  it("says nothing when it was called off before it began", () =>
    inSituation({ kind: "answers" }, async (model) => {
      const { events, error } = await collectUntilError(model, ask("Hello", AbortSignal.abort()));
      expect(events).toEqual([]);
      expect(codeOf(error)).toBe("aborted");
    }));

  it("says nothing more once it is called off in the middle", () =>
    inSituation({ kind: "answers" }, async (model) => {
      const controller = new AbortController();
      const events: ModelEvent[] = [];
      const listen = async (): Promise<void> => {
        for await (const event of model.stream(ask("Hello, who are you?", controller.signal))) {
          events.push(event);
          controller.abort();
        }
      };
      expect(codeOf(await listen().catch((error: unknown) => error))).toBe("aborted");
      expect(events).toHaveLength(1);
    }));
}

function describeScripts(inSituation: InSituation): void {
  it("passes on exactly what was said, pieces in order", () =>
    inSituation({ kind: "says", pieces: ["Good ", "mor", "ning", ", you."] }, async (model) => {
      expect(textOf(await collect(model, ask("Hello")))).toBe("Good morning, you.");
    }));

  it("passes on every script and sign unharmed, however they are cut", () => {
    const pieces = [
      "Zażółć ",
      "你",
      "好 ",
      "สวัสดี ",
      "👩‍👩",
      "‍👧 ",
      "e\u0301 ",
      "\u{1F1F5}",
      "\u{1F1F1}",
      ' \n\t"\\ </s>',
    ];
    return inSituation({ kind: "says", pieces }, async (model) => {
      expect(textOf(await collect(model, ask("Grüße 👋🏽, и вам")))).toBe(pieces.join(""));
    });
  });

  it("finishes an empty answer without a piece of text", () =>
    inSituation({ kind: "says", pieces: [] }, async (model) => {
      const events = await collect(model, ask("Hello"));
      expect(textOf(events)).toBe("");
      expect(finishOf(events).reason).toBe("stop");
    }));

  it("gives up at once when it is called off while it is silent", () =>
    inSituation({ kind: "hangs" }, async (model) => {
      const controller = new AbortController();
      const listening = collectUntilError(model, ask("Hello", controller.signal));
      // Let the call get on its way before it is called off.
      await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      const { events, error } = await listening;
      expect(events).toEqual([]);
      expect(codeOf(error)).toBe("aborted");
    }));
}

const weather: ModelTool = {
  name: "GET_WEATHER",
  description: "What the weather is like at a place.",
  parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
};
const roll: ModelTool = {
  name: "ROLL_DICE",
  description: "Rolls a die.",
  parameters: { type: "object", properties: {} },
};

function describeTools(inSituation: InSituation): void {
  it("answers as ever when it is offered tools", () =>
    inSituation({ kind: "answers" }, async (model) => {
      const events = await collect(model, { ...ask("Hello, who are you?"), tools: [weather, roll] });
      expect(textOf(events).trim()).not.toBe("");
      expect(finishOf(events).type).toBe("finish");
    }));
}

function describeCalls(inSituation: InSituation): void {
  const call = async (model: LanguageModel): Promise<readonly ModelEvent[]> =>
    collect(model, { ...ask("What is the weather?"), tools: [weather, roll] });

  it("tells a call with its name, its mark and its arguments, and finishes for it", () =>
    inSituation(
      { kind: "calls", text: "", calls: [{ name: "GET_WEATHER", raw: '{"place":"Graz"}' }] },
      async (model) => {
        const events = await call(model);
        expect(callsOf(events)).toEqual([{ name: "GET_WEATHER", input: { place: "Graz" } }]);
        expect(
          events.flatMap((event) => (event.type === "tool-call" ? [event.id.trim() !== "", event.raw] : [])),
        ).toEqual([true, '{"place":"Graz"}']);
        expect(textOf(events)).toBe("");
        expect(finishOf(events).reason).toBe("tool-calls");
      },
    ));

  it("tells two calls in order, each with a mark of its own", () => {
    const calls = ["Graz", "東京 👋🏽"].map((place) => ({ name: "GET_WEATHER", raw: JSON.stringify({ place }) }));
    return inSituation({ kind: "calls", text: "", calls }, async (model) => {
      const events = await call(model);
      expect(callsOf(events).map(({ input }) => input)).toEqual([{ place: "Graz" }, { place: "東京 👋🏽" }]);
      expect(new Set(events.flatMap((event) => (event.type === "tool-call" ? [event.id] : []))).size).toBe(2);
    });
  });

  it("speaks and calls in one answer", () =>
    inSituation(
      { kind: "calls", text: "One moment.", calls: [{ name: "GET_WEATHER", raw: '{"place":"Graz"}' }] },
      async (model) => {
        const events = await call(model);
        expect(textOf(events)).toBe("One moment.");
        expect(callsOf(events)).toHaveLength(1);
        expect(events.findIndex(({ type }) => type === "text")).toBeLessThan(
          events.findIndex(({ type }) => type === "tool-call"),
        );
      },
    ));

  it("tells a call without arguments, and one of a tool nobody offered", () =>
    inSituation(
      {
        kind: "calls",
        text: "",
        calls: [
          { name: "ROLL_DICE", raw: "{}" },
          { name: "LAUNCH", raw: '{"now":true}' },
        ],
      },
      async (model) => {
        expect(callsOf(await call(model))).toEqual([
          { name: "ROLL_DICE", input: {} },
          { name: "LAUNCH", input: { now: true } },
        ]);
      },
    ));

  it("tells a call whose arguments cannot be read instead of throwing", () =>
    inSituation(
      {
        kind: "calls",
        text: "",
        calls: [
          { name: "GET_WEATHER", raw: '{"place": Graz]' },
          { name: "ROLL_DICE", raw: "{}" },
        ],
      },
      async (model) => {
        const events = await call(model);
        expect(callsOf(events)).toEqual([
          { name: "GET_WEATHER", input: null },
          { name: "ROLL_DICE", input: {} },
        ]);
        expect(events.find((event) => event.type === "tool-call")).toMatchObject({ raw: '{"place": Graz]' });
      },
    ));
}

function describeFailures(inSituation: InSituation, codes: readonly ErrorCode[]): void {
  it.each(codes)("throws a ModelError with a remedy when it fails: %s", (code) =>
    inSituation({ kind: "fails", code }, async (model) => {
      const { events, error } = await collectUntilError(model, ask("the word swordfish is secret"));
      expect(events).toEqual([]);
      expect(error).toBeInstanceOf(ModelError);
      expect(codeOf(error)).toBe(code);
      expect(String(error)).not.toContain("swordfish");
    }),
  );
}

function ask(text: string, signal: AbortSignal = new AbortController().signal): ModelRequest {
  const system = "You are Ada. Answer briefly.";
  return {
    messages: [
      { role: "system", content: system },
      { role: "user", content: text },
    ],
    signal,
  };
}

async function collect(model: LanguageModel, request: ModelRequest): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request)) events.push(event);
  return events;
}

async function collectUntilError(
  model: LanguageModel,
  request: ModelRequest,
): Promise<{ readonly events: readonly ModelEvent[]; readonly error: unknown }> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.stream(request)) events.push(event);
    return { events, error: undefined };
  } catch (error) {
    return { events, error };
  }
}

function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

function callsOf(events: readonly ModelEvent[]): readonly { readonly name: string; readonly input: unknown }[] {
  return events.flatMap((event) => (event.type === "tool-call" ? [{ name: event.name, input: event.input }] : []));
}

function finishOf(events: readonly ModelEvent[]): Extract<ModelEvent, { type: "finish" }> {
  const last = events.at(-1);
  if (last?.type !== "finish") throw new Error(`the last event is ${last?.type ?? "missing"}, not a finish`);
  return last;
}

function codeOf(error: unknown): ErrorCode | undefined {
  return error instanceof ModelError ? error.code : undefined;
}
