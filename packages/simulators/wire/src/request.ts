/** A file that came with a form. */
export type WireFile = {
  readonly field: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
};

/** One request as the server read it. */
export type WireRequest = {
  /** 1 for the first request of the server, and so on. */
  readonly number: number;
  readonly method: string;
  /** The decoded path, without the query. */
  readonly path: string;
  /** Path and query as they came, for whoever verifies a signature. */
  readonly target: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Parsed JSON, or a form's fields by name; null without a body. */
  readonly body: unknown;
  readonly files: readonly WireFile[];
  readonly raw: Uint8Array;
  /** Aborts when the other side has gone before it was answered. */
  readonly gone: AbortSignal;
};

/** What is answered: text or bytes as they are, anything else as JSON. */
export type WireAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};
