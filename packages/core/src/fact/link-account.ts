import type { ActionCall, ActionResult, RegisteredAction } from "../action/action.ts";
import type { Clock } from "../clock.ts";
import type { Store } from "../store/store.ts";
import type { Write } from "../store/writes.ts";
import { accountsOf, samePersonTag } from "./person.ts";

/** What linking accounts needs. */
export type LinkParts = {
  readonly agentId: string;
  readonly store: Pick<Store, "keyValues" | "relationships" | "rooms" | "admin">;
  readonly clock: Pick<Clock, "now">;
  /** A code nobody can guess: {@link newLinkCode}. */
  readonly newCode: () => string;
};

const codesNamespace = "link-account";
const triesNamespace = "link-account-tries";
const validMs = 15 * 60_000;
/** Wrong codes one account may give while a code is valid. */
const mostTries = 5;
/** Without letters and digits that look alike. */
const codeLetters = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const codeLength = 8;

/** Eight letters and digits, some forty bits of chance. */
export function newLinkCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(codeLength * 4));
  // A byte that would favour some letters is passed over.
  const even = [...bytes].filter((byte) => byte < codeLetters.length * Math.floor(256 / codeLetters.length));
  const letters = even.map((byte) => codeLetters.charAt(byte % codeLetters.length)).slice(0, codeLength);
  return letters.length === codeLength ? letters.join("") : newLinkCode();
}

/** LINK_ACCOUNT and UNLINK_ACCOUNT: one person says, from both sides, that two accounts are theirs; and takes it back. */
export function linkActions(parts: LinkParts): readonly RegisteredAction[] {
  return [
    {
      name: "LINK_ACCOUNT",
      similes: ["LINK_ACCOUNTS", "CONNECT_ACCOUNT"],
      description: "Link the account of who speaks with another account of theirs: gives a code, or takes one.",
      command: "link",
      parameters: [
        {
          name: "code",
          description: "The code that was given to the other account; none to be given one",
          schema: { type: "string" },
        },
      ],
      validate: async ({ room }) => isDirect(room),
      run: (call) => link(call, parts),
    },
    {
      name: "UNLINK_ACCOUNT",
      similes: ["UNLINK_ACCOUNTS", "DISCONNECT_ACCOUNT"],
      description: "Take back that the account of who speaks is linked with others.",
      command: "unlink",
      policy: { idempotent: true },
      validate: async ({ room }) => isDirect(room),
      run: (call) => unlink(call, parts),
    },
  ];
}

function isDirect({ room }: ActionCall["room"]): { readonly pass: boolean; readonly reason?: string } {
  if (room.channelType === "dm") return { pass: true };
  return { pass: false, reason: "accounts are linked in direct messages only; write to me there." };
}

const refused = (error: string): ActionResult => ({ success: false, error });

async function link(call: ActionCall, parts: LinkParts): Promise<ActionResult> {
  const given = call.parameters["code"];
  const code = typeof given === "string" ? given.toUpperCase().replace(/[^A-Z0-9]/gu, "") : "";
  return code === "" ? offer(call, parts) : confirm(call, code, parts);
}

async function offer({ message }: ActionCall, parts: LinkParts): Promise<ActionResult> {
  const { agentId, store, clock, newCode } = parts;
  const code = newCode();
  const expiresAt = clock.now() + validMs;
  await store.keyValues.set(agentId, codesNamespace, code, { value: message.entityId, expiresAt });
  const text = `Your code is ${code}. Send me /link ${code} from your other account within 15 minutes, in a direct message. \
Give it to nobody: whoever sends it counts as you from then on.`;
  return { success: true, text };
}

async function confirm({ message }: ActionCall, code: string, parts: LinkParts): Promise<ActionResult> {
  const { agentId, store, clock } = parts;
  const { entityId } = message;
  const tried = await store.keyValues.get(agentId, triesNamespace, entityId);
  if (Number(tried?.value ?? 0) >= mostTries) {
    return refused("That were too many wrong codes; wait a quarter of an hour and try again with a new one.");
  }
  const found = await store.keyValues.get(agentId, codesNamespace, code);
  if (!found) {
    const expiresAt = clock.now() + validMs;
    await store.keyValues.increment(agentId, triesNamespace, entityId, { amount: 1, expiresAt });
    return refused("I know no such code, or it is too old. Send /link from your other account for a new one.");
  }
  const other = found.value;
  if (other === entityId) return refused("Send the code from your other account, not from this one.");
  // Whoever takes the code away is the one it is for; a second time it is gone.
  if (!(await store.keyValues.delete(agentId, codesNamespace, code))) return refused("That code was used just now.");
  await store.admin.write(agentId, [
    await tagged(entityId, other, { parts, isLinked: true }),
    await tagged(other, entityId, { parts, isLinked: true }),
  ]);
  const [person] = await store.rooms.entities(agentId, [other]);
  const name = person ? `${person.name} on ${person.platform}` : "your other account";
  return { success: true, text: `From now on this account and ${name} are one person to me. /unlink takes that back.` };
}

async function unlink({ message }: ActionCall, parts: LinkParts): Promise<ActionResult> {
  const { agentId, store } = parts;
  const accounts = await accountsOf(message.entityId, { agentId, relationships: store.relationships });
  const others = accounts.filter((id) => id !== message.entityId);
  if (others.length === 0) return refused("This account is linked with no other.");
  const pairs = others.flatMap((id) => [[message.entityId, id] as const, [id, message.entityId] as const]);
  const writes = await Promise.all(pairs.map(([from, to]) => tagged(from, to, { parts, isLinked: false })));
  await store.admin.write(agentId, writes);
  return { success: true, text: "This account stands alone again." };
}

/** The row from one account to the other with, or without, the tag; one without any tag goes. */
async function tagged(
  fromId: string,
  toId: string,
  { parts, isLinked }: { readonly parts: LinkParts; readonly isLinked: boolean },
): Promise<Write> {
  const { agentId, store, clock } = parts;
  const rows = await store.relationships.of(agentId, fromId);
  const kept = rows.find((row) => row.fromId === fromId && row.toId === toId);
  const others = (kept?.tags ?? []).filter((tag) => tag !== samePersonTag);
  const tags = isLinked ? [...others, samePersonTag].toSorted() : others;
  if (tags.length === 0) return { type: "relationship.remove", fromId, toId };
  return { type: "relationship.put", relationship: { ...kept, fromId, toId, tags, updatedAt: clock.now() } };
}
