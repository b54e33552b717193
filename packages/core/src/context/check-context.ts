import { normalizeActionName } from "../action/resolve-action.ts";
import { errorMessage, ValidationError } from "../errors.ts";
import { toJsonSchema } from "./zod-parameters.ts";
import { isSchema } from "./zod-reading.ts";

const typeForm = /^[A-Za-z][\w.-]{0,63}$/;
const functions = [
  ...["key", "create", "migrate", "load", "save", "render", "use"],
  ...["onStep", "onRun", "shouldContinue", "onError"],
];
const mostSteps = 100;

/**
 * Looks at a context as its author wrote it, perhaps without types.
 * @throws ValidationError naming the context and everything that is wrong with it, each with the remedy.
 */
export function checkContext(given: object): void {
  const options: Readonly<Record<string, unknown>> = { ...given };
  const type = options["type"];
  if (typeof type !== "string" || !typeForm.test(type)) {
    throw new ValidationError(
      `A context has the type ${JSON.stringify(type) ?? "undefined"}; use a letter, then letters, digits, "_", "-" or ".", at most 64.`,
    );
  }
  const problems = [
    ...checkFunctions(options),
    ...checkSchemas(options),
    ...checkStorage(options),
    ...checkNames(options),
    ...checkRest(options),
  ];
  if (problems.length > 0) throw new ValidationError(`Context ${type} cannot be used: ${problems.join("; ")}.`);
}

type Options = Readonly<Record<string, unknown>>;

function checkFunctions(options: Options): readonly string[] {
  return functions
    .filter((name) => options[name] !== undefined && typeof options[name] !== "function")
    .map((name) => `its ${name} is no function`);
}

function checkSchemas({ schema, state }: Options): readonly string[] {
  const problems: string[] = [];
  for (const [name, given] of Object.entries({ schema, state })) {
    if (given === undefined) continue;
    if (!isSchema(given)) {
      problems.push(`its ${name} is no zod schema; write one, as in z.object({ … })`);
      continue;
    }
    try {
      toJsonSchema(given, "output");
    } catch (error) {
      problems.push(
        `its ${name} holds what JSON cannot keep (${errorMessage(error)}); use texts, numbers, lists, objects`,
      );
    }
  }
  return problems;
}

/** Of a definition these lie inside its states and have been looked at. */
function checkStorage({ state, create, migrate, load, save, states }: Options): readonly string[] {
  if (states !== undefined) return [];
  const problems: string[] = [];
  if (state !== undefined && create === undefined)
    problems.push("it has a state but no create; say how a new one looks");
  if (state === undefined && [create, migrate, load, save].some((member) => member !== undefined)) {
    problems.push("it has create, migrate, load or save but no state; give it the schema of its state");
  }
  if ((load === undefined) !== (save === undefined))
    problems.push("it has only one of load and save; give it both or none");
  return problems;
}

function checkNames({ actions = [], inputs = [], outputs = [] }: Options): readonly string[] {
  const problems: string[] = [];
  for (const [what, list] of Object.entries({ action: actions, input: inputs, output: outputs })) {
    if (!Array.isArray(list)) {
      problems.push(`its ${what}s are no list`);
      continue;
    }
    const seen = new Set<string>();
    for (const item of list as readonly unknown[]) {
      const name = typeof item === "object" && item !== null && "name" in item ? item.name : undefined;
      if (typeof name !== "string" || !isMade(what, item)) {
        problems.push(`one of its ${what}s was not made with ${makers[what] ?? what}; make it with that`);
        continue;
      }
      const plain = normalizeActionName(name);
      if (seen.has(plain)) problems.push(`it has two ${what}s called ${name}; rename one`);
      seen.add(plain);
    }
  }
  return problems;
}

const makers: Readonly<Record<string, string>> = { action: "contextAction", input: "input", output: "contextOutput" };

function isMade(what: string, item: unknown): boolean {
  if (typeof item !== "object" || item === null) return false;
  return what === "input" ? "sources" in item && "read" in item : "check" in item;
}

function checkRest({ description, instructions, maxSteps, model }: Options): readonly string[] {
  const problems: string[] = [];
  if (description !== undefined && typeof description !== "string") problems.push("its description is no text");
  if (instructions !== undefined && !["string", "function"].includes(typeof instructions)) {
    problems.push("its instructions are neither a text nor a function");
  }
  const isCount = typeof maxSteps === "number" && Number.isInteger(maxSteps) && maxSteps >= 1 && maxSteps <= mostSteps;
  if (maxSteps !== undefined && !isCount) problems.push(`its maxSteps must be a whole number from 1 to ${mostSteps}`);
  const isModel = typeof model === "object" && model !== null && "stream" in model;
  if (model !== undefined && !isModel) problems.push("its model is no language model; give it one that streams");
  return problems;
}
