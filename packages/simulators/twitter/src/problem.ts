/** Where X's kinds of problems are named. @see https://docs.x.com/x-api/fundamentals/response-codes-and-errors */
export const problemPrefix = "https://api.twitter.com/2/problems/";

/** A request that X refuses, with what it answers. */
export class Problem extends Error {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(String(body["detail"] ?? body["title"] ?? status));
    this.name = "Problem";
    this.status = status;
    this.body = body;
  }
}

/** One of the reasons why a request is not well formed. */
export type Invalid = { readonly parameters: Readonly<Record<string, readonly string[]>>; readonly message: string };

/** 400: parameters or the body are not what the endpoint takes. */
export function invalidRequest(...errors: readonly Invalid[]): Problem {
  return new Problem(400, {
    errors,
    title: "Invalid Request",
    detail: "One or more parameters to your request was invalid.",
    type: `${problemPrefix}invalid-request`,
  });
}

/** 400 for one query or path parameter. */
export function invalidParameter(name: string, value: string, what: string): Problem {
  return invalidRequest({
    parameters: { [name]: [value] },
    message: `The \`${name}\` query parameter value [${value}] ${what}`,
  });
}

/** 400 for something in the JSON body; `where` is a JSON path such as `$.reply`. */
export function invalidBody(where: string, what: string): Problem {
  return invalidRequest({ parameters: {}, message: `${where}: ${what}` });
}

/** 401. `code` is the older numbering: 32 could not authenticate, 89 invalid token, 135 timestamp out of bounds. */
export function unauthorized(code?: 32 | 89 | 135): Problem {
  const messages = {
    32: "Could not authenticate you.",
    89: "Invalid or expired token.",
    135: "Timestamp out of bounds.",
  };
  return new Problem(401, {
    title: "Unauthorized",
    type: "about:blank",
    status: 401,
    detail: "Unauthorized",
    ...(code === undefined ? {} : { errors: [{ code, message: messages[code] }] }),
  });
}

/** 403 with a reason; `kind` is a problem's name, "about:blank" when absent. */
export function forbidden(detail: string, kind?: string, title = "Forbidden"): Problem {
  return new Problem(403, {
    title,
    detail,
    type: kind === undefined ? "about:blank" : `${problemPrefix}${kind}`,
    status: 403,
  });
}

/** 404 for a path or a resource that a write needs. */
export function notFound(detail: string): Problem {
  return new Problem(404, {
    title: "Not Found Error",
    detail,
    type: `${problemPrefix}resource-not-found`,
    status: 404,
  });
}

/** What is missing from an answer of 200: `errors[]` beside the data. */
export type PartialError = Readonly<Record<string, string>>;

/** Which resource, by which parameter, is missing or hidden. */
export type Missing = {
  readonly resource: "tweet" | "user" | "media" | "dm_event";
  readonly parameter: string;
  readonly value: string;
};

/** A resource that is not there. */
export function missing({ resource, parameter, value }: Missing): PartialError {
  return {
    value,
    detail: `Could not find ${resource} with ${parameter}: [${value}].`,
    title: "Not Found Error",
    resource_type: resource,
    parameter,
    resource_id: value,
    type: `${problemPrefix}resource-not-found`,
  };
}

/** A resource the caller may not see. */
export function hidden({ resource, parameter, value }: Missing): PartialError {
  const name = resource === "tweet" ? "Tweet" : resource;
  return {
    value,
    detail: `Sorry, you are not authorized to see the ${name} with ${parameter}: [${value}].`,
    title: "Authorization Error",
    resource_type: resource,
    parameter,
    resource_id: value,
    type: `${problemPrefix}not-authorized-for-resource`,
  };
}

/** A user whose account is suspended. */
export function suspended({ parameter, value }: Omit<Missing, "resource">): PartialError {
  return {
    value,
    detail: `User has been suspended: [${value}].`,
    title: "Forbidden",
    resource_type: "user",
    parameter,
    resource_id: value,
    type: `${problemPrefix}resource-not-found`,
  };
}
