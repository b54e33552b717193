export { createSummaryCapability } from "./summary-capability.ts";
export { expandSummary } from "./summary-providers.ts";
