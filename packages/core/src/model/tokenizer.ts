/** Cuts texts into the tokens a model counts in. Ready to use: whatever it needs is loaded when it is made. */
export interface Tokenizer {
  /** `tiktoken:o200k`, `estimate:script`. */
  readonly id: string;
  /** How many tokens a text is; an estimate says so in its id. 0 for the empty text only. */
  count(text: string): number;
  /** Numbers that mean nothing outside this tokenizer. `decode` of them is the text, lone surrogates apart. */
  encode(text: string): readonly number[];
  /** Any run of tokens as text; where it was cut within a character there stands U+FFFD. */
  decode(tokens: readonly number[]): string;
}
