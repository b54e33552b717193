/** Cuts bytes into lines. */
export type LineReader = {
  /** Takes the next bytes; returns the lines they complete, without their ends, or null when one is too long. */
  push(chunk: Buffer): readonly string[] | null;
};

/** Reads lines of at most `limitBytes` bytes of UTF-8; however the bytes are cut, the lines are the same. */
export function createLineReader(limitBytes: number): LineReader {
  let pieces: Buffer[] = [];
  let sizeBytes = 0;
  return {
    push(chunk) {
      const lines: string[] = [];
      let rest = chunk;
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        if (sizeBytes + end > limitBytes) return null;
        lines.push(Buffer.concat([...pieces, rest.subarray(0, end)]).toString("utf8"));
        pieces = [];
        sizeBytes = 0;
        rest = rest.subarray(end + 1);
      }
      sizeBytes += rest.length;
      if (sizeBytes > limitBytes) return null;
      if (rest.length > 0) pieces.push(rest);
      return lines;
    },
  };
}
