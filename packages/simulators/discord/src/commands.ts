import { createFormErrors, invalidForm, refusal } from "./errors.ts";
import { type Form, lengthOf, readForm } from "./form.ts";
import type { Command, CommandOption, World } from "./world.ts";

/** @see https://discord.com/developers/docs/interactions/application-commands#application-command-object-application-command-naming */
const namePattern = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const limits = { 1: 100, 2: 15, 3: 15 } as const;

/** Whose commands: the application's everywhere, or in one guild. */
export type CommandScope = { readonly applicationId: string; readonly guildId: string | null };

/** The commands of a scope, by id. */
export function commandsOf(world: World, { applicationId, guildId }: CommandScope): Map<string, Command> {
  const key = guildId === null ? applicationId : `${applicationId}/${guildId}`;
  const found = world.commands.get(key) ?? new Map<string, Command>();
  world.commands.set(key, found);
  return found;
}

/** Puts these in the place of all there were. @throws DiscordError 50035, 30032 */
export function replaceCommands(world: World, scope: CommandScope, body: unknown): Command[] {
  if (!Array.isArray(body)) throw invalidForm([], "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType");
  const errors = createFormErrors();
  const drafts = body.map((value, place) => readCommand(readForm(value, errors, [String(place)])));
  const names = new Set<string>();
  drafts.forEach((draft, place) => {
    const key = `${draft.type}/${draft.name}`;
    if (names.has(key))
      errors.add([String(place)], "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique");
    names.add(key);
  });
  errors.check();
  demandRoom(drafts);
  const commands = commandsOf(world, scope);
  const old = [...commands.values()];
  const kept = drafts.map((draft) => toCommand(world, { scope, draft, old: find(old, draft) }));
  commands.clear();
  for (const command of kept) commands.set(command.id, command);
  return kept;
}

/** Adds one, or puts it in the place of the one of its name. @throws DiscordError 50035, 30032 */
export function upsertCommand(
  world: World,
  scope: CommandScope,
  body: unknown,
): { readonly command: Command; readonly isNew: boolean } {
  const errors = createFormErrors();
  const draft = readCommand(readForm(body, errors));
  errors.check();
  const commands = commandsOf(world, scope);
  const old = find([...commands.values()], draft);
  if (!old) demandRoom([...commands.values(), draft]);
  const command = toCommand(world, { scope, draft, old });
  commands.set(command.id, command);
  return { command, isNew: !old };
}

/** Changes some of one. @throws DiscordError 10063, 50035 */
export function changeCommand(
  world: World,
  scope: CommandScope,
  { id, body }: { readonly id: string; readonly body: unknown },
): Command {
  const old = commandsOf(world, scope).get(id);
  if (!old) throw refusal("unknownCommand");
  const errors = createFormErrors();
  const changed = readForm(body, errors);
  const draft = readCommand(readForm({ ...old, ...changed.fields, type: old.type }, errors));
  errors.check();
  const command = toCommand(world, { scope, draft, old });
  commandsOf(world, scope).set(id, command);
  return command;
}

type CommandDraft = Omit<Command, "id" | "application_id" | "guild_id" | "version">;

function find(commands: readonly Command[], draft: CommandDraft): Command | undefined {
  return commands.find((command) => command.type === draft.type && command.name === draft.name);
}

function demandRoom(drafts: readonly CommandDraft[]): void {
  for (const type of [1, 2, 3] as const) {
    if (drafts.filter((draft) => draft.type === type).length > limits[type]) throw refusal("tooManyCommands");
  }
}

function toCommand(
  world: World,
  {
    scope,
    draft,
    old,
  }: { readonly scope: CommandScope; readonly draft: CommandDraft; readonly old: Command | undefined },
): Command {
  const id = old?.id ?? world.newId();
  const guild = scope.guildId === null ? {} : { guild_id: scope.guildId };
  const command = { id, application_id: scope.applicationId, ...guild, ...draft, version: old?.version ?? "" };
  // The version is a new one whenever something is.
  return old && JSON.stringify(old) === JSON.stringify(command) ? old : { ...command, version: world.newId() };
}

function readCommand(form: Form): CommandDraft {
  const type = form.integer("type", { min: 1, max: 4 }) ?? 1;
  form.require("name");
  const name = readName(form, type === 1);
  if (type === 1) form.require("description");
  else if (form.text("description"))
    form.fail(
      "description",
      "APPLICATION_COMMAND_INVALID_DESCRIPTION",
      "Context menu commands cannot have description",
    );
  const options = type === 1 ? readOptions(form, 0) : [];
  if (type === 1 && sizeOf(form.fields, options) > 8000) {
    form.errors.add(form.path, "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (8000)");
  }
  return {
    type,
    name,
    description: type === 1 ? (form.text("description", { min: 1, max: 100 }) ?? "") : "",
    options,
    default_member_permissions: readPermissions(form),
    dm_permission: form.flag("dm_permission") ?? true,
    contexts: form.list("contexts")?.map(Number) ?? null,
    integration_types: form.list("integration_types")?.map(Number) ?? [0],
    name_localizations: localizations(form, "name_localizations"),
    description_localizations: localizations(form, "description_localizations"),
    nsfw: form.flag("nsfw") ?? false,
  };
}

