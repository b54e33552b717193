import type { CreateCapability } from "@troupe/core";

/** What every character can do beside talking, in the order of its beginning; each is loaded when an agent starts. */
export const standardCapabilities: readonly CreateCapability[] = [
  async (parts) => (await import("@troupe/core/recall")).createRecallCapability(parts),
];
