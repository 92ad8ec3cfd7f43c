/**
 * A table of texts, for the output of commands.
 */

/** Pads each column to its widest text. Needs at least one row. */
export const tableOf = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) => row.map((text, column) => text.padEnd(widths[column]!)).join("  ").trimEnd()).join("\n")
}
