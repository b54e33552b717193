import { expect, it } from "vitest";
import { type ErrorCode, ModelError } from "../errors.ts";
import { embeddingModelContract } from "./model-contract-embedding.ts";
import {
  imageContract,
  imageDescriptionContract,
  type MediaSituation,
  mediaBytes,
  mediaWords,
  speechContract,
  transcriptionContract,
} from "./model-contract-media.ts";
import { createScriptedEmbeddingModel } from "./scripted-embedding-model.ts";
import {
  createScriptedImage,
  createScriptedImageDescription,
  createScriptedSpeech,
  createScriptedTranscription,
} from "./scripted-media-models.ts";

const failing = (code: ErrorCode): ModelError => new ModelError(code, "It fails");
const close = async (): Promise<void> => undefined;
const never = new Promise<never>(() => undefined);

embeddingModelContract("the scripted embedding model", {
  async open(situation) {
    const script = situation.kind === "embeds" ? situation.vectorOf : () => never;
    const model = createScriptedEmbeddingModel({ script });
    if (situation.kind === "fails") model.fail(failing(situation.code));
    return { model, close };
  },
});

function scriptOf<Answer>(situation: MediaSituation, answer: Answer) {
  return (): Answer | ModelError | Promise<never> => {
    if (situation.kind === "fails") return failing(situation.code);
    return situation.kind === "hangs" ? never : answer;
  };
}

const isDouble = true;
const file = { bytes: mediaBytes, mediaType: "image/png" };

imageDescriptionContract("the scripted image description", {
  isDouble,
  open: async (situation) => ({ model: createScriptedImageDescription(scriptOf(situation, mediaWords)), close }),
});
transcriptionContract("the scripted transcription", {
  isDouble,
  open: async (situation) => ({ model: createScriptedTranscription(scriptOf(situation, { text: mediaWords })), close }),
});
speechContract("the scripted speech", {
  isDouble,
  open: async (situation) => ({ model: createScriptedSpeech(scriptOf(situation, file)), close }),
});
imageContract("the scripted image", {
  isDouble,
  open: async (situation) => ({ model: createScriptedImage(scriptOf(situation, file)), close }),
});

it("puts texts with words in common near each other", async () => {
  const { vectors } = await createScriptedEmbeddingModel().embed(
    ["the cat sleeps", "a cat sleeps", "stock prices fell"],
    new AbortController().signal,
  );
  const [cat = new Float32Array(), other = cat, stocks = cat] = vectors;
  const near = (one: Float32Array, two: Float32Array): number =>
    one.reduce((sum, value, at) => sum + value * (two[at] ?? 0), 0);
  expect(near(cat, other)).toBeGreaterThan(near(cat, stocks));
});
