import type { Log } from "@troupe/core";
import { type DiscordApi, debugFailure } from "./api.ts";
import type { Directory } from "./gateway.ts";
import type { Around, GuildView, Place } from "./inbound.ts";
import type { People } from "./people.ts";
import { idOf, numberOf, type Raw, recordOf, textOf } from "./read.ts";

/** Finds out where something happened. */
export type Surroundings = {
  /** Around a channel of which an event said this much. Asks Discord for a channel nobody told of; never throws. */
  of(channelId: string, event: Raw): Promise<Around>;
  guild(id: string): GuildView | undefined;
};

const keptPlaces = 1_000;

/** Looks in the connection's directory first, then at what was fetched lately. */
export function createSurroundings(parts: {
  readonly directory: () => Directory | null;
  readonly people: People;
  readonly api: DiscordApi;
  readonly log: Log;
}): Surroundings {
  const { directory, people, api, log } = parts;
  const fetched = new Map<string, Place>();

  const fetchPlace = async (id: string): Promise<Place | null> => {
    const known = fetched.get(id);
    if (known) return known;
    const answer = await api
      .request({ method: "GET", route: `/channels/${id}`, isRepeatable: true })
      .catch(debugFailure(log, "looking up a channel"));
    const found = toPlace(answer);
    if (!found) return null;
    const parent = found.parentId === undefined ? null : directory()?.place(found.parentId);
    const parentName = parent?.name;
    const place = {
      ...found,
      ...(parent && { parentType: parent.type, ...(parentName !== undefined && { parentName }) }),
    };
    fetched.set(id, place);
    const oldest = fetched.keys().next().value;
    if (fetched.size > keptPlaces && oldest !== undefined) fetched.delete(oldest);
    return place;
  };

  const guild = (id: string): GuildView | undefined => {
    const adminIds = people.adminsOf(id, (role) => directory()?.role(id, role)?.isAdmin === true);
    const known = directory()?.guild(id);
    return { id, adminIds, ...(known && { name: known.name, ownerId: known.ownerId }) };
  };

  return {
    guild,
    async of(channelId, event) {
      const guildId = idOf(event["guild_id"]);
      const known = directory()?.place(channelId);
      // A server's channels carry its id; without one these are direct messages.
      const place = known ?? (guildId === null ? { id: channelId, type: 1 } : await fetchPlace(channelId));
      const type = numberOf(event["channel_type"]) ?? 0;
      const found = place ?? { id: channelId, type, ...(guildId !== null && { guildId }) };
      const here = found.guildId;
      const around = here === undefined ? undefined : guild(here);
      return {
        place: found,
        ...(around && { guild: around }),
        roleName: (id) => (here === undefined ? null : (directory()?.role(here, id)?.name ?? null)),
        channelName: (id) => directory()?.place(id)?.name ?? null,
        isOwnRole: (id) => here !== undefined && directory()?.role(here, id)?.isOwn === true,
      };
    },
  };
}

/** A channel as Discord describes it; null when it is none. */
export function toPlace(channel: unknown): Place | null {
  const fields = recordOf(channel);
  const id = idOf(fields["id"]);
  const type = numberOf(fields["type"]);
  if (id === null || type === null) return null;
  const [name, topic] = [textOf(fields["name"]), textOf(fields["topic"])];
  const [guildId, parentId] = [idOf(fields["guild_id"]), idOf(fields["parent_id"])];
  return {
    id,
    type,
    ...(name !== null && { name }),
    ...(topic !== null && { topic }),
    ...(guildId !== null && { guildId }),
    ...(parentId !== null && { parentId }),
  };
}
