/** A sign-in by OAuth 2.0 with PKCE, made by `troupe login twitter`. */
export type SignIn = {
  /** The app's client id. */
  readonly clientId: string;
  /** Of a confidential client; public ones have none. */
  readonly clientSecret?: string;
  /** Where the tokens are kept, encrypted. */
  readonly tokensPath: string;
  /** What they are encrypted with: a passphrase, else a key that is kept beside them. */
  readonly passphrase?: string;
};
