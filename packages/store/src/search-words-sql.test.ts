import { describe, expect, it } from "vitest";
import { openDatabase } from "./database.ts";
import { inMemory } from "./protocol.ts";
import { createTelling } from "./search-words-sql.ts";
import { queryTerms } from "./segment.ts";

/** An index in which every memory says "the sea", a tenth of them "storm" and each its own number. */
function tellingOf(memories: number) {
  const database = openDatabase({ path: inMemory, readOnly: false });
  const insert = database.prepare("insert into memory_text(rowid, scope, text) values(?, 'r1', ?)");
  for (let no = 1; no <= memories; no++) insert.run(no, `the sea n${no} ${no % 10 === 0 ? "storm" : ""}`);
  database.prepare("update searchable set last_no = ?").run(memories);
  const telling = createTelling(database);
  return {
    ask: (text: string) =>
      telling(queryTerms(text))
        .map(({ phrase }) => phrase)
        .toSorted(),
    close: () => database.close(),
  };
}

describe("createTelling", () => {
  it("leaves out what nearly everything holds, and keeps the rarest in any case", () => {
    const { ask, close } = tellingOf(6000);
    expect(ask("the sea n7 n8 storm unheard")).toEqual(["n7", "n8", "storm", "unheard"]);
    expect(ask("the sea storm n7 n8")).toEqual(["n7", "n8", "storm"]);
    expect(ask("unheard words beside the sea")).toEqual(["beside", "sea", "the", "unheard", "words"]);
    expect(ask("the sea storm")).toEqual(["sea", "storm", "the"]);
    close();
  });

  it("keeps every word while there is little", () => {
    const { ask, close } = tellingOf(400);
    expect(ask("the sea n7 n8 storm")).toHaveLength(5);
    close();
  });
});
