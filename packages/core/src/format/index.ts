export type { DecodedAction, DecodedResponse, DecoderEvent } from "./decoded-response.ts";
export { createDecoder, type Decoder, type DecoderOptions, decodeResponse } from "./decoder.ts";
export {
  createToolNames,
  encodeToolAnswer,
  isToolName,
  joinToolCalls,
  type NativeCall,
  readToolInput,
  type ToolNames,
} from "./tool-calls.ts";
