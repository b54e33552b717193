export { createEpisodeCapability } from "./episode-capability.ts";
