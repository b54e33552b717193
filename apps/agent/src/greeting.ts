import type { Terminal } from "@troupe/terminal";
import type { Role } from "./compose.ts";

/** Says who is here, which model speaks and how to leave; and, where the offline model speaks, how to get another one. */
export async function greet(roles: readonly Role[], terminal: Terminal): Promise<void> {
  if (terminal.isInteractive) await terminal.notice(headerOf(roles), "dim");
  const hints = new Set(roles.flatMap(({ models }) => (models.hint === undefined ? [] : [models.hint])));
  for (const hint of hints) await terminal.notice(hint, "dim");
}

/** One line: names, models, how to leave. */
function headerOf(roles: readonly Role[]): string {
  const models = new Set(roles.map(({ models }) => models.large));
  const shown = ({ character, models: { large } }: Role): string =>
    models.size > 1 ? `${character.name} (${large})` : character.name;
  const names = roles.map(shown).join(", ");
  const model = models.size > 1 ? "" : ` · ${[...models].join("")}`;
  const address = roles.length > 1 ? " · @name says whom you mean" : "";
  return `${names}${model}${address} · /help lists commands, Ctrl-D ends`;
}
