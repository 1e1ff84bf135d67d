/**
 * The coefficients w for which `rows · w` is closest to `targets`, by the normal equations; null if the rows do not
 * determine them. Only for few coefficients, because the pivots are not scaled.
 */
export function leastSquares(
  rows: readonly (readonly number[])[],
  targets: readonly number[],
): number[] | null {
  const size = rows[0]?.length ?? 0;
  if (size === 0 || rows.length < size) return null;
  const at = (row: readonly number[] | undefined, column: number): number => row?.[column] ?? 0;
  const columns = Array.from({ length: size }, (_, index) => index);
  const matrix = columns.map((i) => [
    ...columns.map((j) => rows.reduce((sum, row) => sum + at(row, i) * at(row, j), 0)),
    rows.reduce((sum, row, index) => sum + at(row, i) * (targets[index] ?? 0), 0),
  ]);
  for (const pivot of columns) {
    const best = columns
      .slice(pivot)
      .reduce((a, b) => (Math.abs(at(matrix[b], pivot)) > Math.abs(at(matrix[a], pivot)) ? b : a));
    const row = matrix[best];
    const other = matrix[pivot];
    if (row === undefined || other === undefined || Math.abs(at(row, pivot)) < 1e-10) return null;
    [matrix[pivot], matrix[best]] = [row, other];
    for (const [index, below] of matrix.entries()) {
      if (index === pivot) continue;
      const factor = at(below, pivot) / at(row, pivot);
      matrix[index] = below.map((value, column) => value - factor * at(row, column));
    }
  }
  return columns.map((index) => at(matrix[index], size) / at(matrix[index], index));
}
