import type { Reckoning, Verdict } from "./ledger.ts";
import { quoted } from "./stage.ts";

/** Whether everything that was said to a character was answered once, as far as the platform lets anybody do so. */
export function isSound({ twice, never, unexplained }: Reckoning): boolean {
  return [...twice, ...never, ...unexplained].every(({ isExcused }) => isExcused);
}

/** What became of what was said to the characters on a platform: a line, and one for each message that needs a word. */
export function renderReckoning(title: string, reckoning: Reckoning): string {
  const { said, addressed, once, twice, never, silent, waiting, unexplained } = reckoning;
  const counts = [
    `${title.padEnd(8)} heard ${said}, meant for a character ${addressed}: answered once ${once}, twice ${twice.length}, never ${never.length}`,
    ...(silent.length > 0 ? [`silent on purpose ${silent.length}`] : []),
    ...(waiting.length > 0 ? [`still under way ${waiting.length}`] : []),
  ];
  return [
    counts.join(", "),
    ...lines("twice", twice),
    ...lines("never", never),
    ...lines("silent", silent),
    ...lines("under way", waiting),
    ...lines("shown besides", unexplained),
  ].join("\n");
}

function lines(fate: string, verdicts: readonly Verdict[]): readonly string[] {
  return verdicts.map(({ place, text, reason }) => `  ${fate}: ${place} ${quoted(text)}: ${reason}`);
}
