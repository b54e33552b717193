const colours: Readonly<Record<string, number>> = { debug: 90, info: 32, warn: 33, error: 31 };

/** A line of the log as a person reads it: time, level, text, then the fields. A line that is no JSON stays as it is. */
export function readableLine(line: string, { isColourWanted }: { readonly isColourWanted: boolean }): string {
  const fields = parseLine(line);
  if (fields === undefined) return line;
  const { level, time, msg, pid: _pid, ...rest } = fields;
  const name = String(level).padEnd(5);
  const shown = isColourWanted ? `\u001b[${colours[String(level)] ?? 0}m${name}\u001b[0m` : name;
  const details = Object.entries(rest).map(
    ([key, value]) => ` ${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return `${String(time).slice(11, 19)} ${shown} ${msg}${details.join("")}\n`;
}

function parseLine(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    // Not one of ours; it is shown as it came.
    return undefined;
  }
}
