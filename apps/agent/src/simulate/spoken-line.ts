/** What a line means that was typed while a simulation runs. */
export type SpokenLine =
  /** Without a platform: where the last words went. */
  | { readonly type: "say"; readonly platform: string; readonly place: string; readonly text: string }
  | { readonly type: "go-on"; readonly text: string }
  | { readonly type: "places" }
  | { readonly type: "help" }
  | { readonly type: "quit" }
  | { readonly type: "nothing" };

/** Reads `discord harbour: hello`, `/help`, or more words for the place of the last ones. `platforms` are those there are. */
export function readSpokenLine(line: string, platforms: readonly string[]): SpokenLine {
  const text = line.trim();
  if (text === "") return { type: "nothing" };
  if (/^\/(help|\?)$/i.test(text)) return { type: "help" };
  if (/^\/(quit|exit)$/i.test(text)) return { type: "quit" };
  if (/^\/places$/i.test(text)) return { type: "places" };
  const [, first = "", place = "", said = ""] = /^(\p{L}+)\s+([^:]{1,100}):\s*([^]+)$/u.exec(text) ?? [];
  const platform = platforms.find((name) => name === first.toLowerCase());
  if (platform !== undefined && said !== "") return { type: "say", platform, place: place.trim(), text: said };
  return { type: "go-on", text };
}

/** What can be typed. */
export const spokenHelp = `  discord harbour: hello    says it there, as the visitor; telegram direct: hello says it to the character alone
  @Ada …                    in what you say mentions her
  more words                go where the last ones went; in Discord, /name words uses a slash command
  /places                   lists where something can be said
  /quit                     ends the simulation`;
