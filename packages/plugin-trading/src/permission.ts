import type { Runtime } from "@troupe/core";
import type { TradingConfig } from "./config.ts";

type Person = NonNullable<Awaited<ReturnType<Runtime["getEntity"]>>>;

/**
 * Whether somebody may give orders: listed by id, or holding a listed role. Names count for nothing: anybody can take one.
 */
export function mayTrade(entity: Person | null, { admins, roles }: Pick<TradingConfig, "admins" | "roles">): boolean {
  if (!entity) return false;
  const ids = [entity.id, `${entity.platform}:${entity.platformId}`];
  return ids.some((id) => admins.includes(id)) || rolesOf(entity).some((role) => roles.includes(role));
}

function rolesOf({ data }: Person): readonly string[] {
  const held = data?.["roles"];
  return Array.isArray(held) ? held.filter((role) => typeof role === "string") : [];
}
