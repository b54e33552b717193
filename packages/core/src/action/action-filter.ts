import type { JsonObject } from "../json.ts";
import type { RegisteredAction } from "./action.ts";
import { isList, isObject } from "./json-kind.ts";
import { normalizeActionName } from "./resolve-action.ts";

/** Which actions may be used, by their names, similes or tags; case and separators do not count. */
export type ActionChoice = {
  /** Nothing but these; absent: all. */
  readonly include?: readonly string[];
  /** Not these, whatever `include` says. */
  readonly exclude?: readonly string[];
};

/** A choice, and where it was made, as a person would look for it. */
export type PlacedChoice = { readonly where: string; readonly choice: ActionChoice };

/** Why some actions may not be used, in the order of registration. */
export type Withheld = { readonly reason: string; readonly actions: readonly string[] };

/** What a list of actions comes to under some choices. The same list gives the same object. */
type Allowed = { readonly actions: readonly RegisteredAction[]; readonly withheld: readonly Withheld[] };

/** Says which actions may be used in one place. */
export type ActionFilter = {
  /** Why the action may not be used here, as the end of a sentence; null: it may. */
  refusal(action: RegisteredAction): string | null;
  apply(actions: readonly RegisteredAction[]): Allowed;
};

type Rule = {
  readonly where: string;
  readonly include: ReadonlySet<string> | null;
  readonly exclude: ReadonlySet<string>;
};

/**
 * A filter that lets through what every choice allows. Actions that only steer the conversation (REPLY, IGNORE …) do nothing
 * to the world and are never withheld.
 */
export function createActionFilter(choices: readonly PlacedChoice[]): ActionFilter {
  const rules = choices.map(({ where, choice }): Rule => {
    const { include, exclude = [] } = choice;
    return { where, include: include ? normalized(include) : null, exclude: normalized(exclude) };
  });
  const known = new WeakMap<readonly RegisteredAction[], Allowed>();
  const refusal = (action: RegisteredAction): string | null => {
    if ("control" in action || rules.length === 0) return null;
    const words = wordsOf(action);
    for (const rule of rules) {
      const reason = refusalBy(rule, words);
      if (reason !== null) return reason;
    }
    return null;
  };
  return {
    refusal,
    apply(actions) {
      const made = known.get(actions) ?? divide(actions, refusal);
      known.set(actions, made);
      return made;
    },
  };
}

/** The choice a room's own data makes under `actions`; what is no list of texts there is passed over. */
export function choiceInData(data: JsonObject | undefined): ActionChoice | null {
  const actions = data?.["actions"];
  if (!isObject(actions)) return null;
  const include = namesIn(actions["include"]);
  const exclude = namesIn(actions["exclude"]);
  return include || exclude ? { ...(include && { include }), ...(exclude && { exclude }) } : null;
}

/** The words of some choices that name neither an action nor a tag: slips, or plugins that are missing. */
export function unknownChoices(
  choices: readonly PlacedChoice[],
  actions: readonly RegisteredAction[],
): readonly { readonly where: string; readonly word: string }[] {
  const known = new Set(actions.flatMap((action) => wordsOf(action).map(({ plain }) => plain)));
  return choices.flatMap(({ where, choice: { include = [], exclude = [] } }) =>
    [...include, ...exclude].filter((word) => !known.has(normalizeActionName(word))).map((word) => ({ where, word })),
  );
}

type Word = { readonly plain: string; readonly shown: string };

function wordsOf({ name, similes, tags = [] }: RegisteredAction): readonly Word[] {
  return [
    { plain: normalizeActionName(name), shown: "it" },
    ...similes.map((simile) => ({ plain: normalizeActionName(simile), shown: `its other name ${simile}` })),
    ...tags.map((tag) => ({ plain: normalizeActionName(tag), shown: `its tag ${tag}` })),
  ];
}

function refusalBy({ where, include, exclude }: Rule, words: readonly Word[]): string | null {
  const excluded = words.find(({ plain }) => exclude.has(plain));
  if (excluded) return `${where}.exclude names ${excluded.shown}`;
  if (include === null || words.some(({ plain }) => include.has(plain))) return null;
  return `${where}.include names neither it nor its tags`;
}

function divide(actions: readonly RegisteredAction[], refusal: ActionFilter["refusal"]): Allowed {
  const withheld = new Map<string, string[]>();
  const allowed = actions.filter((action) => {
    const reason = refusal(action);
    if (reason !== null) withheld.set(reason, [...(withheld.get(reason) ?? []), action.name]);
    return reason === null;
  });
  return {
    actions: withheld.size === 0 ? actions : allowed,
    withheld: [...withheld].map(([reason, names]) => ({ reason, actions: names })),
  };
}

function normalized(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.map(normalizeActionName).filter((word) => word !== ""));
}

function namesIn(value: unknown): readonly string[] | null {
  if (typeof value === "string") return [value];
  if (!isList(value)) return null;
  return value.filter((word) => typeof word === "string");
}
