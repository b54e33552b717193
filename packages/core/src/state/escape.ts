/** Tags with a meaning in our prompts; what people wrote cannot forge them. */
const ownTags =
  /<(?=\s*\/?\s*(?:message|now|results|earlier|people|attachments|knowledge|facts|relationships|summary|span)\b)/giu;

/** A text by a stranger, safe inside `<message>`: our own tags lose their bracket, everything else stays as written. */
export function escapeMessageText(text: string): string {
  return text.includes("<") ? text.replace(ownTags, "&lt;") : text;
}

/** Anything that could begin a tag, also with spaces where a reader would overlook them. */
const anyTag = /<(?=[/!?]?[A-Za-z]|\s*\/?\s*[A-Za-z][\w-]*(?:\s[^<>]*)?\/?>)/gu;

/** A text by a stranger where tags make things happen: no tag is left in it, neither one of ours nor any other. */
export function escapeTags(text: string): string {
  return text.includes("<") ? text.replace(anyTag, "&lt;") : text;
}

/** A name by a stranger, safe inside an attribute: one line, no quotes or brackets, at most 80 characters. */
export function escapeName(name: string): string {
  const plain = name
    .replace(/[\p{Cc}\p{Cf}"<>&]+/gu, " ")
    .replace(/\s+/gu, " ")
    .trim();
  return [...plain].slice(0, 80).join("") || "somebody";
}
