import { hash } from "node:crypto";

/** What an id is derived for: the first part of its name. */
export type IdKind = "agent" | "world" | "room" | "entity" | "memory" | "run" | "context" | "delivery" | "task";

/**
 * A stable UUID (version 8, RFC 9562) from a kind and its parts, e.g. `("memory", platform, account, chat, message)`.
 * The same parts give the same id for ever, on every machine; parts are kept apart, so `("ab","c")` is not `("a","bc")`.
 */
export function deriveId(kind: IdKind, ...parts: readonly string[]): string {
  const name = JSON.stringify([kind, ...parts]);
  const hex = hash("sha256", name, "hex");
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The agent's id: the character's own, if it names one, else derived from its name (case and outer spaces do not matter). */
export function deriveAgentId(character: { readonly id?: string | undefined; readonly name: string }): string {
  return character.id ?? deriveId("agent", character.name.trim().toLowerCase());
}
