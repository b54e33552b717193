import { ClientError } from "@troupe/core/errors";
import type { DiscordApi } from "./api.ts";
import { idOf, numberOf, recordOf, textOf } from "./read.ts";

/** Who the token belongs to, and what its page in the developer portal has switched on. */
export type Identity = {
  readonly userId: string;
  readonly applicationId: string;
  readonly name: string;
  readonly hasMembers: boolean;
  readonly hasContent: boolean;
};

/** @see https://discord.com/developers/docs/resources/application#application-object-application-flags */
const membersFlags = (1 << 14) | (1 << 15);
const contentFlags = (1 << 18) | (1 << 19);

/** Asks who we are. @throws what the API throws; ClientError when the answer is none. */
export async function identify(api: Pick<DiscordApi, "request">, signal?: AbortSignal): Promise<Identity> {
  const asked = { method: "GET", isRepeatable: true, ...(signal && { signal }) } as const;
  const application = recordOf(await api.request({ ...asked, route: "/applications/@me" }));
  const bot = application["bot"] ?? (await api.request({ ...asked, route: "/users/@me" }));
  const applicationId = idOf(application["id"]);
  const userId = idOf(recordOf(bot)["id"]);
  if (applicationId === null || userId === null) {
    throw new ClientError(
      "unavailable",
      "Discord did not say who the bot is; is rest.api the address of a Discord API?",
    );
  }
  const flags = numberOf(application["flags"]) ?? 0;
  return {
    userId,
    applicationId,
    name: textOf(recordOf(bot)["username"]) ?? "bot",
    hasMembers: (flags & membersFlags) !== 0,
    hasContent: (flags & contentFlags) !== 0,
  };
}
