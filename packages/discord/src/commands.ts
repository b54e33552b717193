import { hash } from "node:crypto";
import type { ActionParameter, ClientState, Command, Inbound, JsonObject, JsonValue, Log } from "@troupe/core";
import { errorMessage } from "@troupe/core/errors";
import { messageMemoryId } from "@troupe/core/memory";
import type { DiscordApi } from "./api.ts";
import { type Around, type Hearer, toEntity, toRoom, toWorld } from "./inbound.ts";
import { idOf, madeAt, type Raw, recordOf, recordsOf, textOf } from "./read.ts";

/** @see https://discord.com/developers/docs/interactions/application-commands#application-command-object */
type ApplicationCommand = Readonly<Record<string, unknown>>;

const mostCommands = 100;
const mostOptions = 25;
const mostChoices = 25;
const longestText = 100;

/** The commands as Discord registers them; what it would refuse is shortened or left out. */
export function toApplicationCommands(commands: readonly Command[]): readonly ApplicationCommand[] {
  return commands.slice(0, mostCommands).map(({ name, description, parameters }) => ({
    type: 1,
    name,
    description: shorten(description) ?? name,
    options: optionsOf(parameters).map(({ optionName, parameter }) => toOption(optionName, parameter)),
    contexts: [0, 1],
    integration_types: [0],
  }));
}

type Option = { readonly optionName: string; readonly parameter: ActionParameter };

/** Parameters under the names Discord allows, required ones first, as Discord wants them. */
function optionsOf(parameters: readonly ActionParameter[]): readonly Option[] {
  const named = new Map<string, Option>();
  for (const parameter of parameters.toSorted((a, b) => Number(b.required ?? false) - Number(a.required ?? false))) {
    const optionName = toOptionName(parameter.name);
    if (optionName !== "" && !named.has(optionName)) named.set(optionName, { optionName, parameter });
  }
  return [...named.values()].slice(0, mostOptions);
}

