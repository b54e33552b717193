export { readToolInput } from "./tool-input.ts";
export { isToolName } from "./tool-names.ts";
