import type { OfferedChoice } from "../choice/choice.ts";
import type { Client } from "../client/client.ts";
import type { Delivery, DeliveryRow } from "../outbox/delivery.ts";
import { type ResendParts, resendDelivery, settleDelivery } from "../outbox/resend.ts";
import { splitText } from "../outbox/split-text.ts";
import type { Store } from "../store/store.ts";

/** What ending an approval works with. */
export type SettlingParts = Omit<ResendParts, "maxAgeMs" | "store"> & {
  readonly agentId: string;
  readonly store: Pick<Store, "outbox" | "journal" | "admin">;
  /** Every piece of the text a delivery belongs to, in order. */
  readonly piecesOf: (delivery: Delivery) => Promise<readonly DeliveryRow[]>;
};

/** The value of the option that says yes. */
export const yes = "yes";

const deliveryMaxAgeMs = 3_600_000;

/** Whether somebody said yes. */
export function isApproved({ state, answer }: OfferedChoice): boolean {
  return state === "answered" && answer?.value === yes;
}

/**
 * Sends what was agreed to, piece by piece, and drops everything else; what is to be told to whoever decided. A second time it does
 * what is left. @throws TroupeError `conflict` while the run of a piece is not over: it is tried again.
 */
export async function settleApproval(choice: OfferedChoice, parts: SettlingParts): Promise<string | undefined> {
  const { keys } = choice.payload;
  const wanted = Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [];
  const isYes = isApproved(choice);
  const problems: string[] = [];
  for (const key of wanted) {
    const row = await parts.store.outbox.get(parts.agentId, key);
    if (!row || row.state === "sent") continue;
    const problem = isYes ? await send(row, choice, parts) : await drop(row, parts);
    if (problem !== null) problems.push(problem);
  }
  if (choice.state === "expired") return undefined;
  if (problems.length > 0) return `Not sent: ${problems[0]}`;
  return isYes ? "Sent." : "Not sent.";
}

/** Sends a piece outside its run, in the approver's words; null when it was sent, or none of them are left for it. */
async function send(row: DeliveryRow, choice: OfferedChoice, parts: SettlingParts): Promise<string | null> {
  const { agentId, store, clientFor } = parts;
  const { key, platform, account, content } = row.delivery;
  const client = clientFor(platform, account);
  const pieces = await parts.piecesOf(row.delivery);
  const edited = client ? editOf(choice, row.delivery, { pieces, client }) : row.delivery;
  if (edited === null) {
    await drop(row, parts);
    return pieces[0]?.delivery.key === key ? "the words are too long for it." : null;
  }
  if (edited.content.text !== content.text) {
    await store.admin.write(agentId, [{ type: "delivery.set", key, state: row.state, text: edited.content.text }]);
  }
  const receipt = await resendDelivery(agentId, key, { ...parts, maxAgeMs: deliveryMaxAgeMs });
  return receipt.state === "sent" ? null : (receipt.error ?? "nobody knows whether it arrived.");
}

async function drop({ delivery }: DeliveryRow, { agentId, store, clock }: SettlingParts): Promise<null> {
  await settleDelivery(agentId, delivery.key, { type: "drop" }, { store, clock });
  return null;
}

/** A delivery in the approver's words; null when they leave nothing for this piece, or need more pieces than there are. */
export function editOf(
  { answer }: OfferedChoice,
  delivery: Delivery,
  text: { readonly pieces: readonly DeliveryRow[]; readonly client: Pick<Client, "limits"> },
): Delivery | null {
  if (answer?.note === undefined || delivery.content.text === "") return delivery;
  const { limits } = text.client;
  const words = splitText(answer.note, limits, { isNumbered: limits.isNumbered === true });
  const at = text.pieces.findIndex((row) => row.delivery.key === delivery.key);
  const own = words.length > Math.max(1, text.pieces.length) ? undefined : words[Math.max(0, at)];
  return own === undefined ? null : { ...delivery, content: { ...delivery.content, text: own } };
}
