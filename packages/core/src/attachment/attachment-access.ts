/** A file that came with a message. */
export type FetchedFile = {
  readonly bytes: Uint8Array;
  /** As whoever gave it says. */
  readonly mediaType?: string;
};

/** How far fetching may go. */
export type FetchBounds = { readonly maxSizeBytes: number; readonly signal: AbortSignal };

/**
 * The world outside, as far as files of messages come from it. Whatever cannot be had is a TroupeError whose message says why;
 * `unavailable` and `timeout` mean that later it may be had.
 */
export interface AttachmentAccess {
  /** Fetches an address on the web that a stranger named: never a private one. */
  fetch(url: string, bounds: FetchBounds): Promise<FetchedFile>;
  /** The text of a document of any readable format. */
  readDocument(
    file: FetchedFile & { readonly name: string; readonly signal: AbortSignal },
  ): Promise<{ readonly text: string; readonly title?: string }>;
}
