import { hash } from "node:crypto";
import type { Choice } from "@troupe/core";
import { type Raw, recordsOf, textOf } from "./read.ts";

/** What Discord shows below a message. */
type Component = Readonly<Record<string, unknown>>;

const mark = "choose";
/** Discord takes 100 characters as the id of a button. */
const longestValue = 90;
const longestLabel = 80;
const perRow = 5;
const rows = 5;
const perMenu = 25;

/** Choices shown below one message at most: five menus. */
export const choiceLimit = rows * perMenu;

/** How a choice is named on the wire: by its value, or by a hash where that is too long. */
export function choiceKey(value: string): string {
  return [...value].length <= longestValue ? `=${value}` : `#${hash("sha256", value, "hex").slice(0, 40)}`;
}

/** The values too long for the wire, by the key that stands for each. */
export function longChoices(choices: readonly Choice[]): readonly { readonly key: string; readonly value: string }[] {
  return choices.map(({ value }) => ({ key: choiceKey(value), value })).filter(({ key }) => key.startsWith("#"));
}

/** Buttons for up to 25 choices, menus for up to 125; what is beyond is left out. */
export function toComponents(choices: readonly Choice[]): readonly Component[] {
  const distinct = [...new Map(choices.map((choice) => [choiceKey(choice.value), choice])).entries()];
  if (distinct.length === 0) return [];
  if (distinct.length <= perRow * rows) {
    return chunks(distinct, perRow).map((row) => ({
      type: 1,
      components: row.map(([key, choice]) => ({
        type: 2,
        style: 2,
        custom_id: `${mark}${key}`,
        label: labelOf(choice),
      })),
    }));
  }
  return chunks(distinct.slice(0, perMenu * rows), perMenu).map((menu, n) => ({
    type: 1,
    components: [
      {
        type: 3,
        custom_id: `${mark}/${n}`,
        options: menu.map(([key, choice]) => ({ value: key, label: labelOf(choice) })),
      },
    ],
  }));
}

/** What was pressed or picked: its key, and the label as it stood on the message; null when it is none of ours. */
export function pressedChoice(interaction: {
  readonly data: Raw;
  readonly message: Raw;
}): { readonly key: string; readonly label: string | null } | null {
  const customId = textOf(interaction.data["custom_id"]) ?? "";
  const [picked] = Array.isArray(interaction.data["values"]) ? interaction.data["values"] : [];
  if (!customId.startsWith(mark)) return null;
  const key = customId.startsWith(`${mark}/`) ? (textOf(picked) ?? "") : customId.slice(mark.length);
  if (!/^[=#]/.test(key)) return null;
  const components = recordsOf(interaction.message["components"]).flatMap((row) => recordsOf(row["components"]));
  const shown = components.flatMap((one) => [one, ...recordsOf(one["options"])]);
  const found = shown.find((one) => one["custom_id"] === `${mark}${key}` || one["value"] === key);
  return { key, label: textOf(found?.["label"]) };
}

function labelOf({ label, value }: Choice): string {
  const text = [label.trim(), value.trim(), "?"].find((one) => one !== "") ?? "?";
  const characters = [...text.toWellFormed()];
  return characters.length <= longestLabel ? characters.join("") : `${characters.slice(0, longestLabel - 1).join("")}…`;
}

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}
