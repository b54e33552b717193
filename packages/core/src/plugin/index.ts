export { createRuntime, type RuntimeOwner, type RuntimeParts } from "./create-runtime.ts";
export { type InstalledPlugins, type InstallOptions, installPlugins } from "./install-plugins.ts";
export { createRegistry, type Registry } from "./registry.ts";
export { createServices, type Services, type ServicesParts } from "./services.ts";
