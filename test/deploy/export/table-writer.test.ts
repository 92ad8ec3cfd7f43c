/** The files of an export, read back by readers of other origin (hyparquet) or of the formats' own (CSV, NumPy arrays). */
import { Effect } from "effect"
import { unzipSync } from "fflate"
import { parquetReadObjects } from "hyparquet"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { cellsOf, type Table } from "../../../deploy/export/table.ts"
import { type TableFormat, writeTable } from "../../../deploy/export/table-writer.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-export-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Item {
  readonly text: string | null
  readonly x: number | null
  readonly n: number
  readonly yes: boolean | null
  readonly atMs: number | null
}

const table: Table<Item> = [
  { name: "text", type: "text", of: ({ text }) => text },
  { name: "x", type: "float", of: ({ x }) => x },
  { name: "n", type: "integer", of: ({ n }) => n },
  { name: "yes", type: "boolean", of: ({ yes }) => yes },
  { name: "at", type: "time", of: ({ atMs }) => atMs },
]
const atMs = Date.UTC(2026, 10, 25, 12, 30, 1, 250)
const items: ReadonlyArray<Item> = [
  { text: 'a "b", c\nd', x: 0.125, n: 2 ** 40, yes: true, atMs },
  { text: null, x: null, n: -1, yes: null, atMs: null },
  { text: "größer 🛜", x: -2, n: 0, yes: false, atMs: 0 },
]

/** Writes the items in two pieces. */
const write = async (format: TableFormat): Promise<Buffer> => {
  const file = join(folder, `table.${format}`)
  await Effect.runPromise(
    writeTable(
      { file, format, heads: table },
      (add) => Effect.andThen(add(cellsOf(table, items.slice(0, 2))), add(cellsOf(table, items.slice(2)))),
    ),
  )
  expect(existsSync(`${file}.part`)).toBe(false)
  return readFileSync(file)
}

/** Header and data of a `.npy` file. */
const npyOf = (file: Uint8Array) => {
  const length = new DataView(file.buffer, file.byteOffset).getUint16(8, true)
  const header = new TextDecoder().decode(file.subarray(10, 10 + length))
  expect((10 + length) % 64).toBe(0)
  return { header: header.trim(), data: file.slice(10 + length).buffer }
}

describe("a table", () => {
  it("is CSV with quoted texts, empty nulls and ISO times", async () => {
    expect((await write("csv")).toString()).toBe(
      "text,x,n,yes,at\r\n" +
        `"a ""b"", c\nd",0.125,1099511627776,true,2026-11-25T12:30:01.250Z\r\n` +
        ",,-1,,\r\n" +
        "größer 🛜,-2,0,false,1970-01-01T00:00:00.000Z\r\n",
    )
  })

  it("is Parquet with types and nulls", async () => {
    const bytes = await write("parquet")
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
    expect(await parquetReadObjects({ file })).toEqual(items.map(({ n, text, x, yes, atMs }) => ({
      text: text,
      x: x,
      n: BigInt(n),
      yes: yes,
      at: atMs === null ? null : new Date(atMs),
    })))
  })

  it("is an archive of NumPy arrays, with NaN, -1 and NaT for nulls", async () => {
    const files = unzipSync(new Uint8Array(await write("npz")))
    const arrays = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, npyOf(file)]))
    expect(Object.fromEntries(Object.entries(arrays).map(([name, { header }]) => [name, header]))).toEqual({
      "text.npy": "{'descr': '<U10', 'fortran_order': False, 'shape': (3,), }",
      "x.npy": "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
      "n.npy": "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }",
      "yes.npy": "{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }",
      "at.npy": "{'descr': '<M8[ms]', 'fortran_order': False, 'shape': (3,), }",
    })
    expect([...new Float64Array(arrays["x.npy"]!.data)]).toEqual([0.125, NaN, -2])
    expect([...new Int8Array(arrays["yes.npy"]!.data)]).toEqual([1, -1, 0])
    expect([...new BigInt64Array(arrays["at.npy"]!.data)]).toEqual([BigInt(atMs), -(2n ** 63n), 0n])
    const points = [...new Uint32Array(arrays["text.npy"]!.data)].slice(20, 28)
    expect(String.fromCodePoint(...points)).toBe("größer 🛜")
  })

  it("has as many rows as a day of a room, in one piece", async () => {
    const file = join(folder, "day.npz")
    const rows = 200_000
    const columns = [Array.from({ length: rows }, (_, i) => i === rows - 1 ? "kitchen" : "hall")]
    await Effect.runPromise(
      writeTable({ file, format: "npz", heads: [{ name: "room", type: "text" }] }, (add) => add(columns)),
    )
    const { data, header } = npyOf(unzipSync(new Uint8Array(readFileSync(file)))["room.npy"]!)
    expect(header).toBe(`{'descr': '<U7', 'fortran_order': False, 'shape': (${rows},), }`)
    expect(String.fromCodePoint(...new Uint32Array(data).slice(-7))).toBe("kitchen")
  })

  it("leaves no file when it fails", async () => {
    const file = join(folder, "failed.csv")
    const failed = writeTable({ file, format: "csv", heads: table }, () => Effect.fail("lost" as const))
    expect(await Effect.runPromise(Effect.flip(failed))).toBe("lost")
    expect([existsSync(file), existsSync(`${file}.part`)]).toEqual([false, false])
    const unwritable = join(folder, "none", "table.csv")
    expect(
      await Effect.runPromise(
        Effect.flip(writeTable({ file: unwritable, format: "csv", heads: table }, () => Effect.void)),
      ),
    ).toMatchObject({ _tag: "UnwritableFile" })
  })
})
