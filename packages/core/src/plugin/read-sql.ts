/** One piece of a statement: a word or quoted name, a text in quotes, or a sign. Names lose their quotes. */
export type SqlToken = { readonly type: "word" | "name" | "text" | "sign"; readonly text: string };

/** A statement with its pieces; comments are no pieces. */
export type ReadStatement = { readonly sql: string; readonly tokens: readonly SqlToken[] };

const patterns = [
  { type: "skip", pattern: /\s+|--[^\n]*|\/\*[^]*?(?:\*\/|$)/y },
  { type: "text", pattern: /'(?:[^']|'')*'/y },
  { type: "name", pattern: /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/y },
  { type: "word", pattern: /[\p{L}_][\p{L}\p{N}_$]*/uy },
  { type: "sign", pattern: /[\p{N}.]+|[^]/uy },
] as const;

/**
 * Takes SQL apart into its statements, as far as is needed to say what they are. Empty ones are left out. What is quoted and
 * never ends is a sign and what follows it: the engine says what is wrong with it.
 */
export function readSql(sql: string): readonly ReadStatement[] {
  const statements: ReadStatement[] = [];
  let tokens: SqlToken[] = [];
  let from = 0;
  const end = (to: number): void => {
    if (tokens.length > 0) statements.push({ sql: sql.slice(from, to).trim(), tokens });
    tokens = [];
  };
  for (let at = 0; at < sql.length; ) {
    const { type, text } = nextPiece(sql, at);
    at += text.length;
    if (type === "sign" && text === ";") {
      end(at - 1);
      from = at;
    } else if (type !== "skip") {
      tokens.push({ type, text: type === "name" ? unquoted(text) : text });
    }
  }
  end(sql.length);
  return statements;
}

function nextPiece(
  sql: string,
  at: number,
): { readonly type: (typeof patterns)[number]["type"]; readonly text: string } {
  for (const { type, pattern } of patterns) {
    pattern.lastIndex = at;
    const text = pattern.exec(sql)?.[0];
    if (text) return { type, text };
  }
  return { type: "sign", text: sql.charAt(at) };
}

function unquoted(name: string): string {
  const quote = name.charAt(0);
  const inner = name.slice(1, -1);
  return quote === "[" ? inner : inner.replaceAll(quote + quote, quote);
}
