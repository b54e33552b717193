export { type Episode, fromMemory } from "./episode.ts";
export { createEpisodeCapability } from "./episode-capability.ts";
export { recallEpisodes } from "./episodes-provider.ts";
export { type ExportChoice, exportLines } from "./export-lines.ts";
export { type Imported, importLines } from "./import-lines.ts";
