import { createPopcount } from "./popcount.ts";

/**
 * Sign codes of vectors: one bit for each dimension, set where a vector lies above the mean of all. Vectors that point the same
 * way have few different bits. All are compared by their bits, the best few thousand of them by what each bit weighs in the
 * vector that is looked for, and the best few hundred of those exactly, by whoever asks.
 */

/** What is known of a vector besides its code: numbers that stand for the texts they were given for. */
type VectorPlace = { readonly room: number; readonly entity: number; readonly type: number };

/** Whether a vector in such a place is asked for. */
export type IsWanted = (room: number, entity: number, type: number) => boolean;

/** Codes in memory, by the number of their memory. */
export interface VectorIndex {
  readonly size: number;
  set(no: number, code: Uint8Array, place: VectorPlace): void;
  delete(no: number): void;
  /** The numbers of about the `count` nearest among those that are wanted; all of them when there are no more. */
  nearest(query: VectorQuery, count: number, isWanted: IsWanted | null): readonly number[];
}

/** A vector that is looked for, and its code. */
type VectorQuery = { readonly vector: Float32Array; readonly code: Uint8Array };

/** So many times as many as are wanted in the end are looked at more closely than by their bits. */
const closerLooks = 10;

const blockBytes = 16;
const pageBytes = 65_536;
const firstCapacity = 1024;
const distanceBytes = 2;
const byteValues = 256;

/** A vector's code against the mean, in whole blocks of 128 bits. */
export function encodeVector(vector: Float32Array, mean: Float32Array): Uint8Array {
  const code = new Uint8Array(codeBytes(vector.length));
  for (let at = 0; at < vector.length; at++) {
    if ((vector[at] ?? 0) > (mean[at] ?? 0)) code[at >>> 3] = (code[at >>> 3] ?? 0) | (1 << (at & 7));
  }
  return code;
}

function codeBytes(dimensions: number): number {
  return Math.ceil(dimensions / (blockBytes * 8)) * blockBytes;
}

/** No codes yet. */
export function createVectorIndex(dimensions: number): VectorIndex {
  const stride = codeBytes(dimensions);
  const slots = new Map<number, number>();
  const codes = createCodes(stride);
  let places = createPlaces(firstCapacity);

  return {
    get size() {
      return slots.size;
    },
    set: (no, code, { room, entity, type }) => {
      let slot = slots.get(no);
      if (slot === undefined) {
        slot = slots.size;
        if (slot === places.numbers.length) places = createPlaces(slot * 2, places);
        codes.reserve(slot + 1);
        slots.set(no, slot);
      }
      codes.set(slot, code);
      places.numbers[slot] = no;
      places.rooms[slot] = room;
      places.entities[slot] = entity;
      places.types[slot] = type;
    },
    delete: (no) => {
      const slot = slots.get(no);
      if (slot === undefined) return;
      const last = slots.size - 1;
      codes.move(last, slot);
      for (const column of [places.numbers, places.rooms, places.entities, places.types]) {
        column.copyWithin(slot, last, last + 1);
      }
      slots.set(places.numbers[slot] ?? no, slot);
      slots.delete(no);
    },
    nearest: ({ vector, code }, count, isWanted) => {
      const distances = codes.measure(code, slots.size);
      if (isWanted) markUnwanted(distances, places, { isWanted, far: stride * 8 + 1 });
      const closer = least(distances, count * closerLooks, stride * 8);
      const slotsFound =
        closer.length <= count ? closer : heaviest(closer, codes.weigh(closer, weightsOf(vector)), count);
      return slotsFound.map((slot) => places.numbers[slot] ?? 0);
    },
  };
}

type Places = {
  readonly numbers: Float64Array;
  readonly rooms: Int32Array;
  readonly entities: Int32Array;
  readonly types: Uint8Array;
};

function createPlaces(capacity: number, from?: Places): Places {
  const places: Places = {
    numbers: new Float64Array(capacity),
    rooms: new Int32Array(capacity),
    entities: new Int32Array(capacity),
    types: new Uint8Array(capacity),
  };
  if (from) {
    places.numbers.set(from.numbers);
    places.rooms.set(from.rooms);
    places.entities.set(from.entities);
    places.types.set(from.types);
  }
  return places;
}

