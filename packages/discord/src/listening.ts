import { hash } from "node:crypto";
import type { ClientState, Clock, Command, Inbound, Log, PlatformChange, Receive } from "@troupe/core";
import { errorMessage } from "@troupe/core/errors";
import { type DiscordApi, debugFailure } from "./api.ts";
import { fetchMissed, type Gap, gapIn, newestByRoom } from "./catch-up.ts";
import {
  toEdited,
  toMembership,
  toOwnMembership,
  toReaction,
  toRemoved,
  toRoomChange,
  toWorldChange,
} from "./changes.ts";
import type { Cursors } from "./cursors.ts";
import { isRefused } from "./errors.ts";
import type { Directory } from "./gateway.ts";
import { type Around, type Hearer, isTooLate, toInbound } from "./inbound.ts";
import { createInteractionHearing } from "./interaction-hearing.ts";
import type { Interactions } from "./interactions.ts";
import type { DiscordSettings } from "./options.ts";
import { createPeople } from "./people.ts";
import { idOf, type Raw, recordOf, recordsOf, timeOf } from "./read.ts";
import type { RoomQueues } from "./room-queues.ts";
import { createSurroundings, toPlace } from "./surroundings.ts";

/** What hearing needs. */
export type ListeningParts = {
  readonly hearer: Hearer;
  readonly settings: DiscordSettings;
  readonly api: DiscordApi;
  readonly interactions: Interactions;
  readonly cursors: Cursors;
  readonly queues: RoomQueues;
  readonly state: ClientState;
  readonly commands: () => readonly Command[];
  readonly receive: Receive;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
};

/** Takes events as they come, in order within a shard. */
export type Listening = { onEvent(name: string, data: unknown, directory: Directory): void };

/** Rooms that are read again at the same time after an outage. */
const catchUpsAtOnce = 4;

/** Makes it; nothing is heard before the first event. */
export function createListening(parts: ListeningParts): Listening {
  return new DiscordListening(parts);
}

type EventReader = (data: Raw) => void;

class DiscordListening implements Listening {
  readonly #parts: ListeningParts;
  readonly #readers: Readonly<Record<string, EventReader>>;
  readonly #people = createPeople((guild, role) => this.#directory?.role(guild, role)?.isAdmin === true);
  readonly #surroundings;
  readonly #guilds = new Set<string>();
  readonly #waiting: (() => void)[] = [];
  #catchUps = 0;
  #directory: Directory | null = null;

  constructor(parts: ListeningParts) {
    this.#parts = parts;
    const { api, log } = parts;
    this.#surroundings = createSurroundings({ directory: () => this.#directory, people: this.#people, api, log });
    const hearInteraction = createInteractionHearing({ ...parts, surroundings: this.#surroundings });
    const room: EventReader = (data) => this.#onRoom(data);
    const roomGone: EventReader = (data) => this.#onRoomGone(data);
    const message =
      (isEdit: boolean): EventReader =>
      (data) =>
        this.#onMessage(data, isEdit);
    const reaction =
      (isAdded: boolean): EventReader =>
      (data) =>
        this.#onReaction(data, isAdded);
    const member =
      (kind: "joined" | "left"): EventReader =>
      (data) =>
        this.#onMember(data, kind);
    const removed: EventReader = (data) => this.#tell(data["channel_id"], async () => toRemoved(data, parts.hearer));
    this.#readers = {
      READY: (data) => this.#onReady(data),
      MESSAGE_CREATE: message(false),
      MESSAGE_UPDATE: message(true),
      MESSAGE_DELETE: removed,
      MESSAGE_DELETE_BULK: removed,
      MESSAGE_REACTION_ADD: reaction(true),
      MESSAGE_REACTION_REMOVE: reaction(false),
      GUILD_CREATE: (data) => this.#onGuild(data),
      GUILD_UPDATE: (data) => this.#tellWorld(data["id"]),
      GUILD_DELETE: (data) => this.#onGuildGone(data),
      GUILD_MEMBER_ADD: member("joined"),
      GUILD_MEMBER_REMOVE: member("left"),
      GUILD_MEMBER_UPDATE: (data) => this.#onMemberChange(data),
      CHANNEL_CREATE: room,
      CHANNEL_UPDATE: room,
      CHANNEL_DELETE: roomGone,
      THREAD_CREATE: room,
      THREAD_UPDATE: room,
      THREAD_DELETE: roomGone,
      INTERACTION_CREATE: hearInteraction,
    };
  }

  onEvent(name: string, data: unknown, directory: Directory): void {
    const { signal, log } = this.#parts;
    if (signal.aborted) return;
    this.#directory = directory;
    try {
      if (Object.hasOwn(this.#readers, name)) this.#readers[name]?.(recordOf(data));
    } catch (error) {
      log.warn(
        { event: name, fields: Object.keys(recordOf(data)).length, error: errorMessage(error) },
        "an odd event was left out",
      );
    }
  }

  #onMessage(data: Raw, isEdit: boolean): void {
    const { hearer, cursors, queues } = this.#parts;
    const room = idOf(data["channel_id"]);
    const id = idOf(data["id"]);
    if (room === null || id === null) return;
    const isDirect = idOf(data["guild_id"]) === null;
    this.#people.meet(data["author"], data["member"], idOf(data["guild_id"]));
    if (isEdit) return this.#tell(room, async () => toEdited(data, hearer, await this.#surroundings.of(room, data)));
    cursors.begin(id);
    queues.enqueue(room, async () => {
      await this.#hand(() => this.#read(data, room));
      cursors.end(id);
      cursors.note(room, id, isDirect);
    });
  }

  async #read(message: Raw, room: string, isCaughtUp = false): Promise<Inbound | null> {
    const { hearer, settings, clock } = this.#parts;
    const id = idOf(message["id"]);
    const isLate = isCaughtUp && id !== null && isTooLate(id, clock.now(), settings.answerWithinMs);
    return toInbound(message, hearer, await this.#surroundings.of(room, message), isLate);
  }

  #onReaction(data: Raw, isAdded: boolean): void {
    const { hearer, clock } = this.#parts;
    const room = idOf(data["channel_id"]);
    const userId = idOf(data["user_id"]);
    if (room === null || userId === null) return;
    const at = clock.now();
    const member = recordOf(data["member"]);
    this.#people.meet(member["user"], member, idOf(data["guild_id"]));
    this.#tell(room, async () => {
      const userName = this.#people.nameOf(userId) ?? (isAdded ? await this.#fetchName(userId) : null);
      return toReaction(data, hearer, await this.#surroundings.of(room, data), { isAdded, at, userName });
    });
  }

