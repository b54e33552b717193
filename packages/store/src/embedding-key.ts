/** A model's row: its number, name, dimensions, mean, of how many vectors, and how many vectors and refusals it has. */
export type ModelRow = readonly [
  no: number,
  model: string,
  dimensions: number,
  mean: Uint8Array | null,
  meanCount: number,
  count: number,
  refused: number,
];

/** Model and memory in one whole number within 2^53: so a vector is a row of a table by its number, which is the smallest there is. */
const memoriesPerModel = 2 ** 36;

/** The key of a memory's vector. */
export function keyOf(model: number, memoryNo: number): number {
  return model * memoriesPerModel + memoryNo;
}

/** The memory's number in a key. */
export function noOf(key: number): number {
  return key % memoriesPerModel;
}

/** The first and last key of a model. */
export function keysOf(model: number): readonly [first: number, last: number] {
  return [keyOf(model, 0), keyOf(model, memoriesPerModel - 1)];
}
