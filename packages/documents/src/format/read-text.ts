import { createBlockList, type ReaderInput, type ReaderResult } from "../blocks.ts";
import { decodeText } from "./decode-text.ts";
import { groupLines, isBlank } from "./lines.ts";

/** Reads plain text: what blank lines part is a paragraph. @throws DocumentError `unsupported`, `too-much-text` */
export async function readText(input: ReaderInput): Promise<ReaderResult> {
  const { text, encoding, warnings } = await decodeText(input.bytes, input.charset, input.label);
  const list = createBlockList(input.limits, input.label);
  for (const { text: paragraph, lines } of groupLines(text, (line, previous) => isBlank(previous) && !isBlank(line))) {
    list.add("paragraph", paragraph, { lines });
  }
  return { blocks: list.blocks, encoding, warnings };
}
