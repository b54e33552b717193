export { createTwitterClient } from "./client.ts";
export { examineTwitter, type Finding } from "./examine.ts";
export { type BegunLogin, beginLogin, finishLogin } from "./login.ts";
export type { TwitterKeys, TwitterOptions } from "./options.ts";
export type { SignIn } from "./sign-in.ts";
