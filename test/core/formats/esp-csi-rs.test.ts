import { describe, expect, it } from "vitest"
import { createCaptureDecoder, detectFormat } from "../../../core/formats/detect-format.ts"
import { espPairs } from "./esp32-buffers.ts"
import { bytesOf } from "./esp32-lines.ts"
import { arrayLine, c6ArrayLine, textPacket } from "./esp-csi-rs-lines.ts"

const decode = (records: ReadonlyArray<string>) => {
  const bytes = bytesOf(`> start\r\n${records.join("\r\n")}\r\n`)
  expect(detectFormat(bytes)).toBe("esp-csi-rs")
  const decoder = createCaptureDecoder("esp-csi-rs", { routerId: "r1", source: "replay" })
  const results = [decoder.push(bytes), decoder.end()]
  return { batches: results.flatMap(({ batches }) => batches), faults: results.flatMap(({ faults }) => faults) }
}

const value = (k: number): readonly [number, number] => [k, 2 * k + 1]
/** Real and imaginary part of subcarrier `k` of the first frame. */
const at = (csi: ArrayLike<number>, k: number) => [csi[2 * (k + 32)], csi[2 * (k + 32) + 1]]
const buffer = espPairs("centre-first", 26, value, 0)

describe("the serial output of esp-csi-rs", () => {
  it.each([[0, "centre-first"], [1, "ascending"], [2, "ascending"]] as const)(
    "reads the array list, in the order of the secondary channel %d",
    (secondary, order) => {
      const pairs = espPairs(order, 26, value, 0)
      const lines = [7, 10_007].map((clock) => arrayLine(pairs, { clock, secondary }))
      const { batches: [batch], faults } = decode(lines)
      expect(faults).toEqual([])
      expect(batch).toMatchObject({ frameCount: 2, transmitterIds: ["ap"], layout: { centerFrequencyHz: 2437e6 } })
      expect([...batch!.timestampsUs]).toEqual([0, 10_000])
      expect([batch!.rssiDbm[0], batch!.noiseFloorDbm[0]]).toEqual([-60, -93])
      for (const k of [-26, -1, 1, 26]) expect(at(batch!.csi, k)).toEqual(value(k))
    },
  )

  it("reads the array list of an ESP32-C6, the order by the guards", () => {
    const { batches: [batch], faults } = decode([c6ArrayLine(espPairs("ascending", 26, value, 0))])
    expect(faults).toEqual([])
    for (const k of [-26, 1, 26]) expect(at(batch!.csi, k)).toEqual(value(k))
  })

  it.each(["same-line", "next-line", "hex"] as const)("reads the text, its values in the form %s", (form) => {
    const { batches: [batch], faults } = decode([7, 10_007].map((clock) => textPacket(buffer, { clock, form })))
    expect(faults).toEqual([])
    expect(batch).toMatchObject({
      frameCount: 2,
      transmitterIds: ["dc:ed:83:4a:55:9a"],
      layout: { centerFrequencyHz: 2412e6 },
    })
    expect([...batch!.timestampsUs]).toEqual([0, 10_000])
    expect([batch!.rssiDbm[0], batch!.noiseFloorDbm[0]]).toEqual([-83, -95])
    for (const k of [-26, -1, 1, 26]) expect(at(batch!.csi, k)).toEqual(value(k))
  })

  it.each([
    [arrayLine(buffer, { length: 256 }), "value-count"],
    [arrayLine(buffer, { clock: 2 ** 32 }), "bad-field"],
    [arrayLine(buffer, { channel: 256 }), "bad-field"],
    [arrayLine(buffer, { rssi: 300 }), "bad-field"],
    [textPacket(buffer).replace("[0, 0", "[0, x"), "bad-value"],
    [textPacket(buffer).replace("timestamp: 1000\n", ""), "bad-field"],
    [textPacket(buffer).replace("DC:ED:83:4A:55:9A", "DC:ED:83"), "bad-field"],
  ])("names what is wrong with a packet: %#", (record, reason) => {
    const { batches, faults } = decode([arrayLine(buffer), record, "> q", arrayLine(buffer)])
    expect(batches.reduce((sum, { frameCount }) => sum + frameCount, 0)).toBe(2)
    expect(faults.map((fault) => fault.reason)).toEqual([reason])
  })
})
