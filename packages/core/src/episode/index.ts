export { createEpisodeCapability } from "./episode-capability.ts";
export { type ExportChoice, exportLines } from "./export-lines.ts";
export { type Imported, importLines } from "./import-lines.ts";
