/** Answers are JSON text put together from columns: what is stored as JSON is spliced in, not read and written again. */

/** One member of an object; left out when the value is null. `json` is JSON text. */
export function field(name: string, json: string | null): string {
  return json === null ? "" : `"${name}":${json},`;
}

/** An object of {@link field}s. */
export function objectJson(...fields: readonly string[]): string {
  const members = fields.join("");
  return `{${members.slice(0, -1)}}`;
}

/** A list of rows, each told as JSON text. */
export function listJson<Row>(rows: readonly Row[], toJson: (row: Row) => string): string {
  return `[${rows.map(toJson).join(",")}]`;
}

/** A text or number as JSON; null stays null. */
export function quote(value: string | number | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** Content as JSON: the text, and the members of `rest`, which is the JSON text of an object. */
export function contentJson(text: string, rest: string): string {
  return rest === "{}" ? `{"text":${JSON.stringify(text)}}` : `{"text":${JSON.stringify(text)},${rest.slice(1)}`;
}
