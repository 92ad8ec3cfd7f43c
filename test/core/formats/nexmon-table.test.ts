import { describe, expect, it } from "vitest"
import { binOf, type BinOrder } from "../../../core/formats/bin-order.ts"
import { createCaptureDecoder, detectFormat } from "../../../core/formats/detect-format.ts"
import { createToneMap } from "../../../core/signal/tone-map.ts"
import { complexHeader, complexLine } from "./esp32-tables.ts"
import { bytesOf } from "./esp32-lines.ts"

type Complex = readonly [re: number, im: number]

const decode = (lines: ReadonlyArray<string>) => {
  const bytes = bytesOf(`${lines.join("\n")}\n`)
  expect(detectFormat(bytes)).toBe("esp32-table")
  const decoder = createCaptureDecoder("esp32-table", { routerId: "r1", source: "replay" })
  const results = [decoder.push(bytes), decoder.end()]
  return {
    batches: results.flatMap(({ batches }) => batches),
    faults: results.flatMap(({ faults }) => faults),
    hardware: decoder.hardware,
  }
}

const value = (k: number): Complex => [500 + k, -300 - 2 * k]
/** Numbers of the size of those that firmware leaves in null bins. */
const leftovers: ReadonlyArray<Complex> = [[-3075, 8187], [5, 5118], [32_640, -9000], [128, 0], [0, 0], [-7, 19]]
/** A transform of 20 MHz with leftovers in its null bins. */
const narrow = (order: BinOrder): ReadonlyArray<Complex> => {
  const row = new Array<Complex>(64)
  for (let k = -32; k < 32; k++) {
    row[binOf(k, order)] = k !== 0 && Math.abs(k) <= 28 ? value(k) : leftovers[(k + 32) % leftovers.length]!
  }
  return row
}
const wide = Array.from({ length: 256 }, (_, i): Complex => value(i - 128))
const at = (csi: ArrayLike<number>, k: number, tones = 64) => [csi[2 * (k + tones / 2)], csi[2 * (k + tones / 2) + 1]]

describe("tables of pcap-to-csv", () => {
  it("are read in the order of the tool, with the null bins", () => {
    const row = narrow("ascending")
    const { batches: [batch], faults, hardware } = decode([
      complexHeader(64),
      complexLine(row),
      complexLine(row, { time: "1682491864.3152511" }),
    ])
    expect(faults).toEqual([])
    expect(hardware).toBe("Broadcom (Nexmon)")
    expect(batch).toMatchObject({
      frameCount: 2,
      transmitterIds: ["50:5b:c2:d2:e7:1b"],
      layout: { format: "nexmon", bandwidthHz: 20e6, centerFrequencyHz: 0 },
    })
    expect([...batch!.timestampsUs]).toEqual([0, 10_000])
    expect(batch!.csi).toBeInstanceOf(Int16Array)
    for (const k of [-28, -1, 1, 28]) expect(at(batch!.csi, k)).toEqual(value(k))
    expect(at(batch!.csi, -32)).toEqual(leftovers[0])
    expect([...createToneMap(batch!.layout).layout.subcarrierIndices]).toHaveLength(56)
  })

  it("are read in the order that the null bins show, also with empty columns behind them", () => {
    const line = complexLine(narrow("centre-first"), { columns: 256 })
    const { batches: [batch], faults } = decode([complexHeader(256), line, line])
    expect(faults).toEqual([])
    expect(batch).toMatchObject({ frameCount: 2, layout: { bandwidthHz: 20e6 } })
    for (const k of [-28, -1, 1, 28]) expect(at(batch!.csi, k)).toEqual(value(k))
  })

  it("of wider channels are read in the order of the tool, whatever part of them a packet fills", () => {
    const row = wide.map((one, i): Complex => i < 64 ? one : [3, -4])
    const { batches: [batch], faults } = decode([complexHeader(256), ...new Array(20).fill(complexLine(row))])
    expect(faults).toEqual([])
    expect(batch).toMatchObject({ frameCount: 20, layout: { bandwidthHz: 80e6 } })
    expect(at(batch!.csi, -128, 256)).toEqual(value(-128))
  })

  it("report once that no row shows the order, which is that of the tool then", () => {
    const row = Array.from({ length: 64 }, (_, i): Complex => value(i - 32))
    const { batches: [batch], faults } = decode([complexHeader(64), ...new Array(20).fill(complexLine(row))])
    expect(faults).toMatchObject([{ reason: "assumed-order", message: expect.stringContaining("-32 to 31") }])
    expect(at(batch!.csi, -32)).toEqual(value(-32))
  })

  const row = narrow("ascending")
  it.each([
    ["cut", complexLine(row).slice(0, -200), "value-count"],
    ["of fewer numbers", complexLine(row.slice(1), { columns: 64 }), "value-count"],
    ["with a gap", complexLine(row).replace("(5+5118j)", ""), "bad-value"],
    ["with a number that is not complex", complexLine(row).replace("(5+5118j)", "5"), "bad-value"],
    ["with a number of more bits", complexLine(row).replace("(5+5118j)", "(40000+1j)"), "bad-value"],
    ["without a time", complexLine(row, { time: "" }), "bad-field"],
  ])("lose nothing else to a damaged row: %s", (_, line, reason) => {
    const { batches, faults } = decode([complexHeader(64), complexLine(row), line, complexLine(row)])
    expect(faults.map((fault) => fault.reason)).toEqual([reason])
    expect(batches.reduce((sum, { frameCount }) => sum + frameCount, 0)).toBe(2)
  })

  it("are not seen in tables of other numbers with such names", () => {
    const numbers = Array.from({ length: 64 }, (_, i) => i).join(",")
    expect(detectFormat(bytesOf(`${complexHeader(64)}\n505bc2d2e71b,1682491864.3,${numbers}\n`))).toBeNull()
    expect(detectFormat(bytesOf(`${complexHeader(64)}\n`))).toBeNull()
  })
})
