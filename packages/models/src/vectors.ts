import { ModelError } from "@troupe/core/errors";
import type { ResolvedSpec } from "./spec.ts";

/** What a server sent, and what it was asked. */
export type VectorsAsked = {
  readonly spec: ResolvedSpec;
  readonly name: string;
  /** How many texts were sent. */
  readonly texts: number;
  /** The length every vector must have, once it is known. */
  readonly dimensions: number | undefined;
};

/**
 * The vectors of an answer, in the order of the texts, whatever order the server sent them in.
 * @throws ModelError `unavailable` naming server, model and what is wrong: too few or too many, of different or another
 * length than was asked for, with numbers that are none, zero throughout, or for the wrong places.
 */
export function readVectors(
  { embeddings, body }: { readonly embeddings: readonly (readonly number[])[]; readonly body: unknown },
  asked: VectorsAsked,
): readonly Float32Array[] {
  if (embeddings.length !== asked.texts) throw lie(asked, `${embeddings.length} vectors for ${asked.texts} texts`);
  const vectors = embeddings.map((numbers) => Float32Array.from(numbers));
  const length = asked.dimensions ?? vectors[0]?.length ?? 0;
  for (const vector of vectors) {
    if (vector.length === 0) throw lie(asked, "a vector without numbers");
    if (vector.length !== length)
      throw lie(asked, `a vector of ${vector.length} numbers where ${length} were expected`);
    if (!vector.every(Number.isFinite)) throw lie(asked, "a vector with numbers that are none");
    if (vector.every((number) => number === 0)) throw lie(asked, "a vector that is zero throughout");
  }
  return inOrder(vectors, placesOf(body), asked);
}

function inOrder(
  vectors: readonly Float32Array[],
  places: readonly unknown[],
  asked: VectorsAsked,
): readonly Float32Array[] {
  if (places.length !== vectors.length || places.every((place) => place === undefined)) return vectors;
  const ordered = new Map(vectors.map((vector, at) => [places[at], vector]));
  return vectors.map((_, at) => {
    const vector = ordered.get(at);
    if (vector === undefined) throw lie(asked, `no vector for text number ${at + 1}, or two for another`);
    return vector;
  });
}

/** The `index` each vector of the answer names. */
function placesOf(body: unknown): readonly unknown[] {
  const data: unknown = typeof body === "object" && body !== null && "data" in body ? body.data : undefined;
  if (!Array.isArray(data)) return [];
  return data.map((item: unknown) =>
    typeof item === "object" && item !== null && "index" in item ? item.index : undefined,
  );
}

function lie({ spec, name }: VectorsAsked, what: string): ModelError {
  const where = spec.setBy === undefined ? "" : ` (set by ${spec.setBy})`;
  return new ModelError(
    "unavailable",
    `${spec.facts.title} at ${spec.baseUrl} sent ${what} for the model ${name}${where}; check that it is an embedding model, and its dimensions, or name another one`,
  );
}
