import { parseArgs } from "node:util";
import type { Measure, Row } from "./measure.ts";
import { actionChain } from "./measures/action-chain.ts";
import { deadEmbedding } from "./measures/dead-embedding.ts";
import { decode } from "./measures/decode.ts";
import { drain } from "./measures/drain.ts";
import { firstToken } from "./measures/first-token.ts";
import { installedSize } from "./measures/installed-size.ts";
import { longRoom } from "./measures/long-room.ts";
import { manyActions } from "./measures/many-actions.ts";
import { memory } from "./measures/memory.ts";
import { platforms } from "./measures/platforms.ts";
import { promptLength } from "./measures/prompt-length.ts";
import { promptPrefix } from "./measures/prompt-prefix.ts";
import { recall } from "./measures/recall.ts";
import { reply } from "./measures/reply.ts";
import { start } from "./measures/start.ts";
import { steps } from "./measures/steps.ts";
import { renderTable, toJson } from "./table.ts";

// Measures the house against bare floors, in this process and in others, and prints one table. Goals are shown, not enforced.
const measures: readonly Measure[] = [
  reply,
  drain,
  longRoom,
  firstToken,
  start,
  memory,
  installedSize,
  decode,
  promptLength,
  promptPrefix,
  actionChain,
  manyActions,
  steps,
  recall,
  deadEmbedding,
  platforms,
];
const usualRounds = 5;

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    rounds: { type: "string", default: String(usualRounds) },
    json: { type: "boolean", default: false },
  },
});
const names = measures.map(({ name }) => name);
const unknown = values.only.filter((name) => !names.includes(name));
const rounds = Number(values.rounds);
if (unknown.length > 0) throw new Error(`There is no measure ${unknown.join(", ")}; there are ${names.join(", ")}.`);
if (!Number.isInteger(rounds) || rounds < 1)
  throw new Error(`--rounds ${values.rounds}: write a whole number from 1 on.`);

const chosen = measures.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
const rows: Row[] = [];
for (const { name, run } of chosen) {
  if (!values.json) process.stderr.write(`measuring ${name} …\n`);
  rows.push(...(await run({ rounds })));
}
if (values.json) console.log(toJson(rows));
else console.log(`${renderTable(rows)}\n\n${chosen.map(({ name, legend }) => `${name}: ${legend}`).join("\n")}`);
