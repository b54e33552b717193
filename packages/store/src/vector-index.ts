/**
 * Sign codes of vectors: one bit for each dimension, set where a vector lies above the mean of all. Vectors that point the same
 * way have few different bits, so the nearest are among the few hundred of least distance; those are then compared exactly.
 */

/** What is known of a vector besides its code: numbers that stand for the texts they were given for. */
export type VectorPlace = { readonly room: number; readonly entity: number; readonly type: number };

/** Codes in memory, by the number of their memory. */
export interface VectorIndex {
  readonly size: number;
  set(no: number, code: Uint32Array, place: VectorPlace): void;
  delete(no: number): void;
  /** The numbers of the `count` codes of least distance among those that `isWanted`; all of them when there are no more. */
  nearest(code: Uint32Array, count: number, isWanted: ((place: VectorPlace) => boolean) | null): readonly number[];
}

const bitsPerWord = 32;
const firstCapacity = 256;

/** How many words a code of so many dimensions has. */
export function codeWords(dimensions: number): number {
  return Math.ceil(dimensions / bitsPerWord);
}

/** A vector's code against the mean. */
export function encodeVector(vector: Float32Array, mean: Float32Array): Uint32Array {
  const code = new Uint32Array(codeWords(vector.length));
  for (let at = 0; at < vector.length; at++) {
    if ((vector[at] ?? 0) > (mean[at] ?? 0)) code[at >>> 5] = (code[at >>> 5] ?? 0) | (1 << (at & 31));
  }
  return code;
}

/** No codes yet. */
export function createVectorIndex(dimensions: number): VectorIndex {
  const words = codeWords(dimensions);
  const slots = new Map<number, number>();
  let capacity = firstCapacity;
  let codes = new Uint32Array(capacity * words);
  let numbers = new Float64Array(capacity);
  const places: VectorPlace[] = [];
  let distances = new Uint16Array(capacity);

  const grow = (): void => {
    capacity *= 2;
    const larger = new Uint32Array(capacity * words);
    larger.set(codes);
    codes = larger;
    const more = new Float64Array(capacity);
    more.set(numbers);
    numbers = more;
    distances = new Uint16Array(capacity);
  };

  /** Distances of all; those that are not wanted are farther than any can be. How many are at each distance. */
  const measure = (code: Uint32Array, isWanted: ((place: VectorPlace) => boolean) | null): Uint32Array => {
    const counts = new Uint32Array(dimensions + 2);
    const size = slots.size;
    for (let slot = 0; slot < size; slot++) {
      let distance = dimensions + 1;
      const place = places[slot];
      if (isWanted === null || (place && isWanted(place))) distance = distanceAt(codes, slot * words, code);
      distances[slot] = distance;
      counts[distance] = (counts[distance] ?? 0) + 1;
    }
    return counts;
  };

  return {
    get size() {
      return slots.size;
    },
    set: (no, code, place) => {
      let slot = slots.get(no);
      if (slot === undefined) {
        slot = slots.size;
        if (slot === capacity) grow();
        slots.set(no, slot);
        numbers[slot] = no;
      }
      codes.set(code, slot * words);
      places[slot] = place;
    },
    delete: (no) => {
      const slot = slots.get(no);
      if (slot === undefined) return;
      const last = slots.size - 1;
      const lastNo = numbers[last] ?? 0;
      const lastPlace = places[last];
      codes.copyWithin(slot * words, last * words, (last + 1) * words);
      numbers[slot] = lastNo;
      if (lastPlace) places[slot] = lastPlace;
      slots.set(lastNo, slot);
      slots.delete(no);
      places.pop();
    },
    nearest: (code, count, isWanted) => {
      const counts = measure(code, isWanted);
      let limit = 0;
      let within = counts[0] ?? 0;
      while (within < count && limit < dimensions) {
        limit += 1;
        within += counts[limit] ?? 0;
      }
      // Of those that are as far as the last, only as many as there is room for.
      let atLimit = count - (within - (counts[limit] ?? 0));
      const found: number[] = [];
      const size = slots.size;
      for (let slot = 0; slot < size; slot++) {
        const distance = distances[slot] ?? 0;
        if (distance > limit) continue;
        if (distance === limit) {
          if (atLimit <= 0) continue;
          atLimit -= 1;
        }
        found.push(numbers[slot] ?? 0);
      }
      return found;
    },
  };
}

/** How many bits differ. Three words' nibbles are added up before they are folded: none of them can overflow. */
function distanceAt(codes: Uint32Array, from: number, code: Uint32Array): number {
  const length = code.length;
  let at = 0;
  let total = 0;
  for (; at + 2 < length; at += 3) {
    let a = (codes[from + at] ?? 0) ^ (code[at] ?? 0);
    let b = (codes[from + at + 1] ?? 0) ^ (code[at + 1] ?? 0);
    let c = (codes[from + at + 2] ?? 0) ^ (code[at + 2] ?? 0);
    a -= (a >>> 1) & 0x55555555;
    b -= (b >>> 1) & 0x55555555;
    c -= (c >>> 1) & 0x55555555;
    a = (a & 0x33333333) + ((a >>> 2) & 0x33333333);
    b = (b & 0x33333333) + ((b >>> 2) & 0x33333333);
    c = (c & 0x33333333) + ((c >>> 2) & 0x33333333);
    a = (a + b + c) | 0;
    const bytes = (a & 0x0f0f0f0f) + ((a >>> 4) & 0x0f0f0f0f);
    total += Math.imul(bytes, 0x01010101) >>> 24;
  }
  for (; at < length; at++) {
    let a = (codes[from + at] ?? 0) ^ (code[at] ?? 0);
    a -= (a >>> 1) & 0x55555555;
    a = (a & 0x33333333) + ((a >>> 2) & 0x33333333);
    total += Math.imul((a + (a >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return total;
}
