export { createTwitterClient } from "./client.ts";
export type { TwitterKeys, TwitterOptions } from "./options.ts";
export type { SignIn } from "./sign-in.ts";
