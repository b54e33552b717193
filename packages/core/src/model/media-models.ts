import type { ModelCost } from "./usage.ts";

/** An image to be described. `prompt`: what to look for, in words; the model's usual description when absent. */
export type ImageDescriptionRequest = {
  readonly bytes: Uint8Array;
  /** `image/png`, `image/jpeg`, `image/webp` or `image/gif`. */
  readonly mediaType: string;
  readonly prompt?: string;
  readonly maxTokens?: number;
  readonly signal: AbortSignal;
};

/** Says in words what an image shows. Every method throws ModelError as `LanguageModel.stream` does. */
export interface ImageDescriptionModel {
  readonly id: string;
  describe(request: ImageDescriptionRequest): Promise<ModelCost & { readonly text: string }>;
}

/** Speech to be written down. `language`: ISO 639-1, when it is known. */
export type TranscriptionRequest = {
  readonly bytes: Uint8Array;
  /** e.g. `audio/mpeg`, `audio/ogg`, `audio/wav`. */
  readonly mediaType: string;
  readonly language?: string;
  readonly signal: AbortSignal;
};

/** What was said, empty for silence; language and length where the vendor tells them. */
export type Transcript = {
  readonly text: string;
  readonly language?: string;
  readonly durationMs?: number;
};

/** Writes down what is said in a recording. */
export interface TranscriptionModel {
  readonly id: string;
  transcribe(request: TranscriptionRequest): Promise<ModelCost & Transcript>;
}

/** A text to be spoken. `voice` as the vendor names it, `mediaType` of the recording (`audio/mpeg` when absent). */
export type SpeechRequest = {
  readonly text: string;
  readonly voice?: string;
  readonly mediaType?: string;
  readonly signal: AbortSignal;
};

/** A file a model made. */
export type MadeFile = { readonly bytes: Uint8Array; readonly mediaType: string };

/** Reads a text aloud. */
export interface SpeechModel {
  readonly id: string;
  speak(request: SpeechRequest): Promise<ModelCost & MadeFile>;
}

/** A picture to be made. `size`: `1024x1024`, where the vendor knows it. */
export type ImageRequest = {
  readonly prompt: string;
  readonly size?: string;
  readonly signal: AbortSignal;
};

/** Makes a picture from words. */
export interface ImageModel {
  readonly id: string;
  draw(request: ImageRequest): Promise<ModelCost & MadeFile>;
}
