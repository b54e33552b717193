import { detectEntities } from "./detect-entities.ts";
import { compareEntities, type Entity, type EntityType, endOf, type FormattedText } from "./entity.ts";

const quotes: ReadonlySet<EntityType> = new Set(["blockquote", "expandable_blockquote"]);
const codes: ReadonlySet<EntityType> = new Set(["code", "pre"]);
const splittable: ReadonlySet<EntityType> = new Set(["bold", "italic", "underline", "strikethrough", "spoiler"]);

/**
 * Text as Telegram keeps it: odd characters replaced, trimmed, entities that may not nest dropped or split,
 * and those that Telegram recognises added.
 */
export function fixText(formatted: FormattedText): FormattedText {
  const { text, entities } = trim(clean(formatted));
  const solid = nonIntersecting(entities.filter(({ type }) => !splittable.has(type)));
  const whole = [
    ...solid,
    ...detectEntities(
      text,
      solid.filter(({ type }) => !quotes.has(type)),
    ),
  ].filter(fitsQuotes(solid));
  const styles = merge(entities.filter(({ type }) => splittable.has(type))).flatMap((style) => split(style, whole));
  return { text, entities: [...whole, ...styles].sort(compareEntities) };
}

/** Control characters become spaces; carriage returns and line separators go. */
function clean({ text, entities }: FormattedText): FormattedText {
  const spaced = text.replace(/[\u0000-\u0009\u000b\u000c\u000e-\u001f]/g, " ");
  const gone = /[\r\u2028-\u202e]/g;
  const places = [...spaced.matchAll(gone)].map(({ index }) => index);
  if (places.length === 0) return { text: spaced, entities };
  const moved = (index: number): number => index - places.filter((place) => place < index).length;
  return { text: spaced.replace(gone, ""), entities: cut(entities, moved) };
}

function cut(entities: readonly Entity[], moved: (index: number) => number): readonly Entity[] {
  return entities
    .map((entity) => ({ ...entity, offset: moved(entity.offset), length: moved(endOf(entity)) - moved(entity.offset) }))
    .filter(({ length }) => length > 0);
}

/** Nothing is cut away in front of where the first entity starts; at the end everything empty is. */
function trim({ text, entities }: FormattedText): FormattedText {
  const first = Math.min(text.length, ...entities.map(({ offset }) => offset));
  const start = /^[ \n]*/.exec(text.slice(0, first))?.[0].length ?? 0;
  const end = Math.max(start, text.replace(/[ \n]+$/, "").length);
  const moved = (index: number): number => Math.min(Math.max(index, start), end) - start;
  return { text: text.slice(start, end), entities: cut(entities, moved) };
}

/** Quotes hold the rest; of two others that meet the first stays. */
function nonIntersecting(entities: readonly Entity[]): readonly Entity[] {
  const kept: Entity[] = [];
  for (const entity of [...entities].sort(compareEntities)) {
    const rivals = kept.filter(({ type }) => quotes.has(type) === quotes.has(entity.type));
    if (rivals.every((other) => endOf(other) <= entity.offset)) kept.push(entity);
  }
  return kept;
}

function fitsQuotes(entities: readonly Entity[]): (entity: Entity) => boolean {
  const borders = entities.filter(({ type }) => quotes.has(type)).flatMap((quote) => [quote.offset, endOf(quote)]);
  return (entity) =>
    quotes.has(entity.type) || !borders.some((border) => entity.offset < border && border < endOf(entity));
}

/** Styles of one kind that touch are one. */
function merge(styles: readonly Entity[]): readonly Entity[] {
  const merged: Entity[] = [];
  for (const style of [...styles].sort(
    (one, other) => one.type.localeCompare(other.type) || one.offset - other.offset,
  )) {
    const last = merged.at(-1);
    if (last?.type === style.type && endOf(last) >= style.offset) {
      merged[merged.length - 1] = { ...last, length: Math.max(endOf(last), endOf(style)) - last.offset };
    } else merged.push(style);
  }
  return merged;
}

/** A style is cut at the borders it crosses, and nothing of it stays in code. */
function split(style: Entity, others: readonly Entity[]): readonly Entity[] {
  const [start, end] = [style.offset, endOf(style)];
  const borders = others.flatMap((other) => {
    const [from, to] = [other.offset, endOf(other)];
    const isCrossing = (from < start && start < to && to < end) || (start < from && from < end && end < to);
    return isCrossing || codes.has(other.type) ? [from, to] : [];
  });
  const cuts = [...new Set([start, ...borders.filter((border) => start < border && border < end), end])].sort(
    (a, b) => a - b,
  );
  return cuts.slice(0, -1).flatMap((offset, index) => {
    const piece = { ...style, offset, length: (cuts[index + 1] ?? offset) - offset };
    const isCode = others.some(
      ({ type, ...other }) => codes.has(type) && other.offset <= offset && offset < other.offset + other.length,
    );
    return isCode ? [] : [piece];
  });
}
