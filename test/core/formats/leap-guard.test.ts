import { describe, expect, it } from "vitest"
import { type CsiFrame, unknownTransmitterId } from "../../../core/formats/batch-builder.ts"
import { LeapGuard } from "../../../core/formats/leap-guard.ts"
import { layoutOf } from "../signal/channel.ts"

const layout = layoutOf({ receiveAntennas: 1, subcarrierIndices: Int16Array.of(1) })

/** The frames that pass before the end and with it, as time and value. The decoder reuses the memory of their values. */
const passed = (timesUs: ReadonlyArray<number>) => {
  const frames: Array<readonly [number, number]> = []
  const csi = new Int16Array(2)
  const guard = new LeapGuard(({ csi, timestampUs }) => frames.push([timestampUs, csi[0]!]))
  for (const [i, timestampUs] of timesUs.entries()) {
    csi[0] = i
    const frame: CsiFrame = {
      layout,
      timestampUs,
      sequence: 0,
      rssiDbm: 0,
      noiseFloorDbm: 0,
      transmitterId: unknownTransmitterId,
      csi,
    }
    guard.add(frame)
  }
  const before = frames.length
  guard.finish()
  return { frames, before }
}

describe("leap guard", () => {
  it("gives a frame whose time the next one refutes the time before it", () => {
    const { frames } = passed([0, 10_000, 1111e6, 30_000, 40_000])
    expect(frames).toEqual([[0, 0], [10_000, 1], [10_000, 2], [30_000, 3], [40_000, 4]])
  })

  it("keeps the time after a silence, of all frames of a packet, also at the end", () => {
    const times = [0, 60e6, 60e6, 60.01e6, 500e6]
    const { before, frames } = passed(times)
    expect(frames).toEqual(times.map((us, i) => [us, i]))
    expect(before).toBe(4)
  })

  it("holds back no more frames than a packet has", () => {
    const { before } = passed([0, ...Array.from({ length: 1000 }, () => 60e6)])
    expect(before).toBeGreaterThan(900)
  })

  it("delivers steps of less than ten seconds at once", () => {
    expect(passed([0, 10e6, 19e6, 18.5e6]).before).toBe(4)
  })
})
