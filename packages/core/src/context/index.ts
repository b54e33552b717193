export { extension } from "../plugin/extension.ts";
export { type Context, context } from "./context.ts";
export { contextAction } from "./context-action.ts";
export { contextOutput } from "./context-output.ts";
export { event, input, messages, schedule, webhook } from "./input.ts";
export { messageOutput, roomContext } from "./room-context.ts";
export { type ContextView, storedContexts, toView } from "./stored-contexts.ts";