/** `durationMinutes` becomes `duration_minutes`. */
function toOptionName(name: string): string {
  const apart = name.replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, "$1_$2").toLowerCase();
  return apart.replaceAll(/[^-_'\p{L}\p{N}]+/gu, "_").slice(0, 32);
}

const optionTypes = { string: 3, integer: 4, boolean: 5, number: 10, array: 3, object: 3 } as const;

function toOption(
  optionName: string,
  { description, required, schema, examples }: ActionParameter,
): ApplicationCommand {
  const type = optionTypes[schema.type];
  const choices = choicesOf(schema.enum ?? schema.enumValues ?? [], type);
  const isLong = choices.length > mostChoices || (choices.length === 0 && (examples ?? []).length > 0);
  const isNumber = type === optionTypes.integer || type === optionTypes.number;
  return {
    type,
    name: optionName,
    description: shorten(description) ?? optionName,
    required: required === true,
    ...(choices.length > 0 && choices.length <= mostChoices && { choices }),
    ...(isLong && type !== optionTypes.boolean && { autocomplete: true }),
    ...(isNumber && schema.minimum !== undefined && { min_value: schema.minimum }),
    ...(isNumber && schema.maximum !== undefined && { max_value: schema.maximum }),
  };
}

type Suggestion = { readonly name: string; readonly value: string | number };

function choicesOf(values: readonly JsonValue[], type: number): readonly Suggestion[] {
  if (type === optionTypes.boolean) return [];
  return values.flatMap((value) => {
    if (typeof value !== "string" && typeof value !== "number") return [];
    const name = shorten(String(value));
    const isFit = type === optionTypes.string ? String(value).length <= longestText : typeof value === "number";
    return name === null || !isFit ? [] : [{ name, value: type === optionTypes.string ? String(value) : value }];
  });
}

function shorten(text: string): string | null {
  const line = text.replace(/\s+/gu, " ").trim();
  const characters = [...line];
  if (characters.length === 0) return null;
  return characters.length <= longestText ? line : `${characters.slice(0, longestText - 1).join("")}…`;
}

/** What to suggest for the option that is being typed: values and examples of its parameter that contain what stands there. */
export function toSuggestions(data: Raw, commands: readonly Command[]): readonly Suggestion[] {
  const command = commands.find(({ name }) => name === data["name"]);
  const typed = recordsOf(data["options"]).find(({ focused }) => focused === true);
  const option = optionsOf(command?.parameters ?? []).find(({ optionName }) => optionName === typed?.["name"]);
  if (!option) return [];
  const { schema, examples = [] } = option.parameter;
  const begun = String(typed?.["value"] ?? "")
    .trim()
    .toLowerCase();
  const all = choicesOf([...(schema.enum ?? schema.enumValues ?? []), ...examples], optionTypes[schema.type]);
  const fitting = all.filter(({ name }) => name.toLowerCase().includes(begun));
  const starting = (one: Suggestion): number => Number(!one.name.toLowerCase().startsWith(begun));
  return fitting.toSorted((one, other) => starting(one) - starting(other)).slice(0, mostChoices);
}

/** What somebody did with a command or a choice. */
type Called = { readonly name: string; readonly parameters: JsonObject; readonly text: string };

/** Reads a command with its options, under the names of the parameters; `/ask` is its question, others are written out. */
export function readCommand(data: Raw, commands: readonly Command[]): Called | null {
  const name = textOf(data["name"]);
  if (name === null) return null;
  const options = optionsOf(commands.find((command) => command.name === name)?.parameters ?? []);
  const given = recordsOf(data["options"]).flatMap(({ name: optionName, value }) => {
    const option = options.find((one) => one.optionName === optionName);
    const named = option?.parameter.name ?? textOf(optionName);
    const read = readValue(value, option?.parameter.schema.type);
    return named === null || read === null ? [] : [[named, read, String(value)] as const];
  });
  const parameters: JsonObject = Object.fromEntries(given.map(([key, value]) => [key, value]));
  const [only] = given;
  const words = given.map(([key, , said]) => `${key}: ${said}`).join(" ");
  const text = name === "ask" && only ? only[2] : `/${name}${words === "" ? "" : ` ${words}`}`;
  return { name, parameters, text: text.toWellFormed() };
}

/** Lists and objects are typed as text: JSON, or a list with commas. */
function readValue(value: unknown, type: string | undefined): JsonValue | null {
  if (typeof value === "number" || typeof value === "boolean") return value;
  const text = textOf(value);
  if (text === null || (type !== "array" && type !== "object")) return text;
  try {
    // JSON.parse gives nothing but JSON.
    return JSON.parse(text) as JsonValue;
  } catch {
    return type === "array"
      ? text
          .split(",")
          .map((part) => part.trim())
          .filter((part) => part !== "")
      : text;
  }
}

/** The event of a command that was used or a choice that was made; null when nobody is named. */
export function toCommandInbound(payload: Raw, called: Called, hearer: Hearer, around: Around): Inbound | null {
  const id = idOf(payload["id"]);
  const { agentId, account } = hearer;
  const member = recordOf(payload["member"]);
  const entity = toEntity(member["user"] ?? payload["user"], member, account);
  if (id === null || !entity) return null;
  const room = toRoom(around.place, account, entity.name);
  const world = around.guild && toWorld(around.guild, account);
  const { name, parameters, text } = called;
  return {
    eventId: id,
    kind: "command",
    ...(world && { world }),
    room,
    entity,
    memory: {
      id: messageMemoryId({ platform: "discord", account, room: room.platformId, message: id }),
      agentId,
      roomId: room.id,
      entityId: entity.id,
      type: "message",
      content: {
        text,
        source: "discord",
        channelType: room.channelType,
        mentionContext: { mentionsAgent: true, repliesToAgent: false },
        command: { name, parameters },
      },
      createdAt: madeAt(id),
      platformId: id,
      metadata: { interactionId: id, channelId: room.platformId, authorId: entity.platformId },
    },
  };
}

/** What registering needs. */
export type RegisterParts = {
  readonly api: DiscordApi;
  readonly applicationId: string;
  readonly state: ClientState;
  readonly log: Log;
};

/** Registers the commands everywhere, unless Discord has them already as they are. A failure costs only the commands. */
export async function registerCommands(commands: readonly Command[], parts: RegisterParts): Promise<void> {
  const { api, applicationId, state, log } = parts;
  const body = toApplicationCommands(commands);
  const version = hash("sha256", JSON.stringify([applicationId, body]), "hex");
  try {
    if ((await state.get("commands")) === version) return;
    const route = `/applications/${applicationId}/commands` as const;
    const registered = await api.request({ method: "PUT", route, body, isRepeatable: true });
    if (!Array.isArray(registered)) return;
    await state.set("commands", version);
    log.info({ commands: body.length }, "registered the commands with Discord");
  } catch (error) {
    log.warn(
      { error: errorMessage(error) },
      "Discord did not take the commands; they are offered again at the next start",
    );
  }
}
