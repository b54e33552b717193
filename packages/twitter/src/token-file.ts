import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { ClientError } from "@troupe/core/errors";
import { fieldsOf, integerIn, textIn } from "./payload.ts";
import type { SignIn } from "./sign-in.ts";

/** What a sign-in by OAuth 2.0 gave. */
export type Tokens = {
  readonly accessToken: string;
  /** Good once. Absent without `offline.access`. */
  readonly refreshToken?: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
};

type Place = Pick<SignIn, "tokensPath" | "passphrase">;

const keyBytes = 32;
const derive = promisify(scrypt);

/** Keeps tokens, encrypted (AES-256-GCM), readable for their owner only; what was there stays until the new ones are whole. */
export async function writeTokens(place: Place, tokens: Tokens): Promise<void> {
  await mkdir(dirname(place.tokensPath), { recursive: true, mode: 0o700 });
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", await keyOf(place, salt, true), nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(tokens), "utf8"), cipher.final()]);
  const kept = {
    version: 1,
    salt: salt.toString("base64"),
    nonce: nonce.toString("base64"),
    tag: cipher.getAuthTag().toString("base64"),
    sealed: sealed.toString("base64"),
  };
  const unfinished = `${place.tokensPath}.new`;
  await writeFile(unfinished, `${JSON.stringify(kept)}\n`, { mode: 0o600, flush: true });
  await rename(unfinished, place.tokensPath);
}

/** Reads tokens. @throws ClientError `unauthorized` when there are none, or they cannot be opened. */
export async function readTokens(place: Place): Promise<Tokens> {
  const text = await readFile(place.tokensPath, "utf8").catch((error: unknown) => {
    if (isMissing(error)) throw signIn("there is none yet");
    throw error;
  });
  const kept = fieldsOf(parse(text));
  const bytes = (name: string): Buffer => Buffer.from(textIn(kept, name) ?? "", "base64");
  try {
    const opener = createDecipheriv("aes-256-gcm", await keyOf(place, bytes("salt"), false), bytes("nonce"));
    opener.setAuthTag(bytes("tag"));
    const tokens = fieldsOf(parse(Buffer.concat([opener.update(bytes("sealed")), opener.final()]).toString("utf8")));
    const accessToken = textIn(tokens, "accessToken");
    const refreshToken = textIn(tokens, "refreshToken");
    const expiresAt = integerIn(tokens, "expiresAt");
    if (accessToken === undefined || expiresAt === undefined) throw signIn("it is damaged");
    return { accessToken, expiresAt, ...(refreshToken !== undefined && { refreshToken }) };
  } catch (error) {
    if (error instanceof ClientError) throw error;
    throw signIn("it cannot be opened: the passphrase or key is another one, or the file is damaged");
  }
}

/** The key: of the passphrase, else a random one in a file beside the tokens that only its owner can read. */
async function keyOf({ tokensPath, passphrase }: Place, salt: Buffer, mayMake: boolean): Promise<Buffer> {
  if (passphrase !== undefined && passphrase !== "") {
    const derived = await derive(passphrase, salt, keyBytes);
    return Buffer.isBuffer(derived) ? derived : Buffer.alloc(0);
  }
  const path = `${tokensPath}.key`;
  try {
    return Buffer.from((await readFile(path, "utf8")).trim(), "base64");
  } catch (error) {
    if (!isMissing(error) || !mayMake) throw error;
    const key = randomBytes(keyBytes);
    await writeFile(path, `${key.toString("base64")}\n`, { mode: 0o600, flag: "wx", flush: true });
    return key;
  }
}

function isMissing(error: unknown): boolean {
  return fieldsOf(error)?.["code"] === "ENOENT";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function signIn(why: string): ClientError {
  return new ClientError("unauthorized", `The sign-in to X cannot be used, for ${why}; run troupe login twitter.`);
}
