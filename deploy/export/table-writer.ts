/**
 * Writers of tables: CSV and Parquet in pieces, NumPy at the end.
 *
 * Invariants: CSV and Parquet keep one piece in memory; NumPy keeps the table, at most `numpyCellsMax` cells. A file is written under a
 * temporary name and gets its own when it is complete, so an interrupted export leaves no file that looks whole.
 */
import { Effect, type Scope } from "effect"
import { fileWriter, ParquetWriter } from "hyparquet-writer"
import { type FileHandle, open, rename, rm } from "node:fs/promises"
import { UnwritableFile } from "../source/unwritable-file.ts"
import { npzOfColumns } from "./numpy-columns.ts"
import type { Cell, ColumnCells, ColumnHead } from "./table.ts"

export const tableFormats = ["csv", "parquet", "npz"] as const
export type TableFormat = typeof tableFormats[number]

interface TableWriter {
  /** Adds rows, column by column. */
  readonly add: (cells: ColumnCells) => Promise<void>
  /** Completes the file under its temporary name. */
  readonly end: () => Promise<void>
}

/** 40 million cells: 6 hours of one person with all joints. */
const numpyCellsMax = 40e6

const csvText = (type: ColumnHead["type"], cell: Cell): string => {
  if (cell === null) return ""
  if (type === "time") return new Date(Number(cell)).toISOString()
  const text = String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const csvWriter = (heads: ReadonlyArray<ColumnHead>, file: FileHandle): TableWriter => {
  const headed = file.writeFile(`${heads.map(({ name }) => name).join(",")}\r\n`)
  return {
    add: async (cells) => {
      await headed
      const rows = Array.from(
        { length: cells[0]?.length ?? 0 },
        (_, row) => heads.map(({ type }, i) => csvText(type, cells[i]![row]!)).join(","),
      )
      if (rows.length > 0) await file.writeFile(`${rows.join("\r\n")}\r\n`)
    },
    end: () => headed,
  }
}

const parquetTypes = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  float: { type: "DOUBLE" },
  integer: { type: "INT64" },
  boolean: { type: "BOOLEAN" },
  time: { type: "INT64", converted_type: "TIMESTAMP_MILLIS" },
} as const

const parquetCell = (type: ColumnHead["type"], cell: Cell): unknown => {
  if (cell === null) return null
  if (type === "integer") return BigInt(Number(cell))
  return type === "time" ? new Date(Number(cell)) : cell
}

const parquetWriter = (heads: ReadonlyArray<ColumnHead>, path: string): TableWriter => {
  const writer = new ParquetWriter({
    writer: fileWriter(path),
    schema: [
      { name: "root", num_children: heads.length },
      ...heads.map(({ name, type }) => ({ name, repetition_type: "OPTIONAL" as const, ...parquetTypes[type] })),
    ],
    createdBy: "wavepose",
  })
  return {
    add: async (cells) => {
      if ((cells[0]?.length ?? 0) === 0) return
      await writer.write({
        columnData: heads.map(({ name, type }, i) => ({
          name,
          data: cells[i]!.map((cell) => parquetCell(type, cell)),
        })),
      })
    },
    end: async () => void await writer.finish(),
  }
}

const numpyWriter = (heads: ReadonlyArray<ColumnHead>, file: FileHandle): TableWriter => {
  const columns: ReadonlyArray<Array<Cell>> = heads.map(() => [])
  return {
    add: (cells) => {
      for (const [i, column] of cells.entries()) {
        for (const cell of column) columns[i]!.push(cell)
      }
      return columns.length * columns[0]!.length <= numpyCellsMax
        ? Promise.resolve()
        : Promise.reject(new Error("the table is too large for npz; export a shorter range, or use csv or parquet"))
    },
    end: () => file.writeFile(npzOfColumns(heads, columns)),
  }
}

const handleOf = (path: string): Effect.Effect<FileHandle, UnwritableFile, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({ try: () => open(path, "w"), catch: (cause) => UnwritableFile.of(path, cause) }),
    (handle) => Effect.promise(() => handle.close()),
  )

/** Opens a writer, runs `fill` with its `add`, and gives the file its name. */
export const writeTable = <E, R>(
  options: { readonly file: string; readonly format: TableFormat; readonly heads: ReadonlyArray<ColumnHead> },
  fill: (add: (cells: ColumnCells) => Effect.Effect<void, UnwritableFile>) => Effect.Effect<void, E, R>,
): Effect.Effect<void, E | UnwritableFile, R> => {
  const { file, format, heads } = options
  const part = `${file}.part`
  const attempt = (run: () => Promise<void>) =>
    Effect.tryPromise({ try: run, catch: (cause) => UnwritableFile.of(file, cause) })
  return Effect.scoped(Effect.gen(function* () {
    const handle = yield* handleOf(part)
    const writer = format === "parquet"
      ? parquetWriter(heads, part)
      : (format === "csv" ? csvWriter : numpyWriter)(heads, handle)
    yield* fill((cells) => attempt(() => writer.add(cells)))
    yield* attempt(() => writer.end())
  })).pipe(
    Effect.andThen(attempt(() => rename(part, file))),
    Effect.onError(() => Effect.promise(() => rm(part, { force: true }))),
  )
}
