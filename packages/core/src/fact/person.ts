import type { Relationships } from "../store/relationships.ts";

/** Between two accounts of one person, both ways; put only when the person confirmed it from both. */
export const samePersonTag = "same-person";

/** Accounts of one person that are looked at; nobody has more by honest means. */
const mostAccounts = 12;

/** All accounts of the person somebody is, their own first. */
export async function accountsOf(
  entityId: string,
  { agentId, relationships }: { readonly agentId: string; readonly relationships: Relationships },
): Promise<readonly string[]> {
  const found = [entityId];
  for (let at = 0; at < found.length && found.length < mostAccounts; at++) {
    const next = found[at] ?? entityId;
    const rows = await relationships.of(agentId, next, { tag: samePersonTag });
    // One way alone would be somebody's word about somebody else.
    const answering = new Set(rows.filter(({ toId }) => toId === next).map(({ fromId }) => fromId));
    for (const { fromId, toId } of rows) {
      if (fromId === next && answering.has(toId) && !found.includes(toId)) found.push(toId);
    }
  }
  return found;
}
