import { createToolNames, type ToolNames } from "../format/tool-names.ts";
import type { JsonObject } from "../json.ts";
import type { RegisteredAction } from "./action.ts";
import { parametersSchema } from "./parameters-schema.ts";

/** An action as a model may call it natively; `parameters` is a JSON Schema of type `object`. */
type ActionTool = { readonly name: string; readonly description: string; readonly parameters: JsonObject };

/** The actions as tools, and the way back from a tool's name. */
export type ActionTools = { readonly tools: readonly ActionTool[]; readonly names: ToolNames };

const noParameters: NonNullable<RegisteredAction["parameters"]> = [];

/**
 * What of the actions is offered as tools: all but those that only say the text, which a model that speaks does anyway.
 * The same actions in the same order give the same tools, to the letter.
 */
export function createActionTools(actions: readonly RegisteredAction[]): ActionTools {
  const offered = actions.filter(
    (action) => !("control" in action) || (action.control !== "reply" && action.control !== "none"),
  );
  const names = createToolNames(offered.map(({ name }) => name));
  const tools = offered.map(({ name, description, parameters }) => ({
    name: names.toTool(name),
    description,
    parameters: parametersSchema(parameters ?? noParameters),
  }));
  return { tools, names };
}
