import { type JsonObject, ValidationError } from "@troupe/core";
import { z } from "zod";

const names = z.array(z.string().trim().min(1)).default([]);
const amount = z.number().positive();

const configSchema = z
  .strictObject({
    /** Who may give orders: `platform:id` with the platform's own id, or an entity's id. */
    admins: names,
    /** Roles whose holders may: as the platform gives them. */
    roles: names,
    /** How much is bought at each conviction. */
    units: z.strictObject({ low: amount.default(1), medium: amount.default(5), high: amount.default(10) }).prefault({}),
  })
  .readonly();

/** The plugin's part of a character's `settings.pluginConfig`, checked. */
export type TradingConfig = z.infer<typeof configSchema>;

/** Reads the plugin's configuration. @throws ValidationError naming every field that is wrong. */
export function readConfig(config: JsonObject): TradingConfig {
  const parsed = configSchema.safeParse(config);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${["trading", ...path].join(".")}: ${message}`);
  throw new ValidationError(`settings.pluginConfig is wrong: ${problems.join("; ")}`);
}
