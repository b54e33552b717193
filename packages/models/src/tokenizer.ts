import { createRequire } from "node:module";
import type { Tokenizer } from "@troupe/core";
import { estimatingTokenizer } from "@troupe/core/model";

/** OpenAI's vocabularies, by the names of the models that count in them; newer ones use the first. */
const VOCABULARIES: readonly (readonly [name: RegExp, vocabulary: Vocabulary])[] = [
  [/^(gpt-(?!4(-|$)|3)|chatgpt-|o\d|gpt-4o|gpt-4\.)/, "o200k_base"],
  [/^(gpt-4|gpt-3\.5|text-embedding-)/, "cl100k_base"],
];

type Vocabulary = "o200k_base" | "cl100k_base";
type Encoding = Pick<typeof import("gpt-tokenizer/encoding/o200k_base"), "encode" | "decode" | "countTokens">;

/**
 * The tokenizer of a model: OpenAI's own vocabularies where the name tells which, otherwise an estimate by scripts. A
 * vocabulary is loaded at the first use (about 150 ms and 50 MB), once for all.
 */
export function createTokenizer(name: string | undefined): Tokenizer {
  const plain = (name ?? "").toLowerCase().split("/").at(-1) ?? "";
  const vocabulary = VOCABULARIES.find(([pattern]) => pattern.test(plain))?.[1];
  return vocabulary === undefined ? estimatingTokenizer : createVocabularyTokenizer(vocabulary);
}

function createVocabularyTokenizer(vocabulary: Vocabulary): Tokenizer {
  return {
    id: `tiktoken:${vocabulary.replace("_base", "")}`,
    count: (text) => load(vocabulary).countTokens(text.toWellFormed(), plainText),
    encode: (text) => load(vocabulary).encode(text.toWellFormed(), plainText),
    decode: (tokens) => load(vocabulary).decode([...tokens]),
  };
}

/** What looks like a special token is text like any other: people write such things. */
const plainText = { disallowedSpecial: new Set<string>() };

const require = createRequire(import.meta.url);

/** Loaded by `require`, which waits for nobody and keeps what it loaded. */
function load(vocabulary: Vocabulary): Encoding {
  return require(`gpt-tokenizer/encoding/${vocabulary}`) as Encoding;
}
