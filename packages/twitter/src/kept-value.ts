import type { ClientState } from "@troupe/core";

/** A value of a client's state that is read once, changed in memory and written after every change, in order. */
export type KeptValue<T> = {
  get(): T;
  /** Changes it at once; resolves when the change is durable. @throws StoreError when it cannot be kept: it stays changed in memory. */
  change(next: (value: T) => T): Promise<void>;
};

/** How a value is kept: under which key, what it is when nothing is, and how text becomes one; what is damaged counts as nothing. */
export type Keeping<T> = {
  readonly key: string;
  readonly empty: T;
  readonly read: (value: unknown) => T | null;
};

/** Reads a value, and keeps it from then on. @throws StoreError */
export async function keepValue<T>(state: ClientState, { key, empty, read }: Keeping<T>): Promise<KeptValue<T>> {
  const text = await state.get(key);
  let value = (text === null ? null : read(parse(text))) ?? empty;
  let written: Promise<void> = Promise.resolve();
  return {
    get: () => value,
    change(next) {
      value = next(value);
      const write = (): Promise<void> => state.set(key, JSON.stringify(value));
      written = written.then(write, write);
      return written;
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
