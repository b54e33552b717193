import { describe, expect, it } from "vitest";
import { type ErrorCode, ModelError } from "../errors.ts";
import type {
  ImageDescriptionModel,
  ImageModel,
  MadeFile,
  SpeechModel,
  TranscriptionModel,
} from "../model/media-models.ts";
import type { ModelCost } from "../model/usage.ts";

/** What a model has to be brought to do for one test of the contract. */
export type MediaSituation =
  /** Answers as the suite expects: the words `A cat says "miau" 猫.`, or the bytes of `mediaBytes`. */
  | { readonly kind: "answers" }
  /** Answers with nothing: an empty description, an empty file. A transcript may be empty. */
  | { readonly kind: "empty" }
  /** Answers with what cannot be read. */
  | { readonly kind: "garbage" }
  /** Never answers. */
  | { readonly kind: "hangs" }
  /** Fails with this code. */
  | { readonly kind: "fails"; readonly code: ErrorCode };

/** The words of a right answer. */
export const mediaWords = 'A cat says "miau" 猫.';

/** The file of a right answer: the beginning of a PNG, and bytes that are no text. */
export const mediaBytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255, 254, 1]);

/** How a suite gets at the model. */
export type MediaContractOptions<Model> = {
  open(situation: MediaSituation): Promise<{ readonly model: Model; close(): Promise<void> }>;
  /** Codes it can be made to fail with; `unauthorized`, `not_found` and `unavailable` unless it is said. */
  readonly codes?: readonly ErrorCode[];
  /** True for a double, which cannot answer with nothing or with garbage. */
  readonly isDouble?: boolean;
};

const secret = "the word swordfish is secret";

/** What every describer of images must keep. Call it at the top of a test file. */
export function imageDescriptionContract(name: string, options: MediaContractOptions<ImageDescriptionModel>): void {
  contract(`the image description contract, kept by ${name}`, options, {
    ask: (model, signal) => model.describe({ bytes: mediaBytes, mediaType: "image/png", prompt: secret, signal }),
    check: ({ text }) => expect(text).toBe(mediaWords),
    askWrongly: (model, signal) => model.describe({ bytes: mediaBytes, mediaType: "text/html", signal }),
  });
}

/** What every transcriber must keep. Call it at the top of a test file. */
export function transcriptionContract(name: string, options: MediaContractOptions<TranscriptionModel>): void {
  contract(`the transcription contract, kept by ${name}`, options, {
    ask: (model, signal) => model.transcribe({ bytes: mediaBytes, mediaType: "audio/ogg", language: "en", signal }),
    check: ({ text }) => expect(text).toBe(mediaWords),
    askWrongly: (model, signal) => model.transcribe({ bytes: new Uint8Array(), mediaType: "audio/ogg", signal }),
    mayBeEmpty: true,
  });
}

/** What everybody who reads aloud must keep. Call it at the top of a test file. */
export function speechContract(name: string, options: MediaContractOptions<SpeechModel>): void {
  contract(`the speech contract, kept by ${name}`, options, {
    ask: (model, signal) => model.speak({ text: secret, signal }),
    check: (file) => checkFile(file),
    askWrongly: (model, signal) => model.speak({ text: " ", signal }),
  });
}

/** What everybody who draws must keep. Call it at the top of a test file. */
export function imageContract(name: string, options: MediaContractOptions<ImageModel>): void {
  contract(`the image contract, kept by ${name}`, options, {
    ask: (model, signal) => model.draw({ prompt: secret, size: "1024x1024", signal }),
    check: (file) => checkFile(file),
    askWrongly: (model, signal) => model.draw({ prompt: " ", signal }),
  });
}

function checkFile({ bytes, mediaType }: MadeFile): void {
  expect([...bytes]).toEqual([...mediaBytes]);
  expect(mediaType).toMatch(/^(image|audio)\/[\w.+-]+$/);
}

type Probe<Model, Answer> = {
  ask(model: Model, signal: AbortSignal): Promise<Answer>;
  check(answer: Answer): void;
  /** Asks for what no model can do. */
  askWrongly(model: Model, signal: AbortSignal): Promise<Answer>;
  readonly mayBeEmpty?: boolean;
};

const standardCodes: readonly ErrorCode[] = ["unauthorized", "not_found", "unavailable"];
const forever = new AbortController().signal;

function contract<Model extends { readonly id: string }, Answer extends ModelCost>(
  title: string,
  options: MediaContractOptions<Model>,
  probe: Probe<Model, Answer>,
): void {
  const inSituation = async (situation: MediaSituation, test: (model: Model) => Promise<void>): Promise<void> => {
    const { model, close } = await options.open(situation);
    try {
      await test(model);
    } finally {
      await close();
    }
  };
  describe(title, () => {
    it("answers, and says who answered and what it used", () =>
      inSituation({ kind: "answers" }, async (model) => {
        const answer = await probe.ask(model, forever);
        probe.check(answer);
        expect(model.id).toMatch(/^[^:\s]+:\S+$/);
        expect(answer.model).toMatch(/^[^:\s]+:\S+$/);
        for (const tokens of Object.values(answer.usage)) {
          expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true);
        }
        expect(Number.isSafeInteger(answer.costMicrousd ?? 0)).toBe(true);
      }));

    it("is called off before it began", () =>
      inSituation({ kind: "answers" }, async (model) => {
        expect(codeOf(await failure(probe.ask(model, AbortSignal.abort())))).toBe("aborted");
      }));

    it("gives up at once when it is called off while it waits", () =>
      inSituation({ kind: "hangs" }, async (model) => {
        const controller = new AbortController();
        const failing = failure(probe.ask(model, controller.signal));
        // Let the call get on its way before it is called off.
        await new Promise((resolve) => setImmediate(resolve));
        controller.abort();
        expect(codeOf(await failing)).toBe("aborted");
      }));

    it.each(options.codes ?? standardCodes)("throws a ModelError with a remedy when it fails: %s", (code) =>
      inSituation({ kind: "fails", code }, async (model) => {
        const error = await failure(probe.ask(model, forever));
        expect(codeOf(error)).toBe(code);
        expect(String(error)).not.toContain("swordfish");
      }),
    );
    if (options.isDouble) return;

    it("refuses what no model can do", () =>
      inSituation({ kind: "answers" }, async (model) => {
        expect(codeOf(await failure(probe.askWrongly(model, forever)))).toBe("invalid");
      }));

    it(probe.mayBeEmpty ? "hears nothing in silence" : "does not take nothing for an answer", () =>
      inSituation({ kind: "empty" }, async (model) => {
        const outcome = await probe.ask(model, forever).catch((error: unknown) => codeOf(error));
        if (probe.mayBeEmpty) expect(outcome).toMatchObject({ text: "" });
        else expect(outcome).toBe("unavailable");
      }),
    );

    it("refuses an answer that cannot be read", () =>
      inSituation({ kind: "garbage" }, async (model) => {
        expect(codeOf(await failure(probe.ask(model, forever)))).toBe("unavailable");
      }));
  });
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function codeOf(error: unknown): ErrorCode | undefined {
  return error instanceof ModelError ? error.code : undefined;
}
