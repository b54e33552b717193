import { type Character, platformSettings } from "../character/character.ts";
import type { OfferedChoice } from "../choice/choice.ts";
import type { Client } from "../client/client.ts";
import type { Clock } from "../clock.ts";
import { contextAccount, contextPlatform } from "../context/context-client.ts";
import { TroupeError } from "../errors.ts";
import type { Log } from "../log.ts";
import { roomIdOf } from "../memory/message-id.ts";
import type { Delivery, DeliveryRow } from "../outbox/delivery.ts";
import type { Room } from "../room/room.ts";
import type { Store } from "../store/store.ts";
import type { Planning } from "../task/planning.ts";
import { type ApprovalSettings, needsApproval, readApproval } from "./approval-rules.ts";
import { guardClient } from "./guard-client.ts";
import { editOf, isApproved, settleApproval, yes } from "./settle-approval.ts";

/** What approvals work with. */
export type ApprovalParts = {
  readonly agentId: string;
  readonly character: Character;
  readonly store: Store;
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly log: Log;
};

/**
 * People's yes before something goes out. A delivery that needs one is held, and a person is asked once, durably, for all pieces
 * of a text together. Yes: it is sent, in the words of the answer's note if there is one. No, no answer in time, a question that
 * cannot be asked: it is not sent.
 */
export type Approvals = {
  /** The client with a guard before its sends; the client itself where nothing on its platform needs a yes. @throws ConfigError */
  guard(client: Client): Client;
  /** From now on people can be asked. */
  begin(planning: Planning): void;
  /** Nobody is asked any more; what was under way goes on at the next start. */
  end(): void;
};

/** How a delivery stands. */
export type Standing =
  | { readonly type: "approved"; readonly delivery: Delivery }
  | { readonly type: "waiting" }
  | { readonly type: "refused"; readonly error: string };

const kind = "approval";

/** Approvals of one agent. */
export function createApprovals(parts: ApprovalParts): Approvals {
  const { agentId, character, store, log } = parts;
  const clients: Client[] = [];
  const ending = new AbortController();
  let planning: Planning | null = null;

  const planningNow = (): Planning => {
    if (planning) return planning;
    throw new TroupeError("unavailable", "A person cannot be asked yet: the agent is still starting.");
  };

  /** Every piece of the text a delivery belongs to, in order. */
  const piecesOf = async ({ key, runId }: Delivery): Promise<readonly DeliveryRow[]> => {
    const beginning = key.slice(0, key.lastIndexOf("/") + 1);
    const rows = await store.outbox.list(agentId, { runId, limit: 1_000 });
    return rows
      .filter(({ delivery }) => delivery.key.startsWith(beginning))
      .toSorted((a, b) => pieceOf(a) - pieceOf(b));
  };

  const standing = async (delivery: Delivery, client: Client, settings: ApprovalSettings): Promise<Standing> => {
    const { choices } = planningNow();
    const id = choiceId(delivery);
    const known = await choices.get(id);
    const rows = await piecesOf(delivery);
    const choice = known ?? (await choices.offer(await offerFor({ id, delivery, rows, settings })));
    if (choice.state === "open") return { type: "waiting" };
    if (!isApproved(choice)) return { type: "refused", error: refusalOf(choice) };
    const edited = editOf(choice, delivery, { pieces: rows, client });
    return edited === null
      ? { type: "refused", error: "The approver's words leave no room for it." }
      : { type: "approved", delivery: edited };
  };

  type Offering = {
    readonly id: string;
    readonly delivery: Delivery;
    readonly rows: readonly DeliveryRow[];
    readonly settings: ApprovalSettings;
  };

  const offerFor = async ({ id, delivery, rows, settings }: Offering) => ({
    ...{ id, kind, roomId: await roomFor(settings), text: questionOf(character, delivery, rows) },
    options: [
      { value: yes, label: "Yes, send it" },
      { value: "no", label: "No" },
    ],
    payload: { keys: rows.length === 0 ? [delivery.key] : rows.map((row) => row.delivery.key) },
  });

  /** Where a person is asked: the room that is configured and known, else one of the agent's own, which only commands look into. */
  const roomFor = async ({ place }: ApprovalSettings): Promise<string> => {
    const account = clients.find(({ platform }) => platform === place?.platform)?.account;
    const id = place && account !== undefined ? roomIdOf(place.platform, account, place.room) : null;
    if (id !== null && (await store.rooms.room(agentId, id))) return id;
    if (place)
      log.warn({ platform: place.platform }, "the room for approvals is not known yet; say something there once");
    await store.admin.write(agentId, [{ type: "room.put", room: ownRoom }]);
    return ownRoom.id;
  };

  const clientFor = (platform: string, account: string): Client | null =>
    clients.find((client) => client.platform === platform && client.account === account) ?? null;

  return {
    guard(client) {
      const settings = readApproval(client.platform, platformSettings(character, client.platform));
      const guarded =
        settings.rule === "none"
          ? client
          : guardClient(client, {
              needs: (delivery) => needsApproval(settings.rule, delivery),
              standing: (delivery) => standing(delivery, client, settings),
            });
      clients.push(guarded);
      return guarded;
    },
    begin(given) {
      planning = given;
      const settling = { ...parts, clientFor, piecesOf, signal: ending.signal };
      given.addChoiceWorker(kind, (choice) => settleApproval(choice, settling), "troupe");
    },
    end: () => ending.abort(new TroupeError("aborted", "the agent stops")),
  };
}

/** The room of approvals that are asked for nowhere else. */
const ownRoom: Room = {
  id: roomIdOf(contextPlatform, contextAccount, "approvals"),
  platform: contextPlatform,
  account: contextAccount,
  platformId: "approvals",
  channelType: "dm",
  name: "Approvals",
};

function choiceId({ key }: Delivery): string {
  return `approval/${key.slice(0, key.lastIndexOf("/"))}`;
}

function pieceOf({ delivery: { key } }: DeliveryRow): number {
  return Number(key.slice(key.lastIndexOf("/") + 1));
}

function refusalOf({ state }: OfferedChoice): string {
  switch (state) {
    case "answered":
      return "A person said no to it.";
    case "expired":
      return "Nobody agreed to it in time.";
    case "withdrawn":
    case "open":
      return "The question about it was taken back.";
  }
}

const longestShown = 3_500;

function questionOf({ name }: Character, delivery: Delivery, rows: readonly DeliveryRow[]): string {
  const { kind: what, platform, replyToPlatformId, content } = delivery;
  const texts = rows.length === 0 ? [content.text] : rows.map((row) => row.delivery.content.text);
  const about = replyToPlatformId === undefined ? "" : ` (about ${replyToPlatformId})`;
  const text = texts.filter((one) => one !== "").join("\n\n");
  const shown = text.length > longestShown ? `${text.slice(0, longestShown).toWellFormed()}…` : text;
  const verb = what === "message" ? "say this" : text === "" ? what : `${what} with this`;
  return `May ${name} ${verb} on ${platform}?${about}${shown === "" ? "" : `\n\n${shown}`}`;
}