/** Codes one behind the other, where they can be compared: first the one that is asked for, then all, then their distances. */
function createCodes(stride: number) {
  const { memory, count } = createPopcount();
  let bytes = new Uint8Array(memory.buffer);
  const place = (slot: number): number => (slot + 1) * stride;
  return {
    /** Makes room for so many codes and their distances. */
    reserve(size: number): void {
      const needed = place(size) + size * distanceBytes;
      if (needed <= bytes.length) return;
      memory.grow(Math.max(Math.ceil((needed - bytes.length) / pageBytes), bytes.length / pageBytes));
      bytes = new Uint8Array(memory.buffer);
    },
    set: (slot: number, code: Uint8Array): void => bytes.set(code, place(slot)),
    move: (from: number, to: number): void => void bytes.copyWithin(place(to), place(from), place(from + 1)),
    /** The distances of the first `size` codes; overwritten by the next question. */
    measure(code: Uint8Array, size: number): Uint16Array {
      if (size === 0) return new Uint16Array(0);
      bytes.set(code, 0);
      count(place(0), place(size), stride, place(size));
      return new Uint16Array(memory.buffer, place(size), size);
    },
    /** What the bits of some codes weigh together, by a table of what each byte at each place weighs. */
    weigh(chosen: readonly number[], weights: Float32Array): Float32Array {
      const used = weights.length / byteValues;
      return Float32Array.from(chosen, (slot) => {
        const from = place(slot);
        let sum = 0;
        for (let at = 0; at < used; at++) sum += weights[at * byteValues + (bytes[from + at] ?? 0)] ?? 0;
        return sum;
      });
    },
  };
}

/** For each byte of a code what it adds to the product with the vector, up to a factor that all have in common. */
function weightsOf(vector: Float32Array): Float32Array {
  const weights = new Float32Array(Math.ceil(vector.length / 8) * byteValues);
  for (let from = 0; from < weights.length; from += byteValues) {
    for (let value = 1; value < byteValues; value++) {
      const lowest = 31 - Math.clz32(value & -value);
      const rest = weights[from + (value & (value - 1))] ?? 0;
      weights[from + value] = rest + (vector[(from / byteValues) * 8 + lowest] ?? 0);
    }
  }
  return weights;
}

function heaviest(slots: readonly number[], weights: Float32Array, count: number): readonly number[] {
  const least = weights.toSorted().at(-count) ?? Number.NEGATIVE_INFINITY;
  return slots.filter((_, at) => (weights[at] ?? 0) >= least);
}

function markUnwanted(
  distances: Uint16Array,
  { rooms, entities, types }: Places,
  { isWanted, far }: { readonly isWanted: IsWanted; readonly far: number },
): void {
  for (let slot = 0; slot < distances.length; slot++) {
    if (!isWanted(rooms[slot] ?? 0, entities[slot] ?? 0, types[slot] ?? 0)) distances[slot] = far;
  }
}

/** The slots of the `count` least distances up to `farthest`. */
function least(distances: Uint16Array, count: number, farthest: number): readonly number[] {
  const counts = new Uint32Array(farthest + 2);
  for (let slot = 0; slot < distances.length; slot++) {
    const distance = distances[slot] ?? 0;
    counts[distance] = (counts[distance] ?? 0) + 1;
  }
  let limit = 0;
  let within = counts[0] ?? 0;
  while (within < count && limit < farthest) {
    limit += 1;
    within += counts[limit] ?? 0;
  }
  // Of those that are as far as the last, only as many as there is room for.
  let atLimit = count - (within - (counts[limit] ?? 0));
  const found: number[] = [];
  for (let slot = 0; slot < distances.length; slot++) {
    const distance = distances[slot] ?? 0;
    if (distance > limit) continue;
    if (distance === limit) {
      if (atLimit <= 0) continue;
      atLimit -= 1;
    }
    found.push(slot);
  }
  return found;
}
