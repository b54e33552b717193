import { type Form, lengthOf } from "./form.ts";

/**
 * Reads and checks `embeds`; null when absent.
 * @see https://discord.com/developers/docs/resources/message#embed-object-embed-limits
 */
export function readEmbeds(form: Form): readonly unknown[] | null {
  const embeds = form.forms("embeds", { max: 10 });
  if (!embeds) return null;
  let total = 0;
  for (const embed of embeds) total += readEmbed(embed);
  if (total > 6000) {
    form.fail("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000");
  }
  return embeds.map((embed) => ({ ...embed.fields, type: "rich" }));
}

/** Checks one. @returns how many characters count against the limit of all. */
function readEmbed(embed: Form): number {
  const texts: (string | null)[] = [embed.text("title", { max: 256 }), embed.text("description", { max: 4096 })];
  readUrl(embed, "url");
  embed.integer("color", { min: 0, max: 0xff_ff_ff });
  const footer = embed.form("footer");
  if (footer) texts.push(footer.text("text", { max: 2048 }));
  const author = embed.form("author");
  if (author) texts.push(author.text("name", { max: 256 }));
  for (const name of ["image", "thumbnail"]) {
    const image = embed.form(name);
    if (image) readUrl(image, "url");
  }
  for (const field of embed.forms("fields", { max: 25 }) ?? []) {
    field.require("name", "value");
    texts.push(field.text("name", { min: 1, max: 256 }), field.text("value", { min: 1, max: 1024 }));
    field.flag("inline");
  }
  return texts.reduce((sum, text) => sum + (text === null ? 0 : lengthOf(text)), 0);
}

function readUrl(form: Form, name: string): void {
  const url = form.text(name, { max: 2048 });
  if (url === null || url === "" || /^(https?|attachment):\/\/./.test(url)) return;
  form.fail(name, "URL_TYPE_INVALID_SCHEME", "Scheme must be one of ('http', 'https').");
}
