/** What is wrong with a vector, or null when it can be compared with others. */
export function vectorProblem(vector: Float32Array): string | null {
  if (vector.length === 0) return "it is empty";
  let sum = 0;
  for (const value of vector) {
    if (!Number.isFinite(value)) return "it holds what is no number";
    sum += value * value;
  }
  return sum === 0 ? "it is zero" : null;
}
