const escapeSequences =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]/g;
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/g;
const anyControl = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/;

/**
 * A text that cannot drive a terminal: without escape sequences, control characters but tab and newline, and marks that
 * turn the direction of what follows; well-formed Unicode.
 */
export function cleanText(text: string): string {
  const whole = text.toWellFormed();
  return anyControl.test(whole) ? whole.replace(escapeSequences, "").replace(controls, "") : whole;
}

/** What was pasted: as `cleanText`, with every kind of line end as a newline. */
export function cleanPaste(text: string): string {
  return cleanText(text.replace(/\r\n?/g, "\n"));
}

/** A text on one line of at most so many characters. */
export function excerpt(text: string, characters: number): string {
  const line = cleanText(text.slice(0, characters * 8))
    .replace(/\s+/gu, " ")
    .trim();
  const all = [...new Intl.Segmenter().segment(line)];
  return all.length <= characters && text.length <= characters * 8
    ? line
    : `${all
        .slice(0, characters)
        .map((each) => each.segment)
        .join("")}…`;
}