function readPermissions(form: Form): string | null {
  const bits = form.text("default_member_permissions");
  if (bits === null || /^\d{1,20}$/.test(bits)) return bits;
  form.fail("default_member_permissions", "NUMBER_TYPE_COERCE", `Value "${bits.slice(0, 100)}" is not int.`);
  return null;
}

function localizations(form: Form, name: string): Record<string, string> | null {
  const found = form.form(name);
  if (!found) return null;
  return Object.fromEntries(
    Object.keys(found.fields).map((locale) => [locale, found.text(locale, { min: 1, max: 100 }) ?? ""]),
  );
}

function readName(form: Form, isStrict: boolean): string {
  const name = form.text("name", { min: 1, max: 32 }) ?? "";
  if (!isStrict || name === "" || lengthOf(name) > 32) return name;
  if (!namePattern.test(name) || name !== name.toLowerCase()) {
    form.fail("name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
  }
  return name;
}

function readOptions(form: Form, depth: number): CommandOption[] {
  const forms = form.forms("options", { max: 25 }) ?? [];
  const options = forms.map((option) => readOption(option, depth));
  const names = new Set<string>();
  let isOptionalSeen = false;
  options.forEach((option, place) => {
    const at = [...form.path, "options", String(place)];
    if (names.has(option.name)) {
      form.errors.add(at, "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", "Option name already exists");
    }
    names.add(option.name);
    if (option.required && isOptionalSeen) {
      form.errors.add(
        at,
        "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
        "Required options must be placed before non-required options",
      );
    }
    if (!option.required && option.type > 2) isOptionalSeen = true;
  });
  const groups = options.filter((option) => option.type <= 2).length;
  if (groups > 0 && groups < options.length) {
    form.fail(
      "options",
      "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
      "Sub-command and sub-command group option types are mutually exclusive to all other types",
    );
  }
  return options;
}

function readOption(form: Form, depth: number): CommandOption {
  form.require("type", "name", "description");
  const type = form.integer("type", { min: 1, max: 11 }) ?? 3;
  const isGroup = type <= 2;
  if (isGroup && (depth > 1 || (depth === 1 && type === 2))) {
    form.fail("type", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Sub-commands can only be nested once");
  }
  const choices = readChoices(form, type);
  const isCompleted = form.flag("autocomplete") ?? false;
  if (isCompleted && choices.length > 0) {
    form.fail(
      "autocomplete",
      "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_INVALID",
      "Autocomplete may not be set to true if choices are present",
    );
  }
  if (isCompleted && ![3, 4, 10].includes(type)) {
    form.fail(
      "autocomplete",
      "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_INVALID",
      "Autocomplete may only be set on string, integer and number options",
    );
  }
  return {
    type,
    name: readName(form, true),
    description: form.text("description", { min: 1, max: 100 }) ?? "",
    ...(isGroup ? { options: readOptions(form, type === 2 ? 1 : 2) } : { required: form.flag("required") ?? false }),
    ...(isCompleted ? { autocomplete: true } : {}),
    ...(choices.length > 0 ? { choices } : {}),
    ...bounds(form, type),
  };
}

function bounds(form: Form, type: number): Partial<CommandOption> {
  const found: Record<string, unknown> = {};
  const names = type === 3 ? ["min_length", "max_length"] : type === 4 || type === 10 ? ["min_value", "max_value"] : [];
  for (const name of names) {
    const value = type === 3 ? form.integer(name, { min: 0, max: 6000 }) : form.number(name);
    if (value !== null) found[name] = value;
  }
  const types = type === 7 ? form.list("channel_types") : null;
  return { ...found, ...(types ? { channel_types: types.map(Number) } : {}) };
}

function readChoices(form: Form, type: number): { name: string; value: string | number }[] {
  const forms = form.forms("choices", { max: 25 }) ?? [];
  return forms.map((choice) => {
    choice.require("name", "value");
    const name = choice.text("name", { min: 1, max: 100 }) ?? "";
    const value = type === 3 ? choice.text("value", { max: 100 }) : choice.number("value");
    return { name, value: value ?? "" };
  });
}

function sizeOf(fields: Readonly<Record<string, unknown>>, options: readonly CommandOption[]): number {
  const own = lengthOf(String(fields["name"] ?? "")) + lengthOf(String(fields["description"] ?? ""));
  return options.reduce((sum, option) => {
    const choices = (option.choices ?? []).reduce(
      (size, choice) => size + lengthOf(choice.name) + lengthOf(String(choice.value)),
      0,
    );
    return sum + choices + sizeOf({ name: option.name, description: option.description }, option.options ?? []);
  }, own);
}
