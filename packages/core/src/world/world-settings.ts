import { checkSchema } from "../action/check-schema.ts";
import { isObject } from "../action/json-kind.ts";
import type { Character } from "../character/character.ts";
import { ConfigError, TroupeError } from "../errors.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { World } from "../room/room.ts";
import type { KeyValues, RoomRow } from "../store/store.ts";
import { noRules, rulesIn, type SetValues, type WorldRules } from "./world-rules.ts";
import { findSetting, type HouseSetting, houseSettings, plainName, type WorldSetting } from "./world-setting.ts";

/** Where a value is set: in a whole server, or in one room of it. */
type SettingPlace = { readonly world: Pick<World, "id">; readonly roomId?: string };

/** What servers say of themselves: the house's settings and those of plugins, kept for good under the server's id. */
export interface WorldSettings {
  /** Those that may be changed: the house's, as far as the character lets servers have them, then plugins'. */
  declared(): readonly HouseSetting[];
  /** @throws ConfigError naming a setting whose name is taken or whose schema cannot be used. */
  declare(owner: string, settings: readonly WorldSetting[]): void;
  takeBack(owner: string): void;
  /** Whether any of them is a secret. */
  hasSecrets(): boolean;
  values(world: Pick<World, "id">): Promise<SetValues>;
  /** Sets it; null takes it back. */
  set(place: SettingPlace, name: string, value: JsonValue | null): Promise<void>;
  /** Keeps a secret; null forgets it. */
  setSecret(world: Pick<World, "id">, name: string, value: JsonValue | null): Promise<void>;
  /** Names of the secrets that are set. */
  secretsSet(world: Pick<World, "id">): Promise<readonly string[]>;
  /** The value a plugin declared as `owner`, or its default, or null. @throws TroupeError `not_found` when it declared none. */
  valueFor(owner: string, worldId: string, name: string): Promise<JsonValue>;
  /** How the agent listens in a room. */
  rules(row: RoomRow): Promise<WorldRules>;
  /** What is set moves with a room, and with a server, that the platform gave another id. */
  move(from: { readonly worldId?: string; readonly roomId: string }, to: typeof from): Promise<void>;
}

/** What settings are kept with. */
export type WorldSettingsParts = {
  readonly agentId: string;
  readonly character: Character;
  readonly keyValues: Pick<KeyValues, "get" | "set" | "delete">;
};

const valuesNamespace = "world-settings";
const secretsNamespace = "world-secrets";
/** Somebody else may set something in the same server at the same time. */
const setAttempts = 10;
const nothingSet: SetValues = { world: {}, rooms: {} };

