import type { RegisteredAction } from "../action/action.ts";
import type { Roles } from "../basic/roles.ts";
import type { Character } from "../character/character.ts";
import type { Clock } from "../clock.ts";
import type { PlatformChange } from "../inbox/change.ts";
import type { Inbound } from "../inbox/inbound.ts";
import type { RegisteredProvider } from "../state/provider.ts";
import type { Store } from "../store/store.ts";
import { toldInbound } from "../task/told.ts";
import { createLeaders } from "./leaders.ts";
import { createSecretIntake } from "./secret-intake.ts";
import { createSettingsActions } from "./settings-actions.ts";
import { createSettingsProvider } from "./settings-provider.ts";
import { createWorldSettings, type WorldSettings } from "./world-settings.ts";

/** What every agent can do about the servers it is in. */
export type Worlds = {
  readonly settings: WorldSettings;
  readonly actions: readonly RegisteredAction[];
  readonly providers: readonly RegisteredProvider[];
  /** What is to be kept of what was heard: secrets are taken out, and what is set moves with rooms and servers. */
  hear<Heard extends Inbound | PlatformChange>(heard: Heard): Promise<Heard>;
  /** What is to be said in a room into which the agent was taken, once; null: nothing, unless the character says so. */
  greetingFor(change: PlatformChange): Promise<Inbound | null>;
};

/** What it is made of. */
export type WorldsParts = {
  readonly agentId: string;
  readonly character: Character;
  readonly store: Pick<Store, "keyValues" | "rooms" | "memories">;
  readonly clock: Pick<Clock, "now">;
  readonly roles: Roles;
  /** What is registered now. */
  readonly actions: () => readonly RegisteredAction[];
};

/** Settings of servers, changed in conversation by those who lead them. */
export function createWorlds({ agentId, character, store, clock, roles, actions }: WorldsParts): Worlds {
  const { keyValues, rooms, memories } = store;
  const settings = createWorldSettings({ agentId, character, keyValues });
  const leaders = createLeaders({ agentId, roles, keyValues, rooms });
  const secrets = createSecretIntake({ agentId, keyValues, memories, clock, settings });
  return {
    settings,
    actions: createSettingsActions({ settings, leaders, secrets, actions }),
    providers: [createSettingsProvider({ settings, leaders })],
    async hear(heard) {
      if (heard.kind === "moved") await follow(heard);
      return secrets.hear(heard);
    },
    async greetingFor(change) {
      const text = character.settings.joinMessage?.trim() ?? "";
      if (text === "" || change.kind !== "joined" || !change.isAgent || !change.room) return null;
      const { id: roomId, channelType } = change.room;
      if (channelType === "dm") return null;
      return toldInbound({ text }, { agentId, roomId, eventId: `joined/${roomId}`, at: clock.now() }, { rooms });
    },
  };

  async function follow({ fromRoomId, room }: Extract<PlatformChange, { kind: "moved" }>): Promise<void> {
    const before = await rooms.room(agentId, fromRoomId);
    if (!before || before.room.id === room.id) return;
    const from = { roomId: fromRoomId, ...(before.room.worldId !== undefined && { worldId: before.room.worldId }) };
    const to = { roomId: room.id, ...(room.worldId !== undefined && { worldId: room.worldId }) };
    await settings.move(from, to);
    if (from.worldId !== undefined && to.worldId !== undefined) await roles.move(from.worldId, to.worldId);
  }
}
