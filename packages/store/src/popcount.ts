/**
 * How many bits differ between one code and each of many, on 128 bits at a time.
 *
 * JavaScript has no instruction that counts bits, WebAssembly has; so the loop is written in it, instruction by instruction.
 * @see https://webassembly.github.io/spec/core/binary/instructions.html
 */

/** The codes from `from` to `end` are compared with the one at 0; each takes `stride` bytes, a multiple of 16. Writes 16 bits each to `out`. */
type CountDifferences = (from: number, end: number, stride: number, out: number) => void;

/** What is used of WebAssembly; its types come with browsers' only. */
type WasmMemory = { readonly buffer: ArrayBuffer; grow(pages: number): number };
type Wasm = {
  readonly Memory: new (limits: { readonly initial: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: { readonly count: CountDifferences } };
};

/** Memory of its own with the loop that works on it. */
export type Popcount = { readonly memory: WasmMemory; readonly count: CountDifferences };

const valueI32 = 0x7f;
const valueV128 = 0x7b;
const noResult = 0x40;
const simd = 0xfd;
const get = (local: number): readonly number[] => [0x20, local];
const set = (local: number): readonly number[] => [0x21, local];
const tee = (local: number): readonly number[] => [0x22, local];
const constant = (small: number): readonly number[] => [0x41, small];
const add = [0x6a];
const isAtLeast = [0x4f];
const isLess = [0x49];
const block = [0x02, noResult];
const loop = [0x03, noResult];
const end = [0x0b];
const branch = (depth: number): readonly number[] => [0x0c, depth];
const branchIf = (depth: number): readonly number[] => [0x0d, depth];
const store16 = [0x3b, 1, 0];
const load128 = [simd, 0x00, 4, 0];
const zero128 = [simd, 0x0c, ...new Array<number>(16).fill(0)];
const xor = [simd, 0x51];
const countBitsOfBytes = [simd, 0x62];
const addNeighbouringBytes = [simd, 0x7d];
const addNeighbouringShorts = [simd, 0x7f];
const addShorts = [simd, 0x8e, 0x01];
const lane = (number: number): readonly number[] => [simd, 0x1b, number];

const local = { from: 0, end: 1, stride: 2, out: 3, offset: 4, sum: 5 } as const;
const parameters = 4;

const sumOfLanes = [0, 1, 2, 3].flatMap((number) => [...get(local.sum), ...lane(number), ...(number === 0 ? [] : add)]);

const body = [
  ...block,
  ...loop,
  ...[...get(local.from), ...get(local.end), ...isAtLeast, ...branchIf(1)],
  ...[...zero128, ...set(local.sum), ...constant(0), ...set(local.offset)],
  ...loop,
  ...get(local.sum),
  ...[...get(local.from), ...get(local.offset), ...add, ...load128],
  ...[...get(local.offset), ...load128],
  ...[...xor, ...countBitsOfBytes, ...addNeighbouringBytes, ...addShorts, ...set(local.sum)],
  ...[
    ...get(local.offset),
    ...constant(16),
    ...add,
    ...tee(local.offset),
    ...get(local.stride),
    ...isLess,
    ...branchIf(0),
  ],
  ...end,
  ...[...get(local.sum), ...addNeighbouringShorts, ...set(local.sum)],
  ...[...get(local.out), ...sumOfLanes, ...store16],
  ...[...get(local.out), ...constant(2), ...add, ...set(local.out)],
  ...[...get(local.from), ...get(local.stride), ...add, ...set(local.from)],
  ...branch(0),
  ...end,
  ...end,
  ...end,
];

/** The number of bytes, in seven bits at a time, then the bytes. */
function sized(bytes: readonly number[]): readonly number[] {
  const size: number[] = [];
  let rest = bytes.length;
  for (; rest > 0x7f; rest >>>= 7) size.push((rest & 0x7f) | 0x80);
  return [...size, rest, ...bytes];
}

const text = (word: string): readonly number[] => sized([...Buffer.from(word)]);
const section = (id: number, bytes: readonly number[]): readonly number[] => [id, ...sized(bytes)];

const moduleBytes = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...section(1, [1, 0x60, parameters, ...new Array<number>(parameters).fill(valueI32), 0]),
  ...section(2, [1, ...text("host"), ...text("memory"), 0x02, 0x00, 1]),
  ...section(3, [1, 0]),
  ...section(7, [1, ...text("count"), 0x00, 0]),
  ...section(10, [1, ...sized([2, 1, valueI32, 1, valueV128, ...body])]),
]);

let compiled: object | undefined;

/** The loop on a memory of its own, of 64 KiB to begin with. */
export function createPopcount(): Popcount {
  const { Memory, Module, Instance }: Wasm = Reflect.get(globalThis, "WebAssembly");
  compiled ??= new Module(moduleBytes);
  const memory = new Memory({ initial: 1 });
  const { exports } = new Instance(compiled, { host: { memory } });
  return { memory, count: exports.count };
}
