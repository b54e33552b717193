/** How people, roles and channels are called; null when nobody knows. */
export type Names = {
  readonly user: (id: string) => string | null;
  readonly role: (id: string) => string | null;
  readonly channel: (id: string) => string | null;
};

const mark =
  /<(?:@!?(\d{1,20})|@&(\d{1,20})|#(\d{1,20})|a?:(\w{1,32}):\d{1,20}|\/([^:<>]{1,100}):\d{1,20}|t:(-?\d{1,13})(?::[a-zA-Z])?)>/g;

/**
 * A message's text as people see it: names in place of ids, `:name:` for a server's own emoji, a date for a time stamp.
 * @see https://discord.com/developers/docs/reference#message-formatting
 */
export function readableText(text: string, names: Names): string {
  return text.toWellFormed().replace(mark, (whole: string, ...parts: (string | undefined)[]) => {
    const [user, role, channel, emoji, command, seconds] = parts;
    if (user !== undefined) return `@${names.user(user) ?? "somebody"}`;
    if (role !== undefined) return `@${names.role(role) ?? "some role"}`;
    if (channel !== undefined) return `#${names.channel(channel) ?? "some-channel"}`;
    if (emoji !== undefined) return `:${emoji}:`;
    if (command !== undefined) return `/${command}`;
    return dateOf(Number(seconds)) ?? whole;
  });
}

function dateOf(seconds: number): string | null {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return null;
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
