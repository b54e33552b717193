import { registerHooks } from "node:module";

let isRegistered = false;

/**
 * Lets plugins that lie outside the workspace import `@troupe/core` and its parts: they get the one that runs them, never a
 * second copy. Where a plugin has its own way to it, that one is taken. For the whole process, once.
 */
export function letPluginsImportCore(): void {
  if (isRegistered) return;
  isRegistered = true;
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        const isOurs = specifier === "@troupe/core" || specifier.startsWith("@troupe/core/");
        if (!isOurs || context.parentURL === import.meta.url) throw error;
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
}
