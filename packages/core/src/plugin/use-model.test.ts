import { describe, expect, it } from "vitest";
import { ModelError, ValidationError } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import { silentLog } from "../log.ts";
import type { Models } from "../model/models.ts";
import { createScriptedEmbeddingModel } from "../testing/scripted-embedding-model.ts";
import {
  createScriptedImage,
  createScriptedImageDescription,
  createScriptedSpeech,
  createScriptedTranscription,
} from "../testing/scripted-media-models.ts";
import { createScriptedModel } from "../testing/scripted-model.ts";
import { createTestRuntime } from "../testing/test-runtime.ts";
import { type AskParts, askModel, type ModelUse } from "./ask-model.ts";
import { combineModels, readOffers } from "./offered-models.ts";
import type { Plugin } from "./plugin.ts";

const bytes = new Uint8Array([1, 2, 3]);
const file = { bytes, mediaType: "image/png" };
const schema = {
  type: "object",
  properties: { city: { type: "string" }, people: { type: "integer" } },
  required: ["city", "people"],
  additionalProperties: false,
} as const;

function createParts(models: Partial<Models> = {}): AskParts & { readonly uses: ModelUse[] } {
  const text = createScriptedModel(() => "said");
  const uses: ModelUse[] = [];
  return {
    agentId: "a",
    models: { TEXT_SMALL: text, TEXT_LARGE: text, ...models },
    overrides: () => [],
    onModelUsed: (use) => uses.push(use),
    uses,
  };
}

describe("useModel by type", () => {
  it.each(["TEXT_SMALL", "TEXT_LARGE", "REASONING_SMALL", "REASONING_LARGE", "SHOULD_RESPOND"] as const)(
    "answers %s with text, by a text model where there is no other",
    async (type) => {
      expect(await askModel(createParts(), type, { prompt: "?" })).toBe("said");
      const own = createScriptedModel(["its own"], { id: "scripted:own" });
      const parts = createParts({ [type]: own });
      expect(await askModel(parts, type, { prompt: "?", reasoning: "high" })).toBe("its own");
      expect(own.requests[0]).toMatchObject({ reasoning: "high" });
      expect(parts.uses).toMatchObject([{ model: "scripted:own" }]);
    },
  );

  it("answers TEXT_EMBEDDING with a vector, and counts it", async () => {
    const parts = createParts({ TEXT_EMBEDDING: createScriptedEmbeddingModel({ script: () => [1, 2] }) });
    expect(await askModel(parts, "TEXT_EMBEDDING", { text: "hello" })).toEqual(Float32Array.from([1, 2]));
    expect(parts.uses).toMatchObject([{ model: "scripted:embedding" }]);
    await expect(askModel(parts, "TEXT_EMBEDDING", { text: " " })).rejects.toThrow(/give useModel a text/);
  });

  it("answers with what is seen, heard, spoken and drawn", async () => {
    const parts = createParts({
      IMAGE_DESCRIPTION: createScriptedImageDescription("A cat."),
      TRANSCRIPTION: createScriptedTranscription({ text: "Good morning." }),
      TEXT_TO_SPEECH: createScriptedSpeech({ bytes, mediaType: "audio/mpeg" }),
      IMAGE: createScriptedImage(file),
    });
    expect(await askModel(parts, "IMAGE_DESCRIPTION", file)).toBe("A cat.");
    expect(await askModel(parts, "TRANSCRIPTION", file)).toBe("Good morning.");
    expect(await askModel(parts, "TEXT_TO_SPEECH", { text: "Hi" })).toEqual({ bytes, mediaType: "audio/mpeg" });
    expect(await askModel(parts, "IMAGE", { prompt: "a cat" })).toEqual(file);
    expect(parts.uses).toHaveLength(4);
  });

  it("names what there is when a type has no model", async () => {
    const asking = askModel(createParts(), "TEXT_EMBEDDING", { text: "hello" });
    await expect(asking).rejects.toThrow(/no model for TEXT_EMBEDDING; set one in settings.models/);
    await expect(askModel(createParts(), "TEXT_HUGE" as never, {} as never)).rejects.toThrow(ValidationError);
  });
});

