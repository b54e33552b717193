import { isObject } from "../action/json-kind.ts";
import { normalizeActionName } from "../action/resolve-action.ts";
import type { Clock } from "../clock.ts";
import { isChange, type PlatformChange } from "../inbox/change.ts";
import type { Inbound } from "../inbox/inbound.ts";
import type { JsonObject } from "../json.ts";
import type { Content } from "../memory/memory.ts";
import type { KeyValues, Memories } from "../store/store.ts";
import { readAsked } from "./asked-setting.ts";
import type { WorldSettings } from "./world-settings.ts";

/** What is open between somebody and the agent: a secret that was asked for. */
type AskedSecret = { readonly worldId: string; readonly roomId: string; readonly name: string };

/**
 * Takes secrets out of what is heard before anything is kept: the conversation, the journal and every prompt know only that one
 * was given. The value waits under the message's id until the command has taken it, an hour at most.
 */
export interface SecretIntake {
  /** What is to be kept of what was heard. */
  hear<Heard extends Inbound | PlatformChange>(heard: Heard): Promise<Heard>;
  /** From now on the person's next direct message is the value. */
  ask(entityId: string, asked: AskedSecret): Promise<void>;
  /** What was asked of somebody. */
  asked(entityId: string): Promise<AskedSecret | null>;
  /** The value that came with a message. */
  given(memoryId: string): Promise<string | null>;
  /** It is kept, or refused: nothing more is known of it here. */
  forget(entityId: string, memoryId: string): Promise<void>;
}

/** What taking secrets needs. */
export type SecretIntakeParts = {
  readonly agentId: string;
  readonly keyValues: Pick<KeyValues, "get" | "set" | "delete">;
  readonly memories: Pick<Memories, "get">;
  readonly clock: Pick<Clock, "now">;
  readonly settings: Pick<WorldSettings, "hasSecrets" | "declared">;
};

/** Stands for a value that was taken out; who writes it himself has given nothing. */
export const takenMark = "(secret taken)";

const askedNamespace = "secret-asked";
const givenNamespace = "secret-given";
const askedMs = 10 * 60_000;
const givenMs = 60 * 60_000;
/** Anything but these is taken for the value. */
const calledOff = /^(?:cancel|stop|never ?mind|abbrechen|annuler|cancelar)[.!]?$/iu;

/** The command under which settings are asked for, and everything it may be called. */
export const settingsCommand = "settings";
export const settingsSimiles = ["SETTINGS", "LIST_SETTINGS"] as const;
export const updateSimiles = ["CHANGE_SETTING", "SET_SETTING"] as const;
const names: ReadonlySet<string> = new Set(
  [settingsCommand, "SHOW_SETTINGS", "UPDATE_SETTING", ...settingsSimiles, ...updateSimiles].map(normalizeActionName),
);

/** Makes it; where nothing secret is declared it costs nothing. */
export function createSecretIntake({ agentId, keyValues, memories, clock, settings }: SecretIntakeParts): SecretIntake {
  const asked = async (entityId: string): Promise<AskedSecret | null> => {
    const kept = await keyValues.get(agentId, askedNamespace, entityId);
    return kept ? readAskedSecret(kept.value) : null;
  };
  const take = async (inbound: Inbound, name: string, value: string): Promise<Inbound> => {
    const expiresAt = clock.now() + givenMs;
    await keyValues.set(agentId, givenNamespace, inbound.memory.id, { value, expiresAt });
    return withoutSecret(inbound, name);
  };
  const hearMessage = async (inbound: Inbound): Promise<Inbound> => {
    const { content } = inbound.memory;
    const { command, text } = content;
    if (command) {
      const said = names.has(normalizeActionName(command.name))
        ? readAsked(command.parameters, settings.declared())
        : null;
      if (said?.setting?.secret !== true || typeof said.value !== "string" || said.value === takenMark) return inbound;
      return take(inbound, said.setting.name, said.value);
    }
    if (inbound.room.channelType !== "dm" || text.trim() === "") return inbound;
    const open = await asked(inbound.entity.id);
    if (!open) return inbound;
    if (!calledOff.test(text.trim())) return take(inbound, open.name, text.trim());
    await keyValues.delete(agentId, askedNamespace, inbound.entity.id);
    return inbound;
  };
  return {
    asked,
    async hear(heard) {
      if (!settings.hasSecrets()) return heard;
      if (!isChange(heard)) return { ...heard, ...(await hearMessage(heard)) };
      if (heard.kind !== "edited") return heard;
      const [before] = await memories.get(agentId, [heard.memoryId]);
      // What was taken out once is not brought back by correcting it.
      return before?.metadata?.["secretTaken"] === true ? { ...heard, content: before.content } : heard;
    },
    async ask(entityId, open) {
      const expiresAt = clock.now() + askedMs;
      await keyValues.set(agentId, askedNamespace, entityId, { value: JSON.stringify(open), expiresAt });
    },
    given: async (memoryId) => (await keyValues.get(agentId, givenNamespace, memoryId))?.value ?? null,
    async forget(entityId, memoryId) {
      await keyValues.delete(agentId, askedNamespace, entityId);
      await keyValues.delete(agentId, givenNamespace, memoryId);
    },
  };
}

function withoutSecret(inbound: Inbound, name: string): Inbound {
  const { memory } = inbound;
  const { source, channelType, mentionContext } = memory.content;
  const parameters: JsonObject = { name, value: takenMark };
  const content: Content = {
    text: `/${settingsCommand} ${name} ${takenMark}`,
    command: { name: settingsCommand, parameters },
    ...(source !== undefined && { source }),
    ...(channelType && { channelType }),
    ...(mentionContext && { mentionContext }),
  };
  return {
    ...inbound,
    kind: "command",
    memory: { ...memory, content, metadata: { ...memory.metadata, secretTaken: true } },
  };
}

function readAskedSecret(value: string): AskedSecret | null {
  const kept: unknown = JSON.parse(value);
  if (!isObject(kept)) return null;
  const { worldId, roomId, name } = kept;
  return typeof worldId === "string" && typeof roomId === "string" && typeof name === "string"
    ? { worldId, roomId, name }
    : null;
}
