import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type CsiBatch, valuesPerFrame } from "../../../core/formats/csi-batch.ts"
import { createCaptureDecoder, detectFormat } from "../../../core/formats/detect-format.ts"
import { decodeRuviewDatagram } from "../../../core/formats/ruview-datagram.ts"
import { bytesOf, numberedBins, toolLine } from "./esp32-lines.ts"
import { beamformingRecord, joined, payloadRecord } from "./intel-records.ts"

const runs = { numRuns: 10_000, seed: 5300 }
const identity = { routerId: "r", source: "replay" } as const

/** Damage to bytes that were right: overwritten, cut out, doubled. */
const damage = fc.array(
  fc.record({ at: fc.nat(4000), kind: fc.constantFrom("set", "cut", "double"), length: fc.nat(40), byte: fc.nat(255) }),
  { maxLength: 6 },
)

const damaged = (bytes: Uint8Array, harms: ReadonlyArray<{ at: number; kind: string; length: number; byte: number }>) =>
  harms.reduce((now, { at, kind, length, byte }) => {
    const from = at % (now.length + 1)
    if (kind === "cut") return joined(now.subarray(0, from), now.subarray(from + length))
    if (kind === "double") return joined(now.subarray(0, from + length), now.subarray(from))
    const copy = now.slice()
    if (from < copy.length) copy[from] = byte
    return copy
  }, bytes)

const csvLine = fc.record({
  first: fc.constantFrom("CSI_DATA", "garbage", ""),
  mac: fc.constantFrom("AA:BB:CC:DD:EE:FF", "nobody"),
  rssi: fc.constantFrom(-60, 0, 999),
  signalMode: fc.nat(3),
  bandwidth: fc.nat(1),
  stbc: fc.nat(1),
  secondary: fc.nat(3),
  clock: fc.nat(4_294_967_295),
  values: fc.constantFrom(0, 1, 63, 64, 128, 190, 192, 306, 307).map(numberedBins),
}).map((fields) => bytesOf(toolLine(fields) + "\n"))

const csv = fc.tuple(
  fc.array(fc.oneof({ weight: 4, arbitrary: csvLine }, fc.uint8Array({ maxLength: 60 })), { maxLength: 3 }),
  damage,
).map(([parts, harms]) => damaged(joined(...parts), harms))

const intelRecord = fc.record({
  receive: fc.integer({ min: 1, max: 3 }),
  transmit: fc.integer({ min: 1, max: 3 }),
  timestamp: fc.nat(4_294_967_295),
  count: fc.nat(65_535),
  selection: fc.nat(255),
  rate: fc.nat(65_535),
}).map((fields) => beamformingRecord({ ...fields, value: (j, tone) => [j + tone, j - tone] }))

const intel = fc.tuple(
  fc.array(
    fc.oneof({ weight: 4, arbitrary: intelRecord }, fc.nat(80).map(payloadRecord), fc.uint8Array({ maxLength: 60 })),
    { maxLength: 4 },
  ),
  damage,
).map(([parts, harms]) => damaged(joined(...parts), harms))

const expectWhole = (batch: CsiBatch): void => {
  expect(batch.frameCount).toBeGreaterThan(0)
  expect(batch.frameCount).toBeLessThanOrEqual(256)
  expect(batch.csi.length).toBe(batch.frameCount * valuesPerFrame(batch.layout) * 2)
  expect(batch.csi.every((value) => value >= -128 && value <= 127)).toBe(true)
  for (let i = 1; i < batch.frameCount; i++) {
    expect(batch.timestampsUs[i]! >= batch.timestampsUs[i - 1]!).toBe(true)
  }
}

/** Decodes in two pieces, with bytes around them that must not be read. */
const decode = (format: "esp32-csv" | "intel5300", bytes: Uint8Array, cut: number) => {
  const decoder = createCaptureDecoder(format, identity)
  const at = cut % (bytes.length + 1)
  const guarded = joined(new Uint8Array(5).fill(0xbb), bytes, new Uint8Array(700).fill(49))
  const results = [
    decoder.push(guarded.subarray(5, 5 + at)),
    decoder.push(guarded.subarray(5 + at, 5 + bytes.length)),
    decoder.end(),
  ]
  return { batches: results.flatMap((r) => r.batches), faults: results.flatMap((r) => r.faults) }
}

/** The frames of a decoding, however they were cut into batches. */
const content = (batches: ReadonlyArray<CsiBatch>) =>
  batches.flatMap((batch) =>
    Array.from({ length: batch.frameCount }, (_, i) => {
      const values = valuesPerFrame(batch.layout) * 2
      return [batch.timestampsUs[i], batch.sequences[i], ...batch.csi.subarray(i * values, (i + 1) * values)].join()
    })
  )

describe.each([["esp32-csv", csv], ["intel5300", intel]] as const)("foreign bytes for %s", (format, captures) => {
  it("give whole batches and faults within the capture, the same however they arrive", () => {
    fc.assert(
      fc.property(captures, fc.nat(5000), (bytes, cut) => {
        const pieces = decode(format, bytes, cut)
        pieces.batches.forEach(expectWhole)
        for (const fault of pieces.faults) {
          expect(fault.offset >= 0 && fault.offset < Math.max(1, bytes.length)).toBe(true)
        }
        const whole = decode(format, bytes, bytes.length)
        expect(content(pieces.batches)).toEqual(content(whole.batches))
        expect(pieces.faults).toEqual(whole.faults)
        detectFormat(bytes)
      }),
      runs,
    )
  }, 120_000)
})

describe("foreign datagrams", () => {
  it("give a frame or a fault", () => {
    const header = fc.record({
      antennas: fc.nat(5),
      bins: fc.constantFrom(0, 64, 128, 192, 306, 65_535),
      mhz: fc.constantFrom(0, 2412, 5180, 4_294_967_295),
      length: fc.nat(700),
    }).map(({ antennas, bins, mhz, length }) => {
      const bytes = new Uint8Array(20 + (length < 350 ? 2 * antennas * Math.min(bins, 306) : length))
      const view = new DataView(bytes.buffer)
      view.setUint32(0, 0xc5110001, true)
      view.setUint8(5, antennas)
      view.setUint16(6, bins, true)
      view.setUint32(8, mhz, true)
      return bytes
    })
    const datagrams = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc.tuple(header, damage).map(([b, d]) => damaged(b, d)),
    )
    let understood = 0
    fc.assert(
      fc.property(datagrams, (bytes) => {
        const result = decodeRuviewDatagram(bytes, 0)
        if ("reason" in result) expect(result.offset).toBe(0)
        else {
          understood++
          expect(result.frame.csi.length).toBe(valuesPerFrame(result.frame.layout) * 2)
        }
      }),
      runs,
    )
    expect(understood).toBeGreaterThan(50)
  })
})
