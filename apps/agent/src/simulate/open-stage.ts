import { ConfigError } from "@troupe/core/errors";
import type { Stage, StageOptions } from "./stage.ts";
import type { StagedPlatform } from "./stages.ts";

/** Opens a stage. @throws ConfigError when its port is taken or may not be used, with the remedy. */
export async function openStage(platform: StagedPlatform, options: StageOptions): Promise<Stage> {
  try {
    return await platform.open(options);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const { port } = options;
    if (code === "EADDRINUSE") {
      const message = `port ${port} is taken by another program; name another one with --port, or leave it out for any free one`;
      throw new ConfigError("conflict", message, { cause: error });
    }
    if (code === "EACCES") {
      const message = `port ${port} may not be used by this user; name one above 1023 with --port`;
      throw new ConfigError("unavailable", message, { cause: error });
    }
    throw error;
  }
}
