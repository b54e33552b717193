import { registerHooks } from "node:module";

/** Where an import leads, and what stands there. */
export type Destination = { readonly url: string; readonly format: "module" | "module-typescript" };

/**
 * Where an import leads that names its file exactly, or null when Node has to look for it. Of zod's messages in fifty languages
 * only the English ones are led to: each is a module, and ours are written by ourselves.
 */
export function destinationOf(specifier: string, parentUrl: string | undefined): Destination | null {
  if (parentUrl === undefined || !/^\.\.?\//.test(specifier)) return null;
  if (specifier.endsWith(".ts")) return { url: new URL(specifier, parentUrl).href, format: "module-typescript" };
  if (!parentUrl.includes("/node_modules/zod/v4/") || !specifier.endsWith(".js")) return null;
  const file = specifier === "../locales/index.js" ? "../locales/en.js" : specifier;
  return { url: new URL(file, parentUrl).href, format: "module" };
}

/**
 * Lets the program's many small modules load sooner: looking for files that are named exactly, and for languages nobody reads,
 * took a sixth of the time to ready. To be called before they are imported; what is required is left to Node.
 */
export function hastenImports(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const isImport = context.conditions.includes("import");
      const destination = isImport ? destinationOf(specifier, context.parentURL) : null;
      return destination ? { ...destination, shortCircuit: true } : next(specifier, context);
    },
  });
}
