import { Refusal } from "./errors.ts";

/** More than any model gives; distances of codes are counted in 16 bits. */
const maxDimensions = 16_384;

/** Refuses what cannot be compared; `dimensions` 0: any number of them. @throws Refusal `invalid` */
export function checkVector(
  vector: Float32Array,
  dimensions: number,
  about: { readonly model: string; readonly memoryId: string | null },
): void {
  const what = about.memoryId === null ? "the vector that is looked for" : `the vector of memory ${about.memoryId}`;
  if (!(vector instanceof Float32Array) || !isComparable(lengthOf(vector))) {
    throw new Refusal("invalid", `${what} is empty, zero or holds what is no number; ask ${about.model} again`);
  }
  if (vector.length > maxDimensions) {
    throw new Refusal("invalid", `${what} has ${vector.length} dimensions; at most ${maxDimensions} can be kept`);
  }
  if (dimensions === 0 || vector.length === dimensions) return;
  throw new Refusal(
    "invalid",
    `${what} has ${vector.length} dimensions, the others of ${about.model} have ${dimensions}; drop that model's vectors first, or name the model it is of`,
  );
}

/** The vector of length one that points the same way. */
export function toUnit(vector: Float32Array): Float32Array {
  const length = lengthOf(vector);
  return vector.map((value) => value / length);
}

/** A vector from its bytes. */
export function readVector(blob: Uint8Array | null): Float32Array | null {
  if (blob === null) return null;
  const { buffer, byteOffset, byteLength } = blob;
  const isAligned = byteOffset % Float32Array.BYTES_PER_ELEMENT === 0;
  const from = isAligned ? { buffer, byteOffset } : { buffer: blob.slice().buffer, byteOffset: 0 };
  return new Float32Array(from.buffer, from.byteOffset, byteLength / Float32Array.BYTES_PER_ELEMENT);
}

/** The cosine of two vectors of length one. */
export function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at++) sum += (left[at] ?? 0) * (right[at] ?? 0);
  return sum;
}

/** Adds a vector to a sum. */
export function addMean(sum: Float64Array, vector: Float32Array | null): void {
  if (!vector) return;
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0);
}

function lengthOf(vector: Float32Array): number {
  return Math.sqrt(dot(vector, vector));
}

function isComparable(length: number): boolean {
  return Number.isFinite(length) && length > 0;
}