/** The settings of all servers an agent is in. */
export function createWorldSettings({ agentId, character, keyValues }: WorldSettingsParts): WorldSettings {
  const owned = new Map<string, readonly WorldSetting[]>();
  const offered = houseSettings.filter(({ name }) => mayChange(character, name));
  const declared = (): readonly HouseSetting[] => [...offered, ...[...owned.values()].flat()];
  const read = async (
    namespace: string,
    worldId: string,
  ): Promise<{ readonly kept: JsonObject; readonly version: number }> => {
    const row = await keyValues.get(agentId, namespace, worldId);
    const kept: unknown = row ? JSON.parse(row.value) : {};
    return { kept: isObject(kept) ? kept : {}, version: row?.version ?? 0 };
  };
  const change = async (namespace: string, worldId: string, by: (kept: JsonObject) => JsonObject): Promise<void> => {
    for (let attempt = 0; attempt < setAttempts; attempt++) {
      const { kept, version } = await read(namespace, worldId);
      const value = JSON.stringify(by(kept));
      if (await keyValues.set(agentId, namespace, worldId, { value, ifVersion: version })) return;
    }
    throw new TroupeError("conflict", "the settings of this server changed all the while; try again");
  };
  const values = async ({ id }: Pick<World, "id">): Promise<SetValues> =>
    toValues((await read(valuesNamespace, id)).kept);
  return {
    declared,
    values,
    declare(owner, settings) {
      owned.set(owner, checked(owner, settings, [...houseSettings, ...declared()]));
    },
    takeBack: (owner) => void owned.delete(owner),
    hasSecrets: () => [...owned.values()].flat().some(({ secret }) => secret === true),
    set: ({ world, roomId }, name, value) =>
      change(valuesNamespace, world.id, (kept) => {
        const now = toValues(kept);
        if (roomId === undefined) return { ...now, world: withValue(now.world, name, value) };
        return { ...now, rooms: { ...now.rooms, [roomId]: withValue(now.rooms[roomId] ?? {}, name, value) } };
      }),
    setSecret: ({ id }, name, value) => change(secretsNamespace, id, (kept) => withValue(kept, name, value)),
    secretsSet: async ({ id }) => Object.keys((await read(secretsNamespace, id)).kept),
    async valueFor(owner, worldId, name) {
      const setting = findSetting(owned.get(owner) ?? [], name);
      if (!setting) throw new TroupeError("not_found", `${owner} declares no setting ${name}; add it to its settings`);
      const { kept } = await read(setting.secret === true ? secretsNamespace : valuesNamespace, worldId);
      const set = setting.secret === true ? kept : toValues(kept).world;
      return set[setting.name] ?? setting.schema.default ?? null;
    },
    async rules({ room, world }) {
      return world ? rulesIn(await values(world), room.id) : noRules;
    },
    async move(from, to) {
      const { worldId: fromWorld, roomId: fromRoom } = from;
      const toWorld = to.worldId ?? fromWorld;
      if (fromWorld === undefined || toWorld === undefined) return;
      const [old, secrets] = await Promise.all([read(valuesNamespace, fromWorld), read(secretsNamespace, fromWorld)]);
      if (old.version > 0) {
        const { world, rooms } = toValues(old.kept);
        const { [fromRoom]: own, ...others } = rooms;
        const moved = { ...others, ...(own && { [to.roomId]: own }) };
        await change(valuesNamespace, toWorld, (kept) => {
          const now = toValues(kept);
          const { [fromRoom]: _own, ...roomsNow } = now.rooms;
          return { world: { ...world, ...now.world }, rooms: { ...moved, ...roomsNow } };
        });
      }
      if (fromWorld === toWorld || secrets.version === 0) return;
      await change(secretsNamespace, toWorld, (kept) => ({ ...secrets.kept, ...kept }));
      await keyValues.delete(agentId, secretsNamespace, fromWorld);
    },
  };
}

/** `settings.worldSettings` of the character: false, or the names of those that servers may change; absent: all. */
function mayChange({ settings }: Character, name: string): boolean {
  const { worldSettings } = settings;
  if (worldSettings === undefined || worldSettings === true) return true;
  return Array.isArray(worldSettings) && worldSettings.some((one) => plainName(String(one)) === plainName(name));
}

function checked(
  owner: string,
  settings: readonly WorldSetting[],
  known: readonly WorldSetting[],
): readonly WorldSetting[] {
  const taken = new Set(known.map(({ name }) => plainName(name)));
  for (const { name, schema } of settings) {
    if (typeof name !== "string" || !/^[\p{L}\p{N}._-]{1,60}$/u.test(name)) {
      const told = `${owner} declares the setting ${JSON.stringify(name)}; name it with letters, digits, ".", "_" and "-"`;
      throw new ConfigError("invalid", told);
    }
    if (taken.has(plainName(name))) {
      throw new ConfigError("invalid", `${owner} declares the setting ${name}, a name that is taken; rename it`);
    }
    taken.add(plainName(name));
    const [problem] = checkSchema(schema, name);
    if (problem !== undefined) throw new ConfigError("invalid", `a setting of ${owner} cannot be used: ${problem}`);
  }
  return [...settings];
}

function toValues(kept: JsonObject): SetValues {
  const { world, rooms } = kept;
  if (!isObject(world)) return nothingSet;
  const entries = isObject(rooms) ? Object.entries(rooms) : [];
  return { world, rooms: Object.fromEntries(entries.filter((one): one is [string, JsonObject] => isObject(one[1]))) };
}

function withValue(values: JsonObject, name: string, value: JsonValue | null): JsonObject {
  const { [name]: _before, ...others } = values;
  return value === null ? others : { ...others, [name]: value };
}
