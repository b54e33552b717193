/** An object whose fields nobody has looked at yet. */
export type Raw = Readonly<Record<string, unknown>>;

const nothing: Raw = {};

/** The object itself, or one without fields. */
export function recordOf(value: unknown): Raw {
  return isRecord(value) ? value : nothing;
}

function isRecord(value: unknown): value is Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of a list; whatever else is in it is left out. */
export function recordsOf(value: unknown): readonly Raw[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The texts of a list; whatever else is in it is left out. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

/** A text, well-formed; null when it is none, or empty. */
export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value.toWellFormed() : null;
}

/** A finite number. */
export function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** One of Discord's ids: 1..20 digits. */
export function idOf(value: unknown): string | null {
  return typeof value === "string" && /^\d{1,20}$/.test(value) ? value : null;
}

/** Epoch milliseconds of Discord's first second. */
const discordEpochMs = 1_420_070_400_000;

/** When an id was made, in epoch milliseconds. @see https://discord.com/developers/docs/reference#snowflakes */
export function madeAt(id: string): number {
  return Number(BigInt(id) >> 22n) + discordEpochMs;
}

/** The smallest id of a moment. */
export function idAt(epochMs: number): string {
  return String(BigInt(Math.max(0, Math.floor(epochMs) - discordEpochMs)) << 22n);
}

/** Whether an id is younger than another. */
export function isNewer(id: string, than: string): boolean {
  return id.length === than.length ? id > than : id.length > than.length;
}

/** Epoch milliseconds of an ISO date; null when it is none. */
export function timeOf(value: unknown): number | null {
  return typeof value === "string" ? numberOf(Date.parse(value)) : null;
}
