import type { Form } from "./form.ts";

/** The flag of a message made of components alone. */
export const componentsOnlyFlag = 1 << 15;

/**
 * Reads and checks `components`; null when absent. Rows of buttons and menus are checked closely, the newer layout only for its size.
 * @see https://discord.com/developers/docs/components/reference
 */
export function readComponents(form: Form): readonly unknown[] | null {
  const isNewer = ((Number(form.fields["flags"]) || 0) & componentsOnlyFlag) !== 0;
  const rows = form.forms("components", { max: isNewer ? 40 : 5 });
  if (!rows) return null;
  if (!isNewer) {
    const seen = new Set<string>();
    for (const row of rows) readRow(row, seen);
  }
  return rows.map((row) => row.fields);
}

function readRow(row: Form, seen: Set<string>): void {
  row.require("type");
  if (row.integer("type") !== 1) return row.fail("type", "BASE_TYPE_CHOICES", "Value must be one of (1,).");
  const children = row.forms("components", { min: 1, max: 5 });
  row.require("components");
  for (const child of children ?? []) {
    child.require("type");
    const type = child.integer("type");
    if (type === 2) readButton(child);
    else if (type !== null && [3, 5, 6, 7, 8].includes(type)) readMenu(child, type);
    else child.fail("type", "BASE_TYPE_CHOICES", "Value must be one of (2, 3, 5, 6, 7, 8).");
    const customId = child.text("custom_id", { min: 1, max: 100 });
    if (customId === null) continue;
    if (seen.has(customId)) {
      child.fail("custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated");
    }
    seen.add(customId);
  }
}

function readButton(button: Form): void {
  button.require("style");
  const style = button.integer("style", { min: 1, max: 6 });
  button.text("label", { max: 80 });
  button.flag("disabled");
  if (style === 5) button.require("url");
  else if (style !== 6) button.require("custom_id");
  if (style !== 6 && !button.has("label") && !button.has("emoji")) {
    button.fail("label", "BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED", "A button must have a label or an emoji");
  }
}

function readMenu(menu: Form, type: number): void {
  menu.require("custom_id");
  menu.text("placeholder", { max: 150 });
  if (type !== 3) return;
  menu.require("options");
  for (const option of menu.forms("options", { min: 1, max: 25 }) ?? []) {
    option.require("label", "value");
    option.text("label", { min: 1, max: 100 });
    option.text("value", { min: 1, max: 100 });
    option.text("description", { max: 100 });
  }
}
