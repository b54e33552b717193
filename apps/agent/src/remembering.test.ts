import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { createPlace, type Place, runProgram } from "./testing/run-program.ts";

const places: Place[] = [];
afterEach(() => {
  for (const place of places.splice(0)) place.remove();
});

function makePlace(): Place {
  const place = createPlace(process.env);
  places.push(place);
  return place;
}

async function talk(place: Place, lines: readonly string[]): Promise<string> {
  const { out } = await runProgram(place, ["chat", "-m", "offline"], { input: `${lines.join("\n")}\n` });
  return out;
}

/** Every row of every table that holds a text. */
function rowsWith(place: Place, text: string): readonly string[] {
  const database = new DatabaseSync(join(place.home, "troupe.db"), { readOnly: true });
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
    .all();
  const found = tables.flatMap(({ name }) =>
    database
      .prepare(`SELECT * FROM "${String(name)}"`)
      .all()
      .filter((row) => Object.values(row).some((value) => textOf(value).toLowerCase().includes(text.toLowerCase())))
      .map(() => String(name)),
  );
  database.close();
  return found;
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : String(value);
}

describe("a newcomer without a key", () => {
  it("is remembered over a restart, and forgotten on demand in every table", async () => {
    const place = makePlace();
    await talk(place, ["My name is Mona Lind.", "I live in Oslo and I like green tea.", "My dog is called Rufus."]);
    const again = await talk(place, ["Where do I live?", "What is my dog called?", "What do you know about me?"]);
    expect(again).toContain("You live in Oslo.");
    expect(again).toContain("Your dog is called Rufus.");
    expect(again).toMatch(/name is Mona Lind\. \[you said so on \d{4}-\d\d-\d\d, terminal\]/);
    expect(rowsWith(place, "Rufus")).not.toEqual([]);
    await talk(place, ["Forget me", "Yes, forget me"]);
    const after = await talk(place, ["Where do I live?", "What do you know about me?"]);
    expect(after).not.toContain("Oslo");
    expect(after).toContain("nothing about you");
    for (const text of ["Rufus", "Mona Lind", "green tea"]) expect(rowsWith(place, text)).toEqual([]);
  });
});
