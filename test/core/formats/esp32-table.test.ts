import { describe, expect, it } from "vitest"
import { createCaptureDecoder, detectFormat } from "../../../core/formats/detect-format.ts"
import { espPairs } from "./esp32-buffers.ts"
import { bytesOf } from "./esp32-lines.ts"
import { bufferHeader, bufferLine, pairHeader, pairLine } from "./esp32-tables.ts"

const decode = (lines: ReadonlyArray<string>) => {
  const bytes = bytesOf(`${lines.join("\r\n")}\r\n`)
  expect(detectFormat(bytes)).toBe("esp32-table")
  const decoder = createCaptureDecoder("esp32-table", { routerId: "r1", source: "replay" })
  const results = [decoder.push(bytes), decoder.end()]
  return { batches: results.flatMap(({ batches }) => batches), faults: results.flatMap(({ faults }) => faults) }
}

const value = (k: number): readonly [number, number] => [k, 2 * k + 1]
const buffer = espPairs("centre-first", 26, value, 0)
/** Real and imaginary part of subcarrier `k` of the first frame. */
const at = (csi: ArrayLike<number>, k: number) => [csi[2 * (k + 32)], csi[2 * (k + 32) + 1]]

describe("csv tables of ESP32 buffers", () => {
  it.each(["centre-first", "ascending"] as const)("reads whole buffers, the order by their guards: %s", (order) => {
    const pairs = espPairs(order, 26, value, 0)
    const lines = [
      bufferHeader,
      bufferLine(pairs, { clock: 5_000_000_000, channel: 11, rssi: -44 }),
      bufferLine([...pairs, ...pairs, ...pairs], { clock: 5_000_100_000, channel: 11 }),
    ]
    const { batches: [batch], faults } = decode(lines)
    expect(faults).toEqual([])
    expect(batch).toMatchObject({ frameCount: 2, transmitterIds: ["ap"], layout: { centerFrequencyHz: 2462e6 } })
    expect([...batch!.timestampsUs]).toEqual([0, 100_000])
    expect([...batch!.rssiDbm]).toEqual([-44, -58])
    expect(batch!.layout.subcarrierIndices).toHaveLength(64)
    for (const k of [-26, -1, 1, 26]) expect(at(batch!.csi, k)).toEqual(value(k))
    expect(batch!.csi.slice(128)).toEqual(batch!.csi.slice(0, 128))
  })

  it("reads pairs of columns as amplitudes, because nothing states which part of a pair is first", () => {
    const lines = [pairHeader, pairLine(buffer, { clock: 7 }), pairLine(buffer, { clock: 10_007 })]
    const { batches: [batch], faults } = decode(lines)
    expect(faults).toEqual([])
    expect(batch).toMatchObject({ frameCount: 2, layout: { centerFrequencyHz: 0 } })
    expect([...batch!.timestampsUs]).toEqual([0, 10_000])
    for (const k of [-26, 1, 26]) expect(at(batch!.csi, k)).toEqual([expect.closeTo(Math.hypot(...value(k)), 4), 0])
  })

  it.each([
    [bufferLine(buffer, { length: 256 }), "value-count"],
    [bufferLine(buffer, { length: "" }), "value-count"],
    [bufferLine(buffer.subarray(2)), "value-count"],
    [bufferLine(buffer, { clock: "" }), "bad-field"],
    [bufferLine(buffer, { channel: 256 }), "bad-field"],
    [bufferLine(buffer, { rssi: 200 }), "bad-field"],
    [bufferLine(buffer).replace("[0, 0", "[0, x"), "bad-value"],
    [bufferLine([...buffer.subarray(1), 128]), "bad-value"],
    [pairLine(buffer), "value-count"],
  ])("names what is wrong with a line: %#", (line, reason) => {
    const { batches, faults } = decode([bufferHeader, bufferLine(buffer), line, "", bufferLine(buffer)])
    expect(batches.reduce((sum, { frameCount }) => sum + frameCount, 0)).toBe(2)
    expect(faults.map((fault) => fault.reason)).toEqual([reason])
  })

  it("reports once that no buffer shows the order", () => {
    const silent = new Int8Array(128)
    const { faults } = decode([pairHeader, ...Array.from({ length: 20 }, (_, i) => pairLine(silent, { clock: i }))])
    expect(faults.map(({ reason }) => reason)).toEqual(["assumed-order"])
  })

  it("is not the format of other tables", () => {
    expect(detectFormat(bytesOf("timestamp,rssi\n1,-40\n"))).toBeNull()
    expect(detectFormat(bytesOf(`${pairLine(buffer)}\n`))).toBeNull()
  })
})
