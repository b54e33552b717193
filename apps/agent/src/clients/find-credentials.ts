import type { Character } from "@troupe/core";
import type { Config } from "../config.ts";
import type { Platform } from "./platform.ts";

/** Where one character's credentials may stand, and in which order they are looked for. */
export type CredentialSources = { readonly character: Character; readonly config: Pick<Config, "environment"> };

/** Credentials that were found, or the names of those that were not; `own` when the character brought them itself. */
export type FoundCredentials =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>>; readonly own: boolean }
  | { readonly ok: false; readonly missing: readonly string[]; readonly hasSome: boolean };

/**
 * The credentials of a character: its own secrets, then `CHARACTER.<NAME>.<VARIABLE>`, then the variable itself, which is
 * everybody's. One place has them all: parts of two accounts never mix.
 */
function findCredentials(names: readonly string[], { character, config }: CredentialSources): FoundCredentials {
  const { environment } = config;
  const key = character.name.trim().toUpperCase().replaceAll(/\s+/gu, "_");
  const sources = [
    { own: true, read: (name: string) => character.secrets[name] },
    { own: true, read: (name: string) => environment[`CHARACTER.${key}.${name}`] },
    { own: false, read: (name: string) => environment[name] },
  ];
  let missing = names;
  for (const { own, read } of sources) {
    const values = names.flatMap((name) => {
      const value = read(name)?.trim();
      return value ? [[name, value] as const] : [];
    });
    if (values.length === names.length) return { ok: true, values: Object.fromEntries(values), own };
    const found = new Set(values.map(([name]) => name));
    const absent = names.filter((name) => !found.has(name));
    if (absent.length < missing.length) missing = absent;
  }
  return { ok: false, missing, hasSome: missing.length < names.length };
}

/** The credentials of a platform's account, with what tells it from the others; missing are those of the first way. */
export function findAccount(
  { credentials, otherCredentials }: Pick<Platform, "credentials" | "otherCredentials">,
  sources: CredentialSources,
): (FoundCredentials & { readonly ok: true; readonly account: string }) | (FoundCredentials & { readonly ok: false }) {
  const found = findCredentials(credentials, sources);
  if (found.ok) return { ...found, account: found.values[credentials[0]] ?? "" };
  const other = otherCredentials && findCredentials(otherCredentials, sources);
  return other?.ok && otherCredentials ? { ...other, account: other.values[otherCredentials[0]] ?? "" } : found;
}
