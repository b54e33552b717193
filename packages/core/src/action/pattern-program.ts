/** Something about a place in the text, without reading on. */
export type PatternAssertion = "start" | "end" | "word-edge" | "no-word-edge";

/** Whether one character (a code point, or a UTF-16 unit without the `u` flag) is the one wanted. */
export type UnitTest = (unit: string) => boolean;

/** A parsed regular expression. `max` is null when there is no bound. */
export type PatternNode =
  | { readonly type: "unit"; readonly test: UnitTest }
  | { readonly type: "assert"; readonly assertion: PatternAssertion }
  | { readonly type: "sequence"; readonly nodes: readonly PatternNode[] }
  | { readonly type: "choice"; readonly nodes: readonly PatternNode[] }
  | { readonly type: "repeat"; readonly node: PatternNode; readonly min: number; readonly max: number | null };

/** What the search does at a place. Behind the last instruction the pattern is found. */
export type Instruction =
  | { readonly op: "unit"; readonly test: UnitTest }
  | { readonly op: "assert"; readonly assertion: PatternAssertion }
  | { readonly op: "fork"; readonly to: readonly number[] };

/** A list of instructions, or why it would be too long. */
export type PatternProgram =
  | { readonly ok: true; readonly instructions: readonly Instruction[] }
  | { readonly ok: false; readonly reason: string };

const mostInstructions = 5_000;

/** Unfolds a parsed pattern into instructions: `a{2,4}` becomes four times `a`, two of which may be left out. */
export function assemble(node: PatternNode): PatternProgram {
  if (sizeOf(node) > mostInstructions) {
    return { ok: false, reason: `its repetitions unfold to more than ${mostInstructions} parts; repeat less often` };
  }
  const instructions: Instruction[] = [];
  emit(node, instructions);
  return { ok: true, instructions };
}

function sizeOf(node: PatternNode): number {
  switch (node.type) {
    case "unit":
    case "assert":
      return 1;
    case "sequence":
      return node.nodes.reduce((size, part) => size + sizeOf(part), 0);
    case "choice":
      return node.nodes.reduce((size, part) => size + sizeOf(part) + 1, 1);
    case "repeat":
      // An empty part counts too, so that nothing is unfolded for ever.
      return (sizeOf(node.node) + 1) * (node.max ?? node.min + 1) + 1;
  }
}

function emit(node: PatternNode, into: Instruction[]): void {
  switch (node.type) {
    case "unit":
      into.push({ op: "unit", test: node.test });
      break;
    case "assert":
      into.push({ op: "assert", assertion: node.assertion });
      break;
    case "sequence":
      for (const part of node.nodes) emit(part, into);
      break;
    case "choice":
      emitChoice(node.nodes, into);
      break;
    case "repeat":
      emitRepeat(node, into);
      break;
  }
}

function emitChoice(nodes: readonly PatternNode[], into: Instruction[]): void {
  const fork = into.length;
  into.push({ op: "fork", to: [] });
  const starts: number[] = [];
  const ends: number[] = [];
  for (const part of nodes) {
    starts.push(into.length);
    emit(part, into);
    ends.push(into.length);
    into.push({ op: "fork", to: [] });
  }
  into[fork] = { op: "fork", to: starts };
  for (const end of ends) into[end] = { op: "fork", to: [into.length] };
}

function emitRepeat({ node, min, max }: Extract<PatternNode, { type: "repeat" }>, into: Instruction[]): void {
  for (let time = 0; time < min; time++) emit(node, into);
  if (max === null) {
    const start = into.length;
    into.push({ op: "fork", to: [] });
    emit(node, into);
    into.push({ op: "fork", to: [start] });
    into[start] = { op: "fork", to: [start + 1, into.length] };
    return;
  }
  const skips: number[] = [];
  for (let time = min; time < max; time++) {
    skips.push(into.length);
    into.push({ op: "fork", to: [] });
    emit(node, into);
  }
  for (const skip of skips) into[skip] = { op: "fork", to: [skip + 1, into.length] };
}
