import { describe, expect, it } from "vitest"
import type { CsiFrame } from "../../../core/formats/batch-builder.ts"
import type { Fault } from "../../../core/formats/decoder.ts"
import { type LineReader, LineRecords } from "../../../core/formats/line-records.ts"
import { RecordStream } from "../../../core/formats/record-stream.ts"

const layout = {
  format: "test",
  receiveAntennas: 1,
  transmitAntennas: 1,
  subcarrierIndices: Int16Array.of(1),
  subcarrierSpacingHz: 312_500,
  centerFrequencyHz: 0,
  bandwidthHz: 20e6,
}

/** Lines of at most twelve bytes, whose numbers become the sequence of a frame. */
class Numbers implements LineReader {
  readonly lineBytesMax = 12
  readonly hardware = null

  read(bytes: Uint8Array, from: number, to: number, add: (frame: CsiFrame) => void) {
    const text = new TextDecoder().decode(bytes.subarray(from, to))
    if (text === "") return null
    if (!/^\d+$/.test(text)) return { reason: "not-a-record", message: `"${text}" is no number` } as const
    const csi = Int8Array.of(1, 2)
    add({ layout, timestampUs: 0, sequence: Number(text), rssiDbm: 0, noiseFloorDbm: 0, transmitterId: "a", csi })
    return null
  }
}

/** The numbers of a text that comes in pieces of so many bytes, and its faults. */
const read = (text: string, pieceBytes: number) => {
  const bytes = new TextEncoder().encode(text)
  const stream = new RecordStream(new LineRecords(new Numbers()), { routerId: "r", source: "replay" })
  const numbers: Array<number> = []
  const faults: Array<Fault> = []
  const take = (result: ReturnType<typeof stream.push>): void => {
    for (const { sequences } of result.batches) numbers.push(...sequences)
    faults.push(...result.faults)
  }
  for (let at = 0; at < bytes.length; at += pieceBytes) take(stream.push(bytes.subarray(at, at + pieceBytes)))
  take(stream.end())
  return { numbers, faults: faults.map(({ offset, reason }) => [offset, reason]) }
}

describe.each([1, 2, 5, 13, 100])("lines in pieces of %i bytes", (pieceBytes) => {
  it("are read one by one, blank ones and the last one without an end as well", () => {
    expect(read("1\n22\n\n123456789012\n4", pieceBytes)).toEqual({
      numbers: [1, 22, 123456789012 >>> 0, 4],
      faults: [],
    })
  })

  it("are dropped up to their end if they are too long, at any length", () => {
    const long = "9".repeat(60)
    expect(read(`1\n${long}\n2\n1234567890123\n3\n${long}`, pieceBytes)).toEqual({
      numbers: [1, 2, 3],
      faults: [[2, "too-long"], [65, "too-long"], [81, "too-long"]],
    })
  })

  it("have faults with the position of invalid lines and of a truncated last line", () => {
    expect(read("1\nx\n2\ny", pieceBytes)).toEqual({ numbers: [1, 2], faults: [[2, "not-a-record"], [6, "truncated"]] })
  })
})