  /** In direct messages a reaction says only by whose id it was. */
  async #fetchName(userId: string): Promise<string | null> {
    const { api, log } = this.#parts;
    const request = { method: "GET", route: `/users/${userId}`, isRepeatable: true } as const;
    const user = await api.request(request).catch(debugFailure(log, "looking up a person"));
    this.#people.meet(user, null, null);
    return this.#people.nameOf(userId);
  }

  #onMember(data: Raw, kind: "joined" | "left"): void {
    const guildId = idOf(data["guild_id"]);
    if (guildId === null) return;
    this.#people.meet(data["user"], kind === "joined" ? data : { roles: [] }, guildId);
    this.#tell(guildId, async () => toMembership(data, this.#parts.hearer, this.#guildOf(guildId), kind));
  }

  #onMemberChange(data: Raw): void {
    const guildId = idOf(data["guild_id"]);
    if (guildId === null) return;
    const before = this.#surroundings.guild(guildId)?.adminIds.join();
    this.#people.meet(data["user"], data, guildId);
    if (this.#surroundings.guild(guildId)?.adminIds.join() !== before) this.#tellWorld(guildId);
  }

  #onRoom(data: Raw): void {
    const place = toPlace(data);
    if (!place || place.guildId === undefined || place.type === categoryType) return;
    const { guildId } = place;
    this.#tell(place.id, async () => {
      const known = this.#directory?.place(place.id) ?? place;
      return toRoomChange(this.#parts.hearer, { place: known, ...this.#guildOf(guildId) });
    });
  }

  #onRoomGone(data: Raw): void {
    const place = toPlace(data);
    const { hearer } = this.#parts;
    if (place)
      this.#tell(place.id, async () => toOwnMembership(hearer, { place, ...this.#guildOf(place.guildId) }, "left"));
  }

  #onReady(data: Raw): void {
    for (const { id } of recordsOf(data["guilds"])) this.#guilds.add(String(id));
    const [shard] = Array.isArray(data["shard"]) ? data["shard"] : [0];
    const { cursors } = this.#parts;
    // Direct messages come to the first shard, and nothing tells which of them have something new.
    if (shard !== 0) return;
    for (const room of cursors.directRooms())
      this.#catchUp(room, true, async () => {
        const after = (await cursors.seen(room)) ?? cursors.watermark();
        return after === null ? null : { room, after };
      });
  }

  #onGuild(data: Raw): void {
    const id = idOf(data["id"]);
    if (id === null || data["unavailable"] === true) return;
    const { hearer, cursors } = this.#parts;
    const isNew = !this.#guilds.has(id);
    this.#guilds.add(id);
    this.#tell(id, async () => {
      this.#people.meetAll(data);
      return isNew ? toOwnMembership(hearer, this.#guildOf(id), "joined") : toWorldChange(hearer, this.#guildOf(id));
    });
    this.#tellRooms(id, data);
    const watermark = cursors.watermark();
    if (watermark === null) return;
    const joinedAt = timeOf(data["joined_at"]);
    for (const { room, newest } of newestByRoom(data))
      this.#catchUp(room, false, async () => {
        if (this.#directory?.isReadable(room) === false) return null;
        return gapIn({ room, newest }, { seen: await cursors.seen(room), watermark, joinedAt });
      });
  }

  #onGuildGone(data: Raw): void {
    const id = idOf(data["id"]);
    if (id === null || data["unavailable"] === true) return;
    const around = this.#guildOf(id);
    this.#guilds.delete(id);
    this.#people.forget(id);
    this.#parts.log.info({ guild: id }, "the bot is not in this server any more");
    this.#tell(id, async () => toOwnMembership(this.#parts.hearer, around, "left"));
  }

  /** Tells the rooms of a server, unless they are as they were when they were told last. */
  #tellRooms(id: string, data: Raw): void {
    const { hearer, queues, state, receive } = this.#parts;
    const channels = [...recordsOf(data["channels"]), ...recordsOf(data["threads"])];
    const places = channels.flatMap((channel) => toPlace({ ...channel, guild_id: id }) ?? []);
    const rooms = places.filter(({ type }) => type !== categoryType);
    const version = hash("sha256", JSON.stringify(rooms), "hex").slice(0, 32);
    queues.enqueue(id, async () => {
      if ((await state.get(`rooms:${id}`)) === version) return;
      for (const place of rooms) {
        const known = this.#directory?.place(place.id) ?? place;
        if (!this.#parts.signal.aborted) await receive(toRoomChange(hearer, { place: known, ...this.#guildOf(id) }));
      }
      await state.set(`rooms:${id}`, version);
    });
  }

  #tellWorld(guildId: unknown): void {
    const id = idOf(guildId);
    if (id !== null) this.#tell(id, async () => toWorldChange(this.#parts.hearer, this.#guildOf(id)));
  }

  #guildOf(id: string | undefined): Pick<Around, "guild"> {
    const guild = id === undefined ? undefined : this.#surroundings.guild(id);
    return guild ? { guild } : {};
  }

  #tell(room: unknown, read: () => Promise<Inbound | PlatformChange | null>): void {
    const id = idOf(room);
    if (id !== null) this.#parts.queues.enqueue(id, () => this.#hand(read));
  }

  /** Reads an event and hands it over. What cannot be read is left out; what cannot be kept is thrown, to be offered again. */
  async #hand(read: () => Promise<Inbound | PlatformChange | null>): Promise<void> {
    const { log, receive, signal } = this.#parts;
    const heard = await read().catch((error: unknown) => {
      log.warn({ error: errorMessage(error) }, "an odd event was left out");
      return null;
    });
    if (heard && !signal.aborted) await receive(heard);
  }

  /** Reads again what was said in a room while nobody listened, before anything that is said there now. */
  #catchUp(room: string, isDirect: boolean, find: () => Promise<Gap | null>): void {
    const { queues, cursors } = this.#parts;
    const mark = cursors.watermark();
    if (mark !== null) cursors.begin(mark);
    queues.enqueue(room, async () => {
      const gap = await find();
      if (gap) await this.#oneOfFew(() => this.#hearMissed(gap, isDirect));
      if (mark !== null) cursors.end(mark);
    });
  }

  async #hearMissed(gap: Gap, isDirect: boolean): Promise<void> {
    const { api, settings, cursors, signal, log } = this.#parts;
    const { room } = gap;
    try {
      const missed = await fetchMissed(api, gap, { limit: settings.catchUpLimit, signal });
      for (const message of missed) {
        const id = idOf(message["id"]);
        await this.#hand(() => this.#read(message, room, true));
        if (id !== null) cursors.note(room, id, isDirect);
      }
      if (missed.length > 0) log.info({ room, messages: missed.length }, "read what was said while nobody listened");
    } catch (error) {
      if (!isRefused(error)) throw error;
      log.debug({ room, error: errorMessage(error) }, "what was said there meanwhile cannot be read");
    }
  }

  async #oneOfFew(work: () => Promise<void>): Promise<void> {
    while (this.#catchUps >= catchUpsAtOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#catchUps += 1;
    try {
      await work();
    } finally {
      this.#catchUps -= 1;
      this.#waiting.shift()?.();
    }
  }
}

const categoryType = 4;
