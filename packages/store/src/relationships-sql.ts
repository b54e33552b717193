import type { DatabaseSync } from "node:sqlite";
import { field, listJson, objectJson, quote } from "./json-text.ts";
import type { RelationshipTuple } from "./protocol.ts";
import { prepare } from "./statement.ts";

/** Who stands how to whom, in SQL. */
export interface RelationshipsSql {
  /** The last one between two entities wins. */
  put(agent: number, relationship: RelationshipTuple): void;
  remove(agent: number, fromId: string, toId: string): void;
  of(agent: number, entityId: string, tag: string | null): string;
}

/** The relationships of one database. */
export function createRelationshipsSql(database: DatabaseSync): RelationshipsSql {
  const put = prepare(
    database,
    `insert into relationship(agent, from_id, to_id, tags, data, updated_at) values(?,?,?,?,?,?)
     on conflict(agent, from_id, to_id) do update set tags = excluded.tags, data = excluded.data,
       updated_at = excluded.updated_at`,
  );
  const remove = prepare(database, "delete from relationship where agent = ? and from_id = ? and to_id = ?");
  const columns = "from_id, to_id, tags, data, updated_at from relationship";
  const of = prepare<RelationshipTuple>(
    database,
    `select ${columns} where agent = ?1 and from_id = ?2
     union select ${columns} where agent = ?1 and to_id = ?2
     order by 5 desc, 1, 2`,
  );
  return {
    put: (agent, relationship) => void put.run(agent, ...relationship),
    remove: (agent, fromId, toId) => void remove.run(agent, fromId, toId),
    of: (agent, entityId, tag) => {
      const wanted = tag === null ? null : JSON.stringify(tag);
      const rows = of.all(agent, entityId);
      return listJson(wanted === null ? rows : rows.filter(([, , tags]) => hasTag(tags, wanted)), relationshipJson);
    },
  };
}

/** `tags` is the JSON text of a list of texts; so no text within can be mistaken for a whole one. */
function hasTag(tags: string, quoted: string): boolean {
  return tags.includes(`[${quoted}`) || tags.includes(`,${quoted}`);
}

function relationshipJson([fromId, toId, tags, data, updatedAt]: RelationshipTuple): string {
  return objectJson(
    field("fromId", quote(fromId)),
    field("toId", quote(toId)),
    field("tags", tags),
    field("data", data),
    field("updatedAt", quote(updatedAt)),
  );
}
