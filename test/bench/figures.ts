/** Percentile of a list of numbers, nearest rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

/** Prints rows under aligned column heads. */
export function table(rows: readonly Record<string, string | number>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '')))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => (row[index] ?? '').length)));
  for (const row of cells) {
    console.log(`  ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('   ')}`.trimEnd());
  }
}

export const rounded = (value: number, digits = 1): string => value.toFixed(digits);
