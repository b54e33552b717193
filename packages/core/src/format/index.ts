export type { DecodedAction, DecodedResponse, DecoderEvent } from "./decoded-response.ts";
export { createDecoder, type Decoder, type DecoderOptions, decodeResponse } from "./decoder.ts";
