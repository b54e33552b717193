import type { JsonObject } from "../json.ts";
import { escapeName } from "./escape.ts";
import type { Provided, RegisteredProvider, StateRequest } from "./provider.ts";
import type { Person, Place, Ranks, Surroundings } from "./surroundings.ts";

/** So many people are named at most; the last to speak first. */
const mostPeople = 24;
const mostLeaders = 8;
const longestName = 40;

type Parts = { readonly agentId: string; readonly surroundings: Surroundings };

/** WORLD, ROLES and ENTITIES: where the conversation is, who runs the place, and who takes part. In direct messages there is nothing to say. */
export function roomProviders({ agentId, surroundings }: Parts): readonly RegisteredProvider[] {
  const placeOf = async ({ room, message }: StateRequest): Promise<Place | null> =>
    room ?? (await surroundings.room(message.roomId));
  return [
    {
      name: "WORLD",
      position: 200,
      isStable: true,
      get: (request) => {
        if (request.room) return world(request.room);
        if (isDirect(request)) return { values: { platform: request.message.content.source ?? "", channelType: "dm" } };
        return placeOf(request).then((place) => (place ? world(place) : {}));
      },
    },
    {
      name: "ROLES",
      position: 210,
      isStable: true,
      get: (request) => (hasNoWorld(request) ? {} : roles(placeOf(request), surroundings)),
    },
    {
      name: "ENTITIES",
      position: 300,
      get: (request) => (isDirect(request) ? {} : entities(placeOf(request), { agentId, surroundings })),
    },
  ];
}

function isDirect({ room, message }: StateRequest): boolean {
  return (room?.room.channelType ?? message.content.channelType) === "dm";
}

function hasNoWorld(request: StateRequest): boolean {
  return request.room ? request.room.world === null : isDirect(request);
}

const kinds = {
  dm: "direct messages",
  group: "a group",
  thread: "a thread",
  forum: "a forum",
  feed: "public posts",
} as const;

function world({ room, world: server }: Place): Provided {
  const values: JsonObject = {
    platform: room.platform,
    channelType: room.channelType,
    ...(room.name !== undefined && { roomName: nameOf(room.name) }),
    ...(server?.name !== undefined && { worldName: nameOf(server.name) }),
  };
  if (room.channelType === "dm") return { values };
  const named = room.name === undefined ? "" : `"${nameOf(room.name)}", `;
  const within = server?.name === undefined ? "" : ` of the server "${nameOf(server.name)}"`;
  return { values, text: `# Where this is\n${named}${kinds[room.channelType]}${within} on ${room.platform}.` };
}

async function roles(finding: Promise<Place | null>, surroundings: Surroundings): Promise<Provided> {
  const server = (await finding)?.world;
  if (!server) return {};
  const leaders = await (await surroundings.ranksIn(server)).leaders(mostLeaders);
  const named = (wanted: string): string[] =>
    leaders.filter(({ rank }) => rank === wanted).map(({ person }) => `"${nameOf(person.name)}"`);
  const owners = named("owner");
  const admins = named("admin");
  if (owners.length + admins.length === 0) return {};
  const lines = [
    ...(owners.length > 0 ? [`Owner: ${owners.join(", ")}.`] : []),
    ...(admins.length > 0 ? [`Admins: ${admins.join(", ")}.`] : []),
  ];
  const data = leaders.map(({ person, rank }) => ({ id: person.id, name: person.name, role: rank }));
  return { text: `# Roles here\n${lines.join(" ")}`, values: { roles: lines.join(" ") }, data: { leaders: data } };
}

async function entities(finding: Promise<Place | null>, { agentId, surroundings }: Parts): Promise<Provided> {
  const place = await finding;
  if (!place || place.room.channelType === "dm") return {};
  const [spoken, ranks] = await Promise.all([
    surroundings.people(place.room.id, mostPeople + 1),
    place.world ? surroundings.ranksIn(place.world) : null,
  ]);
  const people = spoken.filter(({ id }) => id !== agentId).slice(0, mostPeople);
  const known = people.map((person) => ({ person, role: roleOf(person, ranks) }));
  const data = known.map(({ person, role }) => ({ id: person.id, name: person.name, ...(role && { role }) }));
  if (known.length < 2) return { data: { people: data } };
  const labels = [...new Set(known.map(({ person, role }) => label(person, role)))].toSorted(byCodePoint).join(", ");
  return { text: `<people>${labels}</people>`, values: { entities: labels }, data: { people: data } };
}

/** Only what somebody is beside a member is worth a word. */
function roleOf(person: Person, ranks: Ranks | null): string | null {
  const rank = ranks?.rankOf(person) ?? "member";
  return rank === "member" || rank === "none" ? null : rank;
}

function label({ name, isBot }: Person, role: string | null): string {
  const marks = [...(role === null ? [] : [role]), ...(isBot === true ? ["bot"] : [])];
  return `${nameOf(name)}${marks.length > 0 ? ` (${marks.join(", ")})` : ""}`;
}

function byCodePoint(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** A name by a stranger, on one line and short; it cannot pass for a list of names. */
function nameOf(name: string): string {
  return (
    [
      ...escapeName(name)
        .replace(/[,()]+/gu, " ")
        .trim(),
    ]
      .slice(0, longestName)
      .join("") || "somebody"
  );
}
