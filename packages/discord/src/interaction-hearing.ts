import type { ClientState, Command, Log, Receive } from "@troupe/core";
import { type DiscordApi, debugFailure } from "./api.ts";
import { pressedChoice } from "./choices.ts";
import { readCommand, toCommandInbound, toSuggestions } from "./commands.ts";
import type { Hearer } from "./inbound.ts";
import type { Interactions } from "./interactions.ts";
import { idOf, numberOf, type Raw, recordOf, textOf } from "./read.ts";
import type { RoomQueues } from "./room-queues.ts";
import type { Surroundings } from "./surroundings.ts";

/** What hearing commands and presses needs. */
export type InteractionHearingParts = {
  readonly hearer: Hearer;
  readonly api: DiscordApi;
  readonly interactions: Interactions;
  readonly queues: RoomQueues;
  readonly surroundings: Surroundings;
  readonly state: ClientState;
  readonly commands: () => readonly Command[];
  readonly receive: Receive;
  readonly log: Log;
  readonly signal: AbortSignal;
};

const types = { command: 2, component: 3, autocomplete: 4 } as const;

/** Hears commands and presses: each is acknowledged at once, whatever else waits, and then handed over in its room's order. */
export function createInteractionHearing(parts: InteractionHearingParts): (data: Raw) => void {
  return (data) => {
    const id = idOf(data["id"]);
    const token = textOf(data["token"]);
    const channel = recordOf(data["channel"]);
    const room = idOf(data["channel_id"]) ?? idOf(channel["id"]);
    if (id === null || token === null || room === null) return;
    const interaction = { id, token, room };
    const type = numberOf(data["type"]);
    if (type === types.command) hearCommand(data, interaction, parts);
    if (type === types.component) hearPress(data, interaction, parts);
    if (type === types.autocomplete) void suggest(data, interaction, parts);
  };
}

type Begun = { readonly id: string; readonly token: string; readonly room: string };

function hearCommand(data: Raw, { id, token, room }: Begun, parts: InteractionHearingParts): void {
  const called = readCommand(recordOf(data["data"]), parts.commands());
  if (!called) return;
  parts.interactions.defer({ id, token, kind: "command", sourceMessageId: null });
  parts.queues.enqueue(room, async () => {
    const around = await parts.surroundings.of(room, { ...data, channel_type: recordOf(data["channel"])["type"] });
    const inbound = toCommandInbound(data, called, parts.hearer, around);
    if (inbound && !parts.signal.aborted) await parts.receive(inbound);
  });
}

function hearPress(data: Raw, { id, token, room }: Begun, parts: InteractionHearingParts): void {
  const message = recordOf(data["message"]);
  const pressed = pressedChoice({ data: recordOf(data["data"]), message });
  if (!pressed) return;
  parts.interactions.defer({ id, token, kind: "component", sourceMessageId: idOf(message["id"]) });
  parts.queues.enqueue(room, async () => {
    const { key, label } = pressed;
    const value = key.startsWith("=") ? key.slice(1) : await parts.state.get(`choice:${key}`);
    if (value === null) return parts.log.warn({ room }, "a button was pressed whose meaning is not kept any more");
    const around = await parts.surroundings.of(room, { ...data, channel_type: recordOf(data["channel"])["type"] });
    const called = { name: "choose", parameters: { value }, text: label ?? value };
    const inbound = toCommandInbound(data, called, parts.hearer, around);
    if (inbound && !parts.signal.aborted) await parts.receive(inbound);
  });
}

const suggestions = 8;

async function suggest(
  data: Raw,
  { id, token }: Begun,
  { api, commands, log }: InteractionHearingParts,
): Promise<void> {
  const choices = toSuggestions(recordOf(data["data"]), commands());
  await api
    .request({
      method: "POST",
      route: `/interactions/${id}/${token}/callback`,
      body: { type: suggestions, data: { choices } },
      isRepeatable: false,
    })
    .catch(debugFailure(log, "suggesting values"));
}
