export type { DecodedAction, DecodedResponse, DecoderEvent } from "./decoded-response.ts";
export { createDecoder, type Decoder, type DecoderOptions, decodeResponse } from "./decoder.ts";
export { encodeToolAnswer, joinToolCalls, type NativeCall } from "./tool-calls.ts";
export { readToolInput } from "./tool-input.ts";
export { createToolNames, isToolName, type ToolNames } from "./tool-names.ts";
