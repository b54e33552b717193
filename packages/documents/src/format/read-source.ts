import { createBlockList, type ReaderInput, type ReaderResult } from "../blocks.ts";
import { decodeText } from "./decode-text.ts";
import { groupLines, isBlank } from "./lines.ts";

/**
 * Reads source code (and what is written like it): a block begins where, after a blank line, something stands at the left edge
 * that does not close what came before. Its comments stay with what they are about.
 * @throws DocumentError `unsupported`, `too-much-text`
 */
export async function readSource(input: ReaderInput): Promise<ReaderResult> {
  const { text, encoding, warnings } = await decodeText(input.bytes, input.charset, input.label);
  const list = createBlockList(input.limits, input.label);
  const language = input.language === undefined ? {} : { language: input.language };
  for (const group of groupLines(text, startsTopLevel))
    list.add("code", group.text, { lines: group.lines, ...language });
  return { blocks: list.blocks, encoding, warnings };
}

function startsTopLevel(line: string, previous: string | undefined): boolean {
  return (
    isBlank(previous) &&
    /^[^\s)\]}]/u.test(line) &&
    !/^(?:end|else|elif|except|finally|catch|esac|fi|done)\b/u.test(line)
  );
}
