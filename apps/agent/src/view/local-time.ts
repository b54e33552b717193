/** A moment in the zone of this machine, to the second: `2026-01-31 14:03:22`. */
export function formatLocalTime(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "unknown time";
  const two = (part: number): string => String(part).padStart(2, "0");
  const day = `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
