import type { JsonObject, JsonValue } from "../json.ts";

/** A subset of JSON Schema (draft 2020-12): what a value may be. */
export type ParameterSchema = {
  readonly type: "string" | "number" | "integer" | "boolean" | "array" | "object";
  readonly description?: string;
  readonly default?: JsonValue;
  readonly enum?: readonly JsonValue[];
  /** Another name for `enum`, as older plugins write it. */
  readonly enumValues?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /**
   * A regular expression that must be found in the string. Checked in time that grows with the text only, so look-around and
   * back-references are not taken.
   */
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, ParameterSchema>>;
  /** Names of the properties that must be there. */
  readonly required?: readonly string[];
  readonly items?: ParameterSchema;
};

/** One parameter of an action. */
export interface ActionParameter {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  readonly schema: ParameterSchema;
  readonly examples?: readonly JsonValue[];
}

/** What is wrong with one parameter, in words the model can act on. `path`: `when.day`, `items[2]`. */
export type ParameterProblem = { readonly path: string; readonly message: string };

/** Checked parameters, or everything that is wrong with them. `ignored`: paths of what was given and nobody asked for. */
export type ParameterReading =
  | { readonly ok: true; readonly parameters: JsonObject; readonly ignored?: readonly string[] }
  | { readonly ok: false; readonly problems: readonly ParameterProblem[]; readonly ignored?: readonly string[] };
