import type { ActionCall, ActionResult, Occasion, RegisteredAction, Verdict } from "../action/action.ts";
import type { PlacedChoice } from "../action/action-filter.ts";
import { unknownChoices } from "../action/action-filter.ts";
import type { ActionParameter } from "../action/parameter.ts";
import type { JsonValue } from "../json.ts";
import { readAsked } from "./asked-setting.ts";
import type { Leaders, LedWorld } from "./leaders.ts";
import { type SecretIntake, settingsCommand, settingsSimiles, takenMark, updateSimiles } from "./secret-intake.ts";
import { describeSettings, inWords } from "./settings-text.ts";
import { type HouseSetting, readSettingValue } from "./world-setting.ts";
import type { WorldSettings } from "./world-settings.ts";

/** What showing and changing settings needs. */
export type SettingsActionParts = {
  readonly settings: WorldSettings;
  readonly leaders: Leaders;
  readonly secrets: SecretIntake;
  /** What is registered now. */
  readonly actions: () => readonly RegisteredAction[];
};

const where: ActionParameter = {
  name: "where",
  description: "For the whole server, or this room only",
  schema: { type: "string", enum: ["server", "room"] },
};
const server: ActionParameter = {
  name: "server",
  description: "Which server, if they lead several",
  schema: { type: "string" },
};

/** SHOW_SETTINGS (`/settings`) and UPDATE_SETTING: owners and admins see and change how the agent behaves in their server. */
export function createSettingsActions(parts: SettingsActionParts): readonly RegisteredAction[] {
  const validate = (occasion: Occasion): Promise<Verdict> => makesSense(occasion, parts);
  return [
    {
      name: "SHOW_SETTINGS",
      similes: [...settingsSimiles],
      description: "Show the settings of this server to its owner or an admin, when they ask for them.",
      command: settingsCommand,
      tags: ["settings"],
      policy: { idempotent: true },
      parameters: [
        { name: "name", description: "One setting, by its name", schema: { type: "string" } },
        { name: "value", description: "Its new value; default takes it back", schema: { type: "string" } },
        where,
        server,
      ],
      validate,
      run: (call) => attend(call, parts),
    },
    {
      name: "UPDATE_SETTING",
      similes: [...updateSimiles],
      description: "Change a setting of this server, when its owner or an admin asks for it.",
      tags: ["settings"],
      policy: { idempotent: true },
      parameters: [
        { name: "name", description: "The setting's name", required: true, schema: { type: "string" } },
        { name: "value", description: "Its new value; default takes it back", schema: { type: "string" } },
        where,
        server,
      ],
      validate,
      run: (call) => attend(call, parts),
    },
  ];
}

/** A model is offered it where a server is, and to those who have looked at the settings of theirs; a command is answered anywhere. */
async function makesSense({ room, message }: Occasion, { leaders }: SettingsActionParts): Promise<Verdict> {
  if (room.world || message.content.command) return { pass: true };
  const hasLed = room.room.channelType === "dm" && (await leaders.known(message.entityId)).length > 0;
  return hasLed ? { pass: true } : { pass: false, reason: "this room belongs to no server, so there are no settings." };
}

const refused = (error: string): ActionResult => ({ success: false, error });

async function attend(call: ActionCall, parts: SettingsActionParts): Promise<ActionResult> {
  const { message, parameters } = call;
  const asked = readAsked(parameters, parts.settings.declared());
  const isTaken = asked.value === takenMark;
  const result = await attendTo(call, { ...asked, isTaken }, parts);
  // Whatever became of it: a value that was taken out waits no longer than its command.
  if (isTaken) await parts.secrets.forget(message.entityId, message.id);
  return result;
}

type Asked = ReturnType<typeof readAsked> & { readonly isTaken: boolean };

async function attendTo(call: ActionCall, asked: Asked, parts: SettingsActionParts): Promise<ActionResult> {
  const { setting, unknownName, value } = asked;
  const led = await findWorld(call, parts);
  if (typeof led === "string") return refused(led);
  await parts.leaders.note(call.message.entityId, led);
  if (unknownName !== undefined) return refused(noSuch(unknownName, parts));
  if (setting?.secret === true) return attendToSecret(call, { setting, led, asked }, parts);
  if (!setting || value === undefined) return show(call, led, setting, parts);
  const roomId = call.parameters["where"] === "room" ? call.room.room.id : undefined;
  if (roomId !== undefined && !call.room.world)
    return refused("Say that in the room itself, or leave it to the server.");
  if (isBack(value)) {
    await parts.settings.set({ world: led.world, ...(roomId !== undefined && { roomId }) }, setting.name, null);
    return { success: true, text: `${setting.name} is the usual again in ${placeName(led, roomId)}.` };
  }
  const read = readSettingValue(setting, value);
  const problem = read.ok ? unknownActions(setting, read.value, parts) : read.problem;
  if (problem !== null || !read.ok) return refused(problem ?? "");
  await parts.settings.set({ world: led.world, ...(roomId !== undefined && { roomId }) }, setting.name, read.value);
  return { success: true, text: `${setting.name} is ${inWords(read.value)} in ${placeName(led, roomId)} now.` };
}

