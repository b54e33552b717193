/** The fields that are there: `undefined` ones are left out. */
export function present<T extends Record<string, unknown>>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  // Object.entries forgets the keys' types; nothing but undefined values was dropped.
  return Object.fromEntries(kept) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
