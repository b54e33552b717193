import { toAttachment } from "../message-payload.ts";
import { toChannel, toMember, toRole, toUser } from "../payload.ts";
import type { Channel, Command, CommandOption } from "../world.ts";
import type { Stage } from "./stage.ts";

/** A file given to an option. */
type FileValue = { readonly name: string; readonly bytes: Uint8Array | string; readonly mediaType?: string };

/** What was typed or chosen, by option: a text, a number, yes or no, a file, or whoever or whatever has an id. */
export type CommandValues = Readonly<Record<string, string | number | boolean | FileValue | { readonly id: string }>>;

type Typed = {
  readonly command: Command;
  /** The subcommand and its group, outermost first. */
  readonly path: readonly string[];
  readonly values: CommandValues;
  readonly channel: Channel;
  /** The option being typed, when the command is not sent yet. */
  readonly focused: string | null;
};

type Resolved = Record<string, Record<string, unknown>>;

/** The `data` of an interaction by command. @throws Error when the values do not fit the command's options. */
export function toCommandData(stage: Stage, typed: Typed): Readonly<Record<string, unknown>> {
  const { command } = typed;
  const resolved: Resolved = {};
  const options = fill(stage, typed, { options: command.options, path: typed.path, resolved });
  return {
    id: command.id,
    name: command.name,
    type: command.type,
    ...(command.guild_id === undefined ? {} : { guild_id: command.guild_id }),
    options,
    ...(Object.keys(resolved).length > 0 ? { resolved } : {}),
  };
}

type Level = {
  readonly options: readonly CommandOption[];
  readonly path: readonly string[];
  readonly resolved: Resolved;
};

function fill(stage: Stage, typed: Typed, { options, path, resolved }: Level): unknown[] {
  const [next, ...rest] = path;
  if (next !== undefined) {
    const found = options.find((option) => option.name === next && option.type <= 2);
    if (!found) throw new Error(`/${typed.command.name} has no subcommand "${next}"`);
    return [
      {
        type: found.type,
        name: found.name,
        options: fill(stage, typed, { options: found.options ?? [], path: rest, resolved }),
      },
    ];
  }
  const names = new Set(options.map((option) => option.name));
  const unknown = Object.keys(typed.values).find((name) => !names.has(name));
  if (unknown !== undefined) throw new Error(`/${typed.command.name} has no option "${unknown}"`);
  const filled: unknown[] = [];
  for (const option of options) {
    const given = typed.values[option.name];
    const isFocused = typed.focused === option.name;
    if (given === undefined && option.required && typed.focused === null) {
      throw new Error(`/${typed.command.name} needs the option "${option.name}"`);
    }
    if (given === undefined && !isFocused) continue;
    const value = isFocused ? (given ?? "") : toValue(stage, { option, given, typed, resolved });
    filled.push({ type: option.type, name: option.name, value, ...(isFocused ? { focused: true } : {}) });
  }
  return filled;
}

type Given = {
  readonly option: CommandOption;
  readonly given: CommandValues[string] | undefined;
  readonly typed: Typed;
  readonly resolved: Resolved;
};

function toValue(stage: Stage, { option, given, typed, resolved }: Given): unknown {
  const fail = (wanted: string): never => {
    throw new Error(`the option "${option.name}" of /${typed.command.name} takes ${wanted}`);
  };
  if (option.choices && !option.choices.some(({ value }) => value === given)) fail("one of its choices");
  switch (option.type) {
    case 3:
      return typeof given === "string" ? given : fail("a text");
    case 4:
      return Number.isInteger(given) ? given : fail("a whole number");
    case 5:
      return typeof given === "boolean" ? given : fail("yes or no");
    case 10:
      return typeof given === "number" ? given : fail("a number");
    case 11:
      return typeof given === "object" && "bytes" in given
        ? attach(stage, { file: given, typed, resolved })
        : fail("a file");
    default:
      return typeof given === "object" && "id" in given
        ? resolve(stage, { id: given.id, typed, resolved })
        : fail("whatever has an id");
  }
}

function attach(
  { world }: Stage,
  { file, typed, resolved }: { readonly file: FileValue; readonly typed: Typed; readonly resolved: Resolved },
): string {
  const bytes = typeof file.bytes === "string" ? Buffer.from(file.bytes) : file.bytes;
  const mediaType = file.mediaType ?? "application/octet-stream";
  const id = world.newId();
  const attachment = {
    id,
    channelId: typed.channel.id,
    name: file.name,
    mediaType,
    description: null,
    isSpoiler: false,
    bytes,
  };
  world.attachments.set(id, attachment);
  keep(resolved, "attachments", { id, shown: toAttachment(world, attachment) });
  return id;
}

function resolve(
  { world }: Stage,
  { id, typed, resolved }: { readonly id: string; readonly typed: Typed; readonly resolved: Resolved },
): string {
  const guild = world.guilds.get(typed.channel.guildId ?? "");
  const user = world.users.get(id);
  const member = guild?.members.get(id);
  const role = guild?.roles.get(id);
  const channel = world.channels.get(id);
  if (user) keep(resolved, "users", { id, shown: toUser(user) });
  if (member) keep(resolved, "members", { id, shown: { ...toMember(member), permissions: "0" } });
  if (role) keep(resolved, "roles", { id, shown: toRole(role) });
  if (channel) keep(resolved, "channels", { id, shown: { ...toChannel(world, channel), permissions: "0" } });
  return id;
}

function keep(resolved: Resolved, kind: string, { id, shown }: { readonly id: string; readonly shown: unknown }): void {
  const found = resolved[kind] ?? {};
  found[id] = shown;
  resolved[kind] = found;
}
