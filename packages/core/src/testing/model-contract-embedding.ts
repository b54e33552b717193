import { describe, expect, it } from "vitest";
import { type ErrorCode, ModelError } from "../errors.ts";
import type { EmbeddingModel } from "../model/embedding-model.ts";

/** How a server may answer with what cannot be embeddings of the texts it was given. */
export type EmbeddingLie = "fewer" | "more" | "no-numbers" | "not-finite" | "zero" | "ragged" | "misplaced" | "garbage";

/** What an embedding model has to be brought to do for one test of the contract. */
export type EmbeddingSituation =
  /** Gives each text the vector that `vectorOf` gives it. */
  | { readonly kind: "embeds"; readonly vectorOf: (text: string) => readonly number[] }
  /** Never answers. */
  | { readonly kind: "hangs" }
  /** Fails with this code. */
  | { readonly kind: "fails"; readonly code: ErrorCode }
  | { readonly kind: "lies"; readonly lie: EmbeddingLie };

/** How the suite gets at the model. */
export type EmbeddingContractOptions = {
  open(situation: EmbeddingSituation): Promise<{
    readonly model: EmbeddingModel;
    close(): Promise<void> /** Texts of each request. */;
    readonly batches?: readonly number[];
  }>;
  /** Codes it can be made to fail with; `unauthorized`, `not_found` and `unavailable` unless it is said. */
  readonly codes?: readonly ErrorCode[];
  /** True for a model whose server can be made to lie. */
  readonly canLie?: boolean;
};

const forever = new AbortController().signal;

/** Different for different texts of a test, so that a vector tells whose it is. */
const vectorOf = (text: string): readonly number[] => [text.length, text.codePointAt(0) ?? 0, 0.5, -1];

/** What every embedding model must keep, whoever makes it. Call it at the top of a test file. */
export function embeddingModelContract(name: string, options: EmbeddingContractOptions): void {
  const inSituation = async (
    situation: EmbeddingSituation,
    test: (model: EmbeddingModel, batches: readonly number[] | undefined) => Promise<void>,
  ): Promise<void> => {
    const { model, close, batches } = await options.open(situation);
    try {
      await test(model, batches);
    } finally {
      await close();
    }
  };
  describe(`the embedding model contract, kept by ${name}`, () => {
    describeVectors(inSituation);
    describeEnds(inSituation, options.codes ?? ["unauthorized", "not_found", "unavailable"]);
    if (options.canLie) describeLies(inSituation);
  });
}

type InSituation = (
  situation: EmbeddingSituation,
  test: (model: EmbeddingModel, batches: readonly number[] | undefined) => Promise<void>,
) => Promise<void>;

function describeVectors(inSituation: InSituation): void {
  const embeds = { kind: "embeds", vectorOf } as const;

  it("is called provider:name and says how much it takes at once", () =>
    inSituation(embeds, async (model) => {
      expect(model.id).toMatch(/^[^:\s]+:\S+$/);
      expect(Number.isSafeInteger(model.maxBatch) && model.maxBatch >= 1).toBe(true);
    }));

  it("gives each text its vector, in order, in every script", () =>
    inSituation(embeds, async (model) => {
      const texts = ["Hello", "你好", "สวัสดี", "👩‍👩‍👧", "a\nb", "Zażółć"];
      const { vectors } = await model.embed(texts, forever);
      expect(vectors.map((vector) => [...vector])).toEqual(texts.map((text) => [...Float32Array.from(vectorOf(text))]));
    }));

  it("takes more texts than fit into one request", () =>
    inSituation(embeds, async (model, batches) => {
      const texts = Array.from({ length: model.maxBatch * 2 + 1 }, (_, index) => "x".repeat(index + 1));
      const { vectors } = await model.embed(texts, forever);
      expect(vectors.map(([length]) => length)).toEqual(texts.map(({ length }) => length));
      if (batches) expect(Math.max(...batches)).toBeLessThanOrEqual(model.maxBatch);
    }));

  it("says who answered and what it used", () =>
    inSituation(embeds, async (model) => {
      const { usage, model: answered, costMicrousd = 0 } = await model.embed(["Hello"], forever);
      expect(answered).toMatch(/^[^:\s]+:\S+$/);
      for (const tokens of Object.values(usage)) expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true);
      expect(Number.isSafeInteger(costMicrousd) && costMicrousd >= 0).toBe(true);
    }));

  it("has no vectors for no texts, and refuses an empty one", () =>
    inSituation(embeds, async (model) => {
      expect((await model.embed([], forever)).vectors).toEqual([]);
      expect(codeOf(await failure(model.embed(["Hello", " \n"], forever)))).toBe("invalid");
    }));

  it("answers several calls at once without mixing them", () =>
    inSituation(embeds, async (model) => {
      const answers = await Promise.all(["a", "bb", "ccc"].map((text) => model.embed([text], forever)));
      expect(answers.map(({ vectors }) => vectors[0]?.[0])).toEqual([1, 2, 3]);
    }));
}

function describeEnds(inSituation: InSituation, codes: readonly ErrorCode[]): void {
  it("is called off before it began", () =>
    inSituation({ kind: "embeds", vectorOf }, async (model) => {
      expect(codeOf(await failure(model.embed(["Hello"], AbortSignal.abort())))).toBe("aborted");
    }));

  it("gives up at once when it is called off while it waits", () =>
    inSituation({ kind: "hangs" }, async (model) => {
      const controller = new AbortController();
      const failing = failure(model.embed(["Hello"], controller.signal));
      // Let the call get on its way before it is called off.
      await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      expect(codeOf(await failing)).toBe("aborted");
    }));

  it.each(codes)("throws a ModelError with a remedy when it fails: %s", (code) =>
    inSituation({ kind: "fails", code }, async (model) => {
      const error = await failure(model.embed(["the word swordfish is secret"], forever));
      expect(error).toBeInstanceOf(ModelError);
      expect(codeOf(error)).toBe(code);
      expect(String(error)).not.toContain("swordfish");
    }),
  );
}

const lies: readonly EmbeddingLie[] = [
  "fewer",
  "more",
  "no-numbers",
  "not-finite",
  "zero",
  "ragged",
  "misplaced",
  "garbage",
];

function describeLies(inSituation: InSituation): void {
  it.each(lies)("refuses an answer that lies: %s", (lie) =>
    inSituation({ kind: "lies", lie }, async (model) => {
      const error = await failure(model.embed(["the word swordfish is secret", "another"], forever));
      expect(codeOf(error)).toBe("unavailable");
      expect(String(error)).toContain(model.id.slice(model.id.indexOf(":") + 1));
      expect(String(error)).not.toContain("swordfish");
    }),
  );
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