describe("useModel for data", () => {
  const ask = async (answers: readonly string[]) => {
    const model = createScriptedModel(answers);
    const parts = createParts({ OBJECT_SMALL: model });
    const asking = askModel(parts, "OBJECT_SMALL", { prompt: "Where?", schema });
    const value: JsonValue | ModelError = await asking.catch((error: ModelError) => error);
    return { value, requests: model.requests, uses: parts.uses };
  };
  const whole = { city: "Graz", people: 300_000 };

  it.each([
    JSON.stringify(whole),
    `Sure!\n\`\`\`json\n${JSON.stringify(whole)}\n\`\`\`\nAnything else?`,
    "<think>{ maybe }</think>{ city: 'Graz', people: 300000, }",
    `The answer is {"city": "Graz", "people": 300000}.`,
    JSON.stringify(JSON.stringify(whole)),
  ])("reads %j", async (answer) => {
    const { value, requests } = await ask([answer]);
    expect(value).toEqual(whole);
    expect(requests[0]?.responseSchema).toBe(schema);
    expect(requests[0]?.messages[0]?.content).toContain('"people"');
  });

  it("sends an answer that does not fit back once, with what is wrong, and counts both", async () => {
    const { value, requests, uses } = await ask(['{"city": "Graz"}', JSON.stringify(whole)]);
    expect(value).toEqual(whole);
    expect(requests[1]?.messages.at(-1)?.content).toMatch(/cannot be used: people:/);
    expect(requests[1]?.messages.at(-2)).toEqual({ role: "assistant", content: '{"city": "Graz"}' });
    expect(uses).toHaveLength(2);
  });

  it("gives up after the second answer", async () => {
    const { value, uses } = await ask(["no idea", "{"]);
    expect(value).toMatchObject({ code: "unavailable", message: expect.stringMatching(/answered twice/) });
    expect(uses).toHaveLength(2);
  });

  it("refuses a schema that is none", async () => {
    const parts = createParts();
    const broken = { type: "nonsense" };
    await expect(askModel(parts, "OBJECT_LARGE", { prompt: "?", schema: broken })).rejects.toThrow(ValidationError);
    await expect(askModel(parts, "OBJECT_LARGE", { prompt: "?" } as never)).rejects.toThrow(/without a schema/);
  });
});

describe("useModel with stream", () => {
  const plugin: Plugin = {
    name: "poet",
    actions: [
      {
        name: "RHYME",
        description: "Says a poem.",
        validate: () => true,
        handler: async (runtime) => ({
          success: true,
          text: await runtime.useModel("TEXT_LARGE", { prompt: "A poem", stream: true }),
        }),
      },
    ],
  };

  it("says its words to the room as they come, inside an action", async () => {
    const { act, close } = await createTestRuntime({ model: [{ pieces: ["Roses ", "are red."] }], plugins: [plugin] });
    const { streamed, result } = await act("RHYME");
    expect([streamed, result.text]).toEqual(["Roses are red.", "Roses are red."]);
    await close();
  });

  it("says that there is nowhere to stream to outside an action", async () => {
    const { runtime, close } = await createTestRuntime({ model: ["x"] });
    await expect(runtime.useModel("TEXT_LARGE", { prompt: "?", stream: true })).rejects.toThrow(/inside an action/);
    await close();
  });
});

describe("several models of a type", () => {
  const working = (id: string) => createScriptedModel(() => `from ${id}`, { id });
  const down = (id: string) =>
    createScriptedModel(() => ({ error: new ModelError("unavailable", `${id} is down`) }), { id });
  const askAll = (offers: Parameters<typeof readOffers>[1], given: Partial<Models> = {}) => {
    const offered = readOffers("p", offers);
    const parts = createParts({ TEXT_LARGE: working("s:settings"), ...given });
    return askModel({ ...parts, overrides: () => offered }, "TEXT_LARGE", { prompt: "?" });
  };

  it("answers by the highest priority, the first of equal ones, and a plugin's before the settings'", async () => {
    expect(await askAll({ TEXT_LARGE: working("p:own") })).toBe("from p:own");
    const several = [working("p:zero"), { model: working("p:ten"), priority: 10 }, working("p:later")];
    expect(await askAll({ TEXT_LARGE: several })).toBe("from p:ten");
    expect(await askAll({ TEXT_LARGE: [{ model: working("p:last"), priority: -1 }] })).toBe("from s:settings");
  });

  it("asks the next one when the first fails before it said anything", async () => {
    const several = [{ model: down("p:ten"), priority: 10 }, working("p:zero")];
    expect(await askAll({ TEXT_LARGE: several })).toBe("from p:zero");
    expect(await askAll({ TEXT_LARGE: down("p:own") })).toBe("from s:settings");
  });

  it("makes the chain once for the same offers", () => {
    const offered = readOffers("p", { TEXT_LARGE: working("p:own") });
    const given = createParts().models;
    expect(combineModels(given, offered, silentLog)).toBe(combineModels(given, offered, silentLog));
    expect(combineModels(given, [], silentLog)).toBe(given);
  });

  it("refuses a priority that is no number", () => {
    const offers = { TEXT_LARGE: [{ model: working("p:own"), priority: "high" as never }] };
    expect(() => readOffers("p", offers)).toThrow(/TEXT_LARGE whose priority is no number/);
  });
});
