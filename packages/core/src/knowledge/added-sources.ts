import { z } from "zod";
import type { KnowledgeSource } from "../character/character.ts";
import { StoreError } from "../errors.ts";
import type { KeyValues } from "../store/store.ts";
import { sourceKey } from "./source-key.ts";

/** A source an operator added by hand. */
export type AddedSource = Exclude<KnowledgeSource, { readonly kind: "text" }>;

const shared = z.boolean();
const sourceSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("file"), path: z.string(), shared }),
  z.object({ kind: z.literal("directory"), directory: z.string(), shared }),
  z.object({ kind: z.literal("url"), url: z.string(), shared }),
]);
const listSchema = z.array(sourceSchema);
const namedSchema = z.array(z.object({ source: sourceSchema, agentIds: z.array(z.string()) }));

const namespace = "knowledge";
const attempts = 10;

/** The sources that were added for an owner, in the order of adding. */
export async function addedSources(keyValues: KeyValues, ownerId: string): Promise<readonly AddedSource[]> {
  const found = await keyValues.get(ownerId, namespace, "added");
  return found ? read(listSchema, found.value) : [];
}

/** Adds a source; false when it was there already. */
export async function addSource(keyValues: KeyValues, ownerId: string, source: AddedSource): Promise<boolean> {
  const key = sourceKey(source);
  return change(keyValues, { ownerId, key: "added", schema: listSchema }, (list) =>
    list.some((one) => sourceKey(one) === key) ? null : [...list, source],
  );
}

/** Takes a source away that was added; false when it was not. */
export async function removeSource(keyValues: KeyValues, ownerId: string, key: string): Promise<boolean> {
  return change(keyValues, { ownerId, key: "added", schema: listSchema }, (list) =>
    list.some((one) => sourceKey(one) === key) ? list.filter((one) => sourceKey(one) !== key) : null,
  );
}

/** What characters name as known to all, with those who name it. */
export async function namedSources(
  keyValues: KeyValues,
  ownerId: string,
): Promise<readonly { readonly source: AddedSource; readonly agentIds: readonly string[] }[]> {
  const found = await keyValues.get(ownerId, namespace, "named");
  return found ? read(namedSchema, found.value) : [];
}

/** Notes what an agent's character names now; what nobody names any more is not in the list afterwards. */
export async function nameSources(
  keyValues: KeyValues,
  { ownerId, agentId }: { readonly ownerId: string; readonly agentId: string },
  sources: readonly AddedSource[],
): Promise<void> {
  await change(keyValues, { ownerId, key: "named", schema: namedSchema }, (named) => {
    const others = named.map(({ source, agentIds }) => ({ source, agentIds: agentIds.filter((id) => id !== agentId) }));
    const byKey = new Map(others.map((one) => [sourceKey(one.source), one]));
    for (const source of sources) {
      const known = byKey.get(sourceKey(source));
      byKey.set(sourceKey(source), { source, agentIds: [...(known?.agentIds ?? []), agentId] });
    }
    const next = [...byKey.values()].filter(({ agentIds }) => agentIds.length > 0);
    return JSON.stringify(next) === JSON.stringify(named) ? null : next;
  });
}

type Kept<Value> = { readonly ownerId: string; readonly key: string; readonly schema: z.ZodType<Value[]> };

/** Changes a list; null leaves it as it is. Says whether it was changed. */
async function change<Value>(
  keyValues: KeyValues,
  { ownerId, key, schema }: Kept<Value>,
  next: (list: Value[]) => readonly Value[] | null,
): Promise<boolean> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const found = await keyValues.get(ownerId, namespace, key);
    const list = next(found ? read(schema, found.value) : []);
    if (list === null) return false;
    const put = { value: JSON.stringify(list), ifVersion: found?.version ?? 0 };
    if (await keyValues.set(ownerId, namespace, key, put)) return true;
  }
  throw new StoreError("conflict", "The list of what is known is changed by others all the time; try again.");
}

function read<Value>(schema: z.ZodType<Value[]>, text: string): Value[] {
  const list = schema.safeParse(JSON.parse(text));
  if (list.success) return list.data;
  throw new StoreError("corrupt", "The list of added knowledge cannot be read; add it anew with: troupe knowledge add");
}
