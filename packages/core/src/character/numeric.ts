import { z } from "zod";

/** A number, also one in quotes. */
export function numeric(range: z.ZodNumber) {
  return z.preprocess((value) => {
    return typeof value === "string" && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : value;
  }, range);
}

/** A whole number between two bounds, both allowed; also one in quotes. */
export const wholeNumber = (least: number, most: number) => numeric(z.number().int().min(least).max(most));