function isBack(value: JsonValue): boolean {
  return typeof value === "string" && /^(?:default|reset|unset)$/iu.test(value.trim());
}

function placeName({ world }: LedWorld, roomId: string | undefined): string {
  return roomId === undefined ? (world.name ?? "this server") : "this room";
}

function noSuch(name: string, { settings }: SettingsActionParts): string {
  const known = settings.declared().map((one) => one.name);
  return `There is no setting ${JSON.stringify(name.slice(0, 60))}. There are: ${known.join(", ")}.`;
}

/** What names neither an action nor a tag would have no effect, or hide everything. */
function unknownActions({ name }: HouseSetting, value: JsonValue, { actions }: SettingsActionParts): string | null {
  if (!name.startsWith("actions.") || !Array.isArray(value)) return null;
  const include = value.filter((one) => typeof one === "string");
  const choice: PlacedChoice = { where: name, choice: { include } };
  const [unknown] = unknownChoices([choice], actions());
  return unknown ? `${unknown.word.slice(0, 60)} is neither an action nor a tag of actions.` : null;
}

/** The server that is meant, led by whoever asks; or a sentence why there is none. */
async function findWorld(call: ActionCall, { leaders, secrets }: SettingsActionParts): Promise<LedWorld | string> {
  const { room, message, parameters } = call;
  if (room.world) {
    const isLed = await leaders.leads(room.world, message.entityId);
    return isLed ? { world: room.world, roomId: room.room.id } : "Only an owner or admin may see and change settings.";
  }
  if (room.room.channelType !== "dm") return "This room belongs to no server, so there are no settings.";
  const known = await leaders.known(message.entityId);
  const all = known.length > 0 && call.isCommand !== true ? known : await leaders.all(message.entityId, room.room);
  const open = parameters["value"] === takenMark ? await secrets.asked(message.entityId) : null;
  const named = typeof parameters["server"] === "string" ? fold(parameters["server"]) : "";
  const meant = all.filter(({ world }) => {
    if (open) return world.id === open.worldId;
    return named === "" || [world.name ?? "", world.platformId, world.id].some((one) => fold(one) === named);
  });
  const [only] = meant;
  if (only && meant.length === 1) return only;
  if (all.length === 0) return "You are owner or admin of no server in which I am.";
  const list = all
    .map(({ world }) => world.name ?? world.platformId)
    .toSorted()
    .join(", ");
  return `Which server? Name one with server: ${list}.`;
}

function fold(text: string): string {
  return text.normalize("NFKC").trim().toLowerCase();
}

async function show(
  { room }: ActionCall,
  { world }: LedWorld,
  setting: HouseSetting | null,
  { settings }: SettingsActionParts,
): Promise<ActionResult> {
  const [values, secretsSet] = await Promise.all([settings.values(world), settings.secretsSet(world)]);
  const shown = setting ? [setting] : settings.declared();
  const lines = describeSettings(shown, { values, secretsSet, ...(room.world && { roomId: room.room.id }) });
  if (setting) return { success: true, text: `${lines.join("\n")}\n${setting.description}` };
  const head = `Settings of ${world.name ?? "this server"}:`;
  const foot = "Change one with its name and value, as in /settings quietHours 22:00-07:00; default takes it back.";
  return { success: true, text: [head, ...lines, foot].join("\n") };
}

type AboutSecret = { readonly setting: HouseSetting; readonly led: LedWorld; readonly asked: Asked };

async function attendToSecret(
  call: ActionCall,
  { setting, led, asked }: AboutSecret,
  { settings, secrets }: SettingsActionParts,
): Promise<ActionResult> {
  const { message, room } = call;
  const { name } = setting;
  if (room.room.channelType !== "dm") {
    const leaked = asked.isTaken
      ? " Delete that message, and do not use this value any more: others have seen it."
      : "";
    return refused(`${name} is a secret: write to me directly and send /settings ${name} there.${leaked}`);
  }
  if (asked.value !== undefined && isBack(asked.value)) {
    await settings.setSecret(led.world, name, null);
    return { success: true, text: `${name} is forgotten.` };
  }
  const given = asked.isTaken ? await secrets.given(message.id) : null;
  if (given === null) {
    await secrets.ask(message.entityId, { worldId: led.world.id, roomId: led.roomId, name });
    const text = `Send me the value of ${name} for ${led.world.name ?? "your server"} as your next message. I keep it out of our conversation and show it to nobody; "cancel" calls it off.`;
    return { success: true, text };
  }
  // "default" was taken out like any value would have been.
  if (isBack(given)) {
    await settings.setSecret(led.world, name, null);
    return { success: true, text: `${name} is forgotten.` };
  }
  const read = readSettingValue(setting, given);
  // The problem could quote the value.
  if (!read.ok)
    return refused(`That cannot be a value of ${name}: ${setting.description} Send /settings ${name} again.`);
  await settings.setSecret(led.world, name, read.value);
  return {
    success: true,
    text: `${name} is set for ${led.world.name ?? "your server"}. Delete your message if you can.`,
  };
}
