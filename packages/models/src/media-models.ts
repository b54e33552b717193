import type {
  ImageModel,
  JsonObject,
  MadeFile,
  ModelCost,
  SpeechModel,
  Transcript,
  TranscriptionModel,
} from "@troupe/core";
import { ModelError } from "@troupe/core/errors";
import { type Asked, type Attempt, createOneShot, type OneShotOptions } from "./one-shot.ts";
import { type MediaUse, priceOfMedia } from "./prices-media.ts";
import { type ModelSpec, modelId } from "./spec.ts";
import { openVendorMedia, type VendorMedia } from "./vendor.ts";

/** What a model for sound or pictures needs beside its spec. */
export type MediaModelOptions = OneShotOptions & {
  /** As the vendor names it; OpenAI's `alloy` when absent. */
  readonly voice?: string;
};

/**
 * Writes down speech through `/audio/transcriptions`, of OpenAI or a server that has it.
 * @throws ConfigError when the spec lacks a key, a name or an address, or is Anthropic's, which has none.
 */
export function createTranscriptionModel(spec: ModelSpec, options: MediaModelOptions): TranscriptionModel {
  const media = createMedia(spec, options);
  return {
    id: modelId(spec),
    async transcribe({ bytes, mediaType, language, signal }) {
      if (bytes.length === 0) throw new ModelError("invalid", `${modelId(spec)} was given an empty recording`);
      const providerOptions = language === undefined ? {} : { providerOptions: { openai: { language } } };
      const { value, notes } = await media.ask(signal, (vendor, attempt) =>
        vendor
          .transcription(attempt.name)
          .doGenerate({ audio: bytes, mediaType, abortSignal: attempt.signal, ...providerOptions }),
      );
      const durationMs =
        value.durationInSeconds === undefined ? undefined : Math.round(value.durationInSeconds * 1_000);
      const transcript: Transcript = {
        text: value.text.trim(),
        ...(value.language !== undefined && { language: value.language }),
        ...(durationMs !== undefined && { durationMs }),
      };
      const use = { ...usedTokens(value.usage), ...(durationMs !== undefined && { durationMs }) };
      return { ...transcript, ...media.cost(use, notes) };
    },
  };
}

/** Recordings by media type, as OpenAI names their formats. */
const FORMATS: Readonly<Record<string, string>> = {
  "audio/mpeg": "mp3",
  "audio/ogg": "opus",
  "audio/aac": "aac",
  "audio/flac": "flac",
  "audio/wav": "wav",
};

/**
 * Reads texts aloud through `/audio/speech`. Texts of up to 4,096 signs are what OpenAI takes.
 * @throws ConfigError as above.
 */
export function createSpeechModel(spec: ModelSpec, options: MediaModelOptions): SpeechModel {
  const media = createMedia(spec, options);
  return {
    id: modelId(spec),
    async speak({ text, voice = options.voice, mediaType = "audio/mpeg", signal }) {
      const outputFormat = Object.hasOwn(FORMATS, mediaType) ? FORMATS[mediaType] : undefined;
      if (text.trim() === "" || outputFormat === undefined) {
        const remedy = `give it a text, and one of ${Object.keys(FORMATS).join(", ")}`;
        throw new ModelError("invalid", `${modelId(spec)} cannot speak this: ${remedy}`);
      }
      const { value, notes } = await media.ask(signal, (vendor, attempt) =>
        vendor.speech(attempt.name).doGenerate({
          text: text.toWellFormed(),
          outputFormat,
          abortSignal: attempt.signal,
          ...(voice !== undefined && { voice }),
        }),
      );
      const file = media.file(value.audio, mediaType);
      return { ...file, ...media.cost({ characters: [...text].length }, notes) };
    },
  };
}

/**
 * Draws pictures through `/images/generations`.
 * @throws ConfigError as above.
 */
