export { createFactCapability } from "./fact-capability.ts";
