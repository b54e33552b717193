import { escapeTags } from "../state/escape.ts";
import type { Provided, RegisteredProvider } from "../state/provider.ts";
import type { Leaders } from "./leaders.ts";
import { describeSettings } from "./settings-text.ts";
import type { WorldSettings } from "./world-settings.ts";

/** So many servers are told of at most. */
const mostWorlds = 3;

/** SETTINGS: in direct messages with somebody who leads a server, what is set there; anywhere else there is nothing to say. */
export function createSettingsProvider(parts: {
  readonly settings: Pick<WorldSettings, "values" | "secretsSet" | "declared">;
  readonly leaders: Pick<Leaders, "known">;
}): RegisteredProvider {
  const { settings, leaders } = parts;
  return {
    name: "SETTINGS",
    position: 220,
    get({ message, room }) {
      const channelType = room?.room.channelType ?? message.content.channelType;
      return channelType === "dm" ? tell(message.entityId) : {};
    },
  };

  async function tell(entityId: string): Promise<Provided> {
    const led = (await leaders.known(entityId)).slice(-mostWorlds);
    if (led.length === 0) return {};
    const blocks = await Promise.all(
      led.map(async ({ world }) => {
        const [values, secretsSet] = await Promise.all([settings.values(world), settings.secretsSet(world)]);
        const lines = describeSettings(settings.declared(), { values, secretsSet });
        return [`Of "${escapeTags(world.name ?? world.platformId)}":`, ...lines.map(escapeTags)].join("\n");
      }),
    );
    const head =
      "# Settings of the servers they lead\nChanged with UPDATE_SETTING when they ask for it; secrets are asked for by it.";
    return { text: [head, ...blocks].join("\n") };
  }
}
