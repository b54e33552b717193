import type { JsonValue } from "../json.ts";
import type { KeyValues } from "../store/store.ts";
import type { ContextName } from "./context-frame.ts";
import { type ContextRecord, contextNamespace, readRecord } from "./context-record.ts";

/** A context and how it is. */
export type ContextView = ContextName & {
  readonly args: JsonValue;
  /** Null when it has none, or keeps it elsewhere. */
  readonly state: JsonValue;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
};

/** A kept context as it is told. */
export function toView({
  id,
  type,
  key,
  args,
  state,
  createdAt,
  updatedAt,
}: ContextRecord & { readonly id: string }): ContextView {
  return { contextId: id, type, key, args, state: state ?? null, createdAt, updatedAt };
}

const page = 200;

/** Every context that is kept, by id, read page by page; without an agent at work. */
export async function* storedContexts(
  agentId: string,
  keyValues: Pick<KeyValues, "list">,
): AsyncGenerator<ContextRecord & { readonly id: string }> {
  for (let after: string | undefined; ; ) {
    const query = { limit: page, ...(after !== undefined && { after }) };
    const rows = await keyValues.list(agentId, contextNamespace, query);
    for (const { key: id, value } of rows) {
      const record = readRecord(value);
      if (record) yield { id, ...record };
    }
    after = rows.at(-1)?.key;
    if (rows.length < page) return;
  }
}
