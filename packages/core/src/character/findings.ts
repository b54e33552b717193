/** Where in a character file something stands: keys and list positions from the outside in. */
export type Path = readonly (string | number)[];

/**
 * One thing a person should know about a character file.
 * `path` is written as in `style.chat[2]` and is empty when the whole file is meant;
 * `at` (counted from 1) is there when the text itself is at fault.
 */
export type Finding = {
  readonly file: string;
  readonly path: string;
  readonly message: string;
  readonly remedy: string;
  readonly at?: { readonly line: number; readonly column: number };
};

/** A finding that keeps the character from being used. */
export type Problem = Finding;

/** A finding the character can live with: something was ignored, changed, or looks like a slip. */
export type Notice = Finding;

/** Collects what is found while one file is read; all of it, not only the first. */
export type Findings = {
  readonly problems: readonly Problem[];
  readonly notices: readonly Notice[];
  readonly problem: (path: Path, message: string, remedy: string) => void;
  readonly notice: (path: Path, message: string, remedy: string) => void;
};

/** More findings of one kind than this help nobody; the rest is counted. */
const SHOWN_FINDINGS = 100;

/** Starts an empty collection for the file that is named in every finding. */
export function createFindings(file: string): Findings {
  const problems = createList(file);
  const notices = createList(file);
  return {
    get problems() {
      return problems.all();
    },
    get notices() {
      return notices.all();
    },
    problem: problems.add,
    notice: notices.add,
  };
}

function createList(file: string) {
  const shown: Finding[] = [];
  let leftOut = 0;
  return {
    add: (path: Path, message: string, remedy: string): void => {
      if (shown.length < SHOWN_FINDINGS) shown.push({ file, path: renderPath(path), message, remedy });
      else leftOut += 1;
    },
    all: (): readonly Finding[] =>
      leftOut === 0
        ? shown
        : [
            ...shown,
            { file, path: "", message: `${leftOut} more like these`, remedy: "Mend the ones above and look again." },
          ],
  };
}

/** Writes a path the way a person would say it: `messageExamples[0][1].content.text`. */
function renderPath(path: Path): string {
  return path.map(renderStep).join("");
}

function renderStep(step: string | number, position: number): string {
  if (typeof step === "number") return `[${step}]`;
  if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(step)) return `[${JSON.stringify(shorten(step))}]`;
  return position === 0 ? shorten(step) : `.${shorten(step)}`;
}

/** Cuts a piece of somebody's text down to what fits into a message. */
export function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57).toWellFormed()}…`;
}
