import { discord } from "./discord.ts";
import type { Platform } from "./platform.ts";
import { telegram } from "./telegram.ts";
import { twitter } from "./twitter.ts";

/** Every platform the program can connect to, in the order in which they are named to people. */
export const platforms: readonly Platform[] = [discord, telegram, twitter];
