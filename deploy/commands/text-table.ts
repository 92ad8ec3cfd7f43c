/**
 * A table of texts, for the output of commands.
 */

/** Pads each column to its widest text; `numbers` puts the texts of all columns but the first to the right. Needs at least one row. */
export const tableOf = (rows: ReadonlyArray<ReadonlyArray<string>>, { numbers = false } = {}): string => {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const padded = (text: string, column: number) =>
    numbers && column > 0 ? text.padStart(widths[column]!) : text.padEnd(widths[column]!)
  return rows.map((row) => row.map(padded).join("  ").trimEnd()).join("\n")
}
