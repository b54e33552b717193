/** A value that survives JSON unchanged; what the journal and the store keep. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object with string keys. */
export type JsonObject = { readonly [key: string]: JsonValue | undefined };
