import type { ActionCall, ActionResult, RegisteredAction } from "../action/action.ts";
import type { Clock } from "../clock.ts";
import type { RecallSettings } from "../recall/recall-settings.ts";
import { escapeName } from "../state/escape.ts";
import type { RoomRow, Store } from "../store/store.ts";
import type { Fact } from "./fact.ts";
import { audienceOf, factsOf } from "./facts-provider.ts";
import { accountsOf } from "./person.ts";
import { relationLines } from "./relationships-provider.ts";
import { formerLine, toVersions, type Version, versionLine } from "./tell-facts.ts";
import { type Audience, mayTell } from "./visible-facts.ts";

/** What telling people what is kept about them needs. */
export type KnowParts = {
  readonly agentId: string;
  readonly store: Pick<Store, "memories" | "rooms" | "relationships">;
  readonly settings: RecallSettings;
  readonly clock: Pick<Clock, "now">;
};

const mostLines = 60;

/** WHAT_DO_YOU_KNOW: tells who asks what is kept about them, with who said it, where and when. */
export function createWhatDoYouKnow(parts: KnowParts): RegisteredAction {
  return {
    name: "WHAT_DO_YOU_KNOW",
    similes: ["SHOW_MEMORY", "WHAT_IS_KEPT"],
    description:
      "List everything that is kept about the person who speaks, with sources and dates, when they ask for that list.",
    command: "whatdoyouknow",
    policy: { idempotent: true },
    run: (call) => tell(call, parts),
  };
}

async function tell({ message, room }: ActionCall, parts: KnowParts): Promise<ActionResult> {
  const { agentId, store, settings, clock } = parts;
  const accounts = await accountsOf(message.entityId, { agentId, relationships: store.relationships });
  const [facts, audience, relations] = await Promise.all([
    factsOf(accounts, parts),
    audienceOf(room, accounts, parts),
    relationLines(message.entityId, message.roomId, { agentId, store, scope: settings.scope }),
  ]);
  const told = facts.filter((fact) => mayShow(fact, audience));
  const [self] = accounts;
  const { current, former } = toVersions(told, clock.now(), (id) => (accounts.includes(id) ? (self ?? id) : id));
  const places = await sourcesOf(told, parts);
  const lines = [
    ...current.map((version) => `- ${versionLine(version)} [${source(version, { places, accounts })}]`),
    ...former.map((fact) => `- ${formerLine(fact)} [${source({ fact }, { places, accounts })}]`),
    ...relations.map((line) => `- ${line}`),
  ];
  const head = lines.length === 0 ? "I have noted nothing about you here." : "This is what I have noted about you:";
  const cut = lines.length > mostLines ? [`… and ${lines.length - mostLines} more.`] : [];
  const text = [head, ...lines.slice(0, mostLines), ...cut, ...remarks({ facts, told, accounts, room })].join("\n");
  return { success: true, text, data: { facts: told.map(({ id }) => id) } };
}

/** In their own direct messages people see everything about them but what others confided. */
function mayShow(fact: Fact, audience: Audience): boolean {
  if (audience.room.room.channelType !== "dm") return mayTell(fact, audience);
  return mayTell(fact, audience) || !fact.isPrivate;
}

function remarks(about: {
  readonly facts: readonly Fact[];
  readonly told: readonly Fact[];
  readonly accounts: readonly string[];
  readonly room: RoomRow;
}): readonly string[] {
  const { facts, told, accounts, room } = about;
  const isDirect = room.room.channelType === "dm";
  const hidden = facts.length - told.length;
  return [
    ...(accounts.length > 1 ? [`You have linked ${accounts.length} accounts; this covers all of them.`] : []),
    ...(hidden > 0 && isDirect ? [`${hidden} more came from others' direct messages to me and are not shown.`] : []),
    ...(hidden > 0 && !isDirect ? ["There is more that is not for this room; ask me in a direct message."] : []),
    "Beside it I keep the messages of our conversations. /forget removes all of it.",
  ];
}

type Sources = {
  readonly rooms: ReadonlyMap<string, RoomRow>;
  readonly names: ReadonlyMap<string, string>;
};

async function sourcesOf(facts: readonly Fact[], { agentId, store }: KnowParts): Promise<Sources> {
  const roomIds = [...new Set(facts.map(({ roomId }) => roomId))];
  const [rows, people] = await Promise.all([
    Promise.all(roomIds.map((id) => store.rooms.room(agentId, id))),
    store.rooms.entities(agentId, [...new Set(facts.map(({ saidById }) => saidById))]),
  ]);
  return {
    rooms: new Map(rows.flatMap((row) => (row ? [[row.room.id, row] as const] : []))),
    names: new Map(people.map(({ id, name }) => [id, escapeName(name)])),
  };
}

/** `you said so on 2026-05-12 on telegram, twice`. */
function source(
  { fact }: Pick<Version, "fact">,
  { places, accounts }: { readonly places: Sources; readonly accounts: readonly string[] },
): string {
  const row = places.rooms.get(fact.roomId);
  const who = accounts.includes(fact.saidById) ? "you" : (places.names.get(fact.saidById) ?? "somebody");
  const day = new Date(fact.createdAt).toISOString().slice(0, 10);
  const isNamed = row && row.room.channelType !== "dm" && row.room.name !== undefined;
  const where = row ? `, ${isNamed ? `${escapeName(row.room.name ?? "")} on ` : ""}${row.room.platform}` : "";
  const often = fact.times > 1 ? `, ${fact.times} times` : "";
  return `${who} said so on ${day}${where}${often}`;
}
