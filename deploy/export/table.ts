/**
 * Tables of an export: columns with types, and the rows of an item.
 *
 * Boundary: `tables.ts` defines the tables of the service, the writers beside it their file formats.
 */

/** `time`: milliseconds since the Unix epoch. Every column may be null. */
export type ColumnType = "text" | "float" | "integer" | "boolean" | "time"

export type Cell = string | number | boolean | null

export interface Column<Item> {
  readonly name: string
  readonly type: ColumnType
  readonly of: (item: Item) => Cell
}

/** A table of items of one type. */
export type Table<Item> = ReadonlyArray<Column<Item>>

/** The rows of some items, column by column: the form in which Parquet and NumPy store them. */
export type ColumnCells = ReadonlyArray<ReadonlyArray<Cell>>

export const cellsOf = <Item>(table: Table<Item>, items: ReadonlyArray<Item>): ColumnCells =>
  table.map(({ of }) => items.map(of))

/** The name and type of a column, without the item that it reads. */
export type ColumnHead = Pick<Column<never>, "name" | "type">
