import type { Clock, Log } from "@troupe/core";
import { type DiscordApi, debugFailure } from "./api.ts";

/** A command or a press that may still be answered by its token. */
export type OpenInteraction = {
  readonly id: string;
  readonly token: string;
  /** A command is answered in its own place; a press by a message that answers the one with the buttons. */
  readonly kind: "command" | "component";
  readonly sourceMessageId: string | null;
  /** Whether Discord took the first acknowledgement. */
  readonly isAcknowledged: Promise<boolean>;
  /** The delivery that became its answer. */
  answeredBy: string | null;
};

/** The interactions of the last quarter of an hour; after a restart there are none, and answers are plain messages. */
export type Interactions = {
  /** Puts the answer off, at once: Discord waits for 3 s. */
  defer(interaction: Pick<OpenInteraction, "id" | "token" | "kind" | "sourceMessageId">): void;
  find(id: string): OpenInteraction | null;
  /** The token by which a message of ours that answers a command can be changed. */
  tokenOf(messageId: string): string | null;
  own(messageId: string, token: string): void;
};

/** Discord's tokens are good for 15 minutes. @see https://discord.com/developers/docs/interactions/receiving-and-responding#followup-messages */
const tokenTtlMs = 14.5 * 60 * 1000;

const deferReply = 5;
const deferUpdate = 6;

/** Makes an empty list of them. */
export function createInteractions(parts: {
  readonly api: DiscordApi;
  readonly applicationId: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Interactions {
  const { api, applicationId, clock, log, signal } = parts;
  const open = new Map<string, OpenInteraction>();
  const owned = new Map<string, string>();

  const acknowledge = async ({ id, token, kind }: Pick<OpenInteraction, "id" | "token" | "kind">): Promise<boolean> => {
    try {
      const body = { type: kind === "command" ? deferReply : deferUpdate };
      await api.request({ method: "POST", route: `/interactions/${id}/${token}/callback`, body, isRepeatable: true });
      return true;
    } catch (error) {
      debugFailure(log, "acknowledging an interaction")(error);
      return false;
    }
  };

  /** Nobody answered: what says "thinking" is taken away. */
  const expire = async (interaction: OpenInteraction): Promise<void> => {
    await clock.sleep(tokenTtlMs, signal);
    open.delete(interaction.id);
    for (const [messageId, token] of owned) if (token === interaction.token) owned.delete(messageId);
    if (interaction.kind !== "command" || interaction.answeredBy !== null) return;
    if (!(await interaction.isAcknowledged)) return;
    const route = `/webhooks/${applicationId}/${interaction.token}/messages/@original` as const;
    await api.request({ method: "DELETE", route, isRepeatable: true });
  };

  return {
    defer(given) {
      const interaction: OpenInteraction = { ...given, isAcknowledged: acknowledge(given), answeredBy: null };
      open.set(given.id, interaction);
      expire(interaction).catch((error: unknown) => {
        if (!signal.aborted) debugFailure(log, "taking back an unanswered reply")(error);
      });
    },
    find: (id) => open.get(id) ?? null,
    tokenOf: (messageId) => owned.get(messageId) ?? null,
    own: (messageId, token) => void owned.set(messageId, token),
  };
}
