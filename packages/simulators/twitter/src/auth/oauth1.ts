import { createHmac, timingSafeEqual } from "node:crypto";

/** The signed parts of an `Authorization: OAuth …` header, decoded. */
export type SignedHeader = {
  readonly consumerKey: string;
  readonly token: string;
  readonly nonce: string;
  readonly timestamp: string;
  readonly signature: string;
  /** Everything in the header but the signature: all of it is signed. */
  readonly parameters: readonly (readonly [string, string])[];
};

/** Reads the header; null when it is none or something is missing. */
export function readSignedHeader(header: string): SignedHeader | null {
  if (!/^OAuth\s/i.test(header)) return null;
  const pairs = [...header.slice(5).matchAll(/([\w.%~-]+)="([^"]*)"/g)].map(
    (match) => [decode(match[1] ?? ""), decode(match[2] ?? "")] as const,
  );
  const values = new Map(pairs);
  if (values.size !== pairs.length || values.get("oauth_signature_method") !== "HMAC-SHA1") return null;
  if ((values.get("oauth_version") ?? "1.0") !== "1.0") return null;
  const [consumerKey, token, nonce, timestamp, signature] = [
    "oauth_consumer_key",
    "oauth_token",
    "oauth_nonce",
    "oauth_timestamp",
    "oauth_signature",
  ].map((name) => values.get(name) ?? "");
  if (!consumerKey || !token || !nonce || !signature || !timestamp || !/^\d+$/.test(timestamp)) return null;
  const parameters = pairs.filter(([name]) => name !== "oauth_signature" && name !== "realm");
  return { consumerKey, token, nonce, timestamp, signature, parameters };
}

/** What is signed. */
export type SignedRequest = {
  readonly method: string;
  /** `https://host/path`, not decoded, without the query. */
  readonly url: string;
  /** Of the query, and of the body when that is a form. */
  readonly parameters: readonly (readonly [string, string])[];
  readonly header: SignedHeader;
};

/** Whether the signature is right. @see https://datatracker.ietf.org/doc/html/rfc5849#section-3.4 */
export function isSignatureValid(
  request: SignedRequest,
  secrets: { readonly app: string; readonly token: string },
): boolean {
  const encoded = [...request.parameters, ...request.header.parameters].map(
    ([name, value]) => [percentEncode(name), percentEncode(value)] as const,
  );
  const sorted = encoded.sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]));
  const parameters = sorted.map(([name, value]) => `${name}=${value}`).join("&");
  const base = [request.method.toUpperCase(), percentEncode(request.url), percentEncode(parameters)].join("&");
  const key = `${percentEncode(secrets.app)}&${percentEncode(secrets.token)}`;
  const expected = createHmac("sha1", key).update(base).digest();
  const given = Buffer.from(request.header.signature, "base64");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!*'()]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not well encoded: it cannot have been signed like this, so the signature will not match.
    return text;
  }
}
