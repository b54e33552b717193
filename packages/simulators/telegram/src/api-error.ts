/** What an unsuccessful answer may say besides its text. */
export type ErrorParameters = { readonly retry_after?: number; readonly migrate_to_chat_id?: number };

/**
 * A refusal, in the words of the Bot API.
 * @see https://core.telegram.org/bots/api#making-requests
 */
export class ApiError extends Error {
  readonly code: number;
  readonly parameters: ErrorParameters | undefined;

  constructor(code: number, description: string, parameters?: ErrorParameters) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

/** 400, "Bad Request: …". */
export function badRequest(text: string, parameters?: ErrorParameters): ApiError {
  return new ApiError(400, `Bad Request: ${text}`, parameters);
}

/** 403, "Forbidden: …". */
export function forbidden(text: string): ApiError {
  return new ApiError(403, `Forbidden: ${text}`);
}

/** 409, "Conflict: …". */
export function conflict(text: string): ApiError {
  return new ApiError(409, `Conflict: ${text}`);
}
