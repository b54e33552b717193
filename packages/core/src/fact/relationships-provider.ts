import type { RecallScope } from "../recall/recall-settings.ts";
import { escapeName } from "../state/escape.ts";
import type { Provided, RegisteredProvider, StateRequest } from "../state/provider.ts";
import type { Relationship } from "../store/relationships.ts";
import type { Store } from "../store/store.ts";
import { tagsIn } from "./merge-relations.ts";
import { accountsOf, samePersonTag } from "./person.ts";

/** What telling of relationships needs. */
export type RelationshipsParts = {
  readonly agentId: string;
  readonly store: Pick<Store, "relationships" | "rooms">;
  readonly scope: RecallScope;
};

const mostShown = 12;

/** RELATIONSHIPS: how who speaks stands to others, as it was said here. */
export function createRelationshipsProvider(parts: RelationshipsParts): RegisteredProvider {
  return {
    name: "RELATIONSHIPS",
    description: "How the people here stand to each other.",
    position: 840,
    get: (request) => relationships(request, parts),
  };
}

async function relationships({ message }: StateRequest, parts: RelationshipsParts): Promise<Provided> {
  if (message.entityId === parts.agentId) return {};
  const lines = await relationLines(message.entityId, message.roomId, parts);
  if (lines.length === 0) return {};
  const text = lines.map((line) => `- ${line}`).join("\n");
  return { text: `<relationships>\n${text}\n</relationships>`, values: { relationships: text } };
}

/** `Mona is sister of Bob`, one line each, as far as it may be told in a room. */
export async function relationLines(
  entityId: string,
  roomId: string,
  { agentId, store, scope }: RelationshipsParts,
): Promise<readonly string[]> {
  const accounts = await accountsOf(entityId, { agentId, relationships: store.relationships });
  const rows = (await Promise.all(accounts.map((id) => store.relationships.of(agentId, id)))).flat();
  const shown = unique(rows)
    .map((row) => ({ row, tags: tagsToTell(row, roomId, scope) }))
    .filter(({ tags }) => tags.length > 0)
    .slice(0, mostShown);
  const people = await store.rooms.entities(agentId, [...new Set(shown.flatMap(({ row }) => [row.fromId, row.toId]))]);
  const names = new Map(people.map(({ id, name }) => [id, escapeName(name)]));
  return shown.flatMap(({ row, tags }) => {
    const [from, to] = [names.get(row.fromId), names.get(row.toId)];
    return from === undefined || to === undefined ? [] : [`${from} to ${to}: ${tags.join(", ")}`];
  });
}

function tagsToTell(row: Relationship, roomId: string, scope: RecallScope): readonly string[] {
  const tags = scope === "person" ? row.tags : tagsIn(row, roomId);
  return tags.filter((tag) => tag !== samePersonTag);
}

function unique(rows: readonly Relationship[]): readonly Relationship[] {
  return [...new Map(rows.map((row) => [`${row.fromId} ${row.toId}`, row])).values()];
}