export function createImageModel(spec: ModelSpec, options: MediaModelOptions): ImageModel {
  const media = createMedia(spec, options);
  return {
    id: modelId(spec),
    async draw({ prompt, size, signal }) {
      if (prompt.trim() === "") throw new ModelError("invalid", `${modelId(spec)} was asked to draw nothing; say what`);
      const { value, notes } = await media.ask(signal, (vendor, attempt) =>
        vendor.image(attempt.name).doGenerate({
          prompt: prompt.toWellFormed(),
          n: 1,
          size: readSize(size, spec),
          aspectRatio: undefined,
          seed: undefined,
          files: undefined,
          mask: undefined,
          providerOptions: {},
          abortSignal: attempt.signal,
        }),
      );
      const file = media.file(value.images[0] ?? "", "image/png");
      const { inputTokens = 0, outputTokens = 0 } = value.usage ?? {};
      return { ...file, ...media.cost({ inputTokens, outputTokens }, notes) };
    },
  };
}

function readSize(size: string | undefined, spec: ModelSpec): `${number}x${number}` | undefined {
  if (size === undefined) return undefined;
  const [, width, height] = /^(\d{2,5})x(\d{2,5})$/.exec(size) ?? [];
  if (width !== undefined && height !== undefined) return `${Number(width)}x${Number(height)}`;
  throw new ModelError(
    "invalid",
    `${modelId(spec)} cannot draw in the size ${JSON.stringify(size.slice(0, 40))}; write it like 1024x1024`,
  );
}

type Media = {
  ask<Value>(
    signal: AbortSignal,
    work: (vendor: VendorMedia, attempt: Attempt) => PromiseLike<Value>,
  ): Promise<Asked<Value>>;
  /** @throws ModelError when it is empty. */
  file(bytes: Uint8Array | string, asked: string): MadeFile;
  cost(use: MediaUse, notes: readonly JsonObject[]): ModelCost;
};

function createMedia(given: ModelSpec, options: MediaModelOptions): Media {
  const oneShot = createOneShot(given, options, "speech or pictures");
  const { spec, name } = oneShot;
  let opened: VendorMedia | undefined;
  return {
    ask: (caller, work) =>
      oneShot.ask(caller, async (attempt) => {
        opened ??= await openVendorMedia(spec);
        return work(opened, attempt);
      }),
    file(made, asked) {
      const bytes = typeof made === "string" ? Buffer.from(made, "base64") : made;
      const wrong = bytes.length === 0 ? "an empty file" : readsAsPage(bytes) ? "a text in place of a file" : undefined;
      if (wrong === undefined) return { bytes: new Uint8Array(bytes), mediaType: sniff(bytes) ?? asked };
      const remedy = `try again, or see what answers at ${spec.baseUrl}`;
      throw new ModelError("unavailable", `${spec.facts.title} (model ${name}) sent ${wrong}; ${remedy}`);
    },
    cost(use, notes) {
      const costMicrousd = priceOfMedia(name, spec.baseUrl, use);
      const { inputTokens = 0, outputTokens = 0 } = use;
      return {
        model: `${spec.provider}:${name}`,
        usage: { inputTokens, cachedInputTokens: 0, outputTokens },
        ...(costMicrousd !== undefined && { costMicrousd }),
        ...(notes.length > 0 && { notes }),
      };
    },
  };
}

/** Beginnings of files, for servers that send another kind than was asked for. */
const BEGINNINGS: readonly (readonly [mediaType: string, at: number, beginning: string])[] = [
  ["image/png", 0, "\x89PNG"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/webp", 8, "WEBP"],
  ["audio/wav", 8, "WAVE"],
  ["audio/ogg", 0, "OggS"],
  ["audio/flac", 0, "fLaC"],
  ["audio/mpeg", 0, "ID3"],
];

function sniff(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  return BEGINNINGS.find(([, at, beginning]) => head.startsWith(beginning, at))?.[0];
}

/** No picture or sound of ours begins like an HTML page or a JSON object. */
function readsAsPage(bytes: Uint8Array): boolean {
  return /^\s*[<{]/.test(Buffer.from(bytes.subarray(0, 16)).toString("latin1"));
}

/** `{ type: "tokens", input_tokens, input_token_details: { audio_tokens }, output_tokens }`, where the vendor sends it. */
function usedTokens(usage: unknown): MediaUse {
  const record = asRecord(usage);
  const details = asRecord(record["input_token_details"]);
  const whole = (value: unknown): number | undefined =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  const inputTokens = whole(record["input_tokens"]);
  const outputTokens = whole(record["output_tokens"]);
  const audioTokens = whole(details["audio_tokens"]);
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(audioTokens !== undefined && { audioTokens }),
  };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  // Every object can be looked into by name; what is found there is checked where it is used.
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
