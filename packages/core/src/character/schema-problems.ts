import type { z } from "zod";
import type { JsonValue } from "../json.ts";
import { type Findings, type Path, shorten } from "./findings.ts";
import { isJsonList, isJsonObject, kindOf, ownValue } from "./json-value.ts";

type Issue = z.core.$ZodIssue;

/** Turns what the schema refused into problems that say what was expected, what was found, and what to write. */
export function reportIssues(issues: readonly Issue[], file: JsonValue, findings: Findings): void {
  for (const issue of issues) {
    for (const { path, problem } of describe(issue, [], file)) {
      findings.problem(path, problem.message, problem.remedy);
    }
  }
}

type Described = { readonly path: Path; readonly problem: { readonly message: string; readonly remedy: string } };

function describe(issue: Issue, outer: Path, file: JsonValue): readonly Described[] {
  const path = [...outer, ...issue.path.map((step) => (typeof step === "number" ? step : String(step)))];
  if (issue.code === "invalid_union") return describeUnion(issue.errors, path, file);
  return [{ path, problem: messageFor(issue, valueAt(file, path)) }];
}

/** Of several forms that did not fit, the one that fitted furthest into what is really there is what was meant. */
function describeUnion(branches: readonly (readonly Issue[])[], path: Path, file: JsonValue): readonly Described[] {
  let best: readonly Described[] = [];
  let bestDepth = path.length;
  const expected: string[] = [];
  for (const branch of branches) {
    const first = branch[0];
    if (first?.code === "invalid_type" && first.path.length === 0) {
      expected.push(expectation(first.expected).text);
      continue;
    }
    const missing = first?.path.length === 1 ? [...path, String(first.path[0])] : undefined;
    if (missing !== undefined && valueAt(file, missing) === undefined)
      expected.push(`an object with "${missing.at(-1)}"`);
    const described = branch.flatMap((issue) => describe(issue, path, file));
    const reached = described.filter((one) => valueAt(file, one.path) !== undefined);
    const depth = Math.max(0, ...reached.slice(0, 1).map((one) => one.path.length));
    if (reached.length > 0 && (depth > bestDepth || best.length === 0)) {
      best = described;
      bestDepth = depth;
    }
  }
  if (best.length > 0) return best;
  const wanted = oneOf([...new Set(expected)]);
  const message = `Expected ${wanted}, found ${kindOf(valueAt(file, path))}`;
  return [{ path, problem: { message, remedy: `Write ${wanted} here.` } }];
}

function oneOf(forms: readonly string[]): string {
  const last = forms.at(-1) ?? "another form";
  return forms.length < 2 ? last : `${forms.slice(0, -1).join(", ")} or ${last}`;
}

function valueAt(file: JsonValue, path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = file;
  for (const step of path) {
    if (typeof step === "number") value = isJsonList(value) ? value[step] : undefined;
    else value = isJsonObject(value) ? ownValue(value, step) : undefined;
  }
  return value;
}

function messageFor(issue: Issue, value: JsonValue | undefined): Described["problem"] {
  switch (issue.code) {
    case "invalid_type":
      return typeProblem(issue.expected, value);
    case "too_big":
      return issue.origin === "string"
        ? {
            message: `This text has ${typeof value === "string" ? value.length : "too many"} characters, at most ${issue.maximum} are allowed`,
            remedy: "Shorten it, or move long texts into a knowledge file.",
          }
        : { message: `${shown(value)} is too large`, remedy: `Write a number of at most ${issue.maximum}.` };
    case "too_small":
      return { message: `${shown(value)} is too small`, remedy: `Write a number of at least ${issue.minimum}.` };
    case "invalid_value": {
      const choices = issue.values.map((choice) => JSON.stringify(choice)).join(", ");
      return { message: `${shown(value)} is not one of the choices`, remedy: `Write one of ${choices}.` };
    }
    case "invalid_format":
      return formatProblem(issue.format, value);
    default:
      return {
        message: `${shown(value)} does not fit here`,
        remedy: "See characters/character.schema.json for the form.",
      };
  }
}

function typeProblem(expected: string, value: JsonValue | undefined): Described["problem"] {
  const { text, example } = expectation(expected);
  if (value === undefined) return { message: `This is missing; expected ${text}`, remedy: `Write ${example}.` };
  const found = typeof value === "string" ? `the text ${shown(value)}` : kindOf(value);
  return { message: `Expected ${text}, found ${found}`, remedy: `Write ${example}.` };
}

function expectation(type: string): { readonly text: string; readonly example: string } {
  switch (type) {
    case "string":
      return { text: "a text", example: 'a text in double quotes, as in "…"' };
    case "number":
      return { text: "a number", example: "a number without quotes" };
    case "int":
      return { text: "a whole number", example: "a number without a fraction" };
    case "boolean":
      return { text: "true or false", example: "true or false" };
    case "array":
      return { text: "a list", example: 'a list, as in ["…", "…"]' };
    default:
      return { text: "an object", example: 'an object, as in { "…": … }' };
  }
}

function formatProblem(format: string, value: JsonValue | undefined): Described["problem"] {
  if (format === "url") {
    return {
      message: `${shown(value)} is not a web address`,
      remedy: 'Write a whole address, as in "https://example.org/".',
    };
  }
  return {
    message: `${shown(value)} is not a UUID`,
    remedy: "Remove the id: a stable one is derived from the name. Or write a UUID.",
  };
}

function shown(value: JsonValue | undefined): string {
  return typeof value === "string" ? JSON.stringify(shorten(value)) : String(value);
}
