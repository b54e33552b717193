import { idOf, type Raw, recordOf, recordsOf, textOf, textsOf } from "./read.ts";

/** Whom the connection has met: how the last thousand are called, and who leads which server. */
export type People = {
  /** Learns from whatever names a person: an author with their membership, a member, somebody who reacted. */
  meet(user: unknown, member: unknown, guildId: string | null): void;
  meetAll(guild: Raw): void;
  nameOf(userId: string): string | null;
  /** Whoever is known to hold a role for which `isAdmin` holds now. */
  adminsOf(guildId: string, isAdmin: (roleId: string) => boolean): readonly string[];
  forget(guildId: string): void;
};

const keptNames = 1_000;

/** Nobody yet. `mayLead` says whether a role makes an admin; the others are not remembered. */
export function createPeople(mayLead: (guildId: string, roleId: string) => boolean): People {
  const names = new Map<string, string>();
  const leaders = new Map<string, Map<string, readonly string[]>>();
  const meet: People["meet"] = (user, member, guildId) => {
    const person = recordOf(user);
    const id = idOf(person["id"]);
    if (id === null) return;
    const name = textOf(person["global_name"]) ?? textOf(person["username"]);
    if (name !== null) {
      names.delete(id);
      names.set(id, name);
      const oldest = names.keys().next().value;
      if (names.size > keptNames && oldest !== undefined) names.delete(oldest);
    }
    const { roles } = recordOf(member);
    if (guildId === null || !Array.isArray(roles)) return;
    const leading = textsOf(roles).filter((role) => mayLead(guildId, role));
    const known = leaders.get(guildId) ?? new Map<string, readonly string[]>();
    if (leading.length > 0) leaders.set(guildId, known.set(id, leading));
    else known.delete(id);
  };
  return {
    meet,
    meetAll(guild) {
      const id = idOf(guild["id"]);
      for (const member of recordsOf(guild["members"])) meet(member["user"], member, id);
    },
    nameOf: (userId) => names.get(userId) ?? null,
    adminsOf(guildId, isAdmin) {
      const known = [...(leaders.get(guildId) ?? [])];
      return known
        .filter(([, roles]) => roles.some(isAdmin))
        .map(([id]) => id)
        .toSorted();
    },
    forget: (guildId) => void leaders.delete(guildId),
  };
}
