import { describe, expect, it } from "vitest"
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import type { Fault } from "../../../core/formats/decoder.ts"
import { Inspector, linkBurstRateHz } from "../../../core/inspection/inspector.ts"
import { layoutOf } from "../signal/channel.ts"
import { capture, decoded, inspected } from "./captures.ts"

describe("inspection", () => {
  it("counts frames, links, loss and time of a regular capture", () => {
    const inspection = inspected(capture({ seconds: 20, rateHz: 50, silence: [5, 6] }))
    expect(inspection).toMatchObject({ frames: 950, links: 1, busiestLinks: [{ transmitterId: "ap", frames: 950 }] })
    expect(inspection.timing.durationS).toBeCloseTo(19.98)
    expect(inspection.timing.gaps).toMatchObject({ count: 1 })
    expect(inspection.loss).toBeCloseTo(50 / 1000)
    expect(inspection.presence).toMatchObject({ present: false, share: 0, motion: 0 })
    expect(inspection.amplitudeOnly).toBe(false)
  })

  it("keeps the loss that it counted when the device restarts", () => {
    const before = capture({ seconds: 20, rateHz: 50, silence: [5, 6] })
    const after = capture({ seconds: 15, rateHz: 50 })
      .map((batch) => ({ ...batch, timestampsUs: batch.timestampsUs.map((us) => us + 20e6) }))
    expect(inspected([...before, ...after]).loss).toBeCloseTo(50 / 1750)
  })

  it("takes the mean of |H| over frames of all layouts, in double precision", () => {
    const layout = layoutOf({ receiveAntennas: 1, subcarrierIndices: Int16Array.of(1, 2) })
    const [batch] = capture({ seconds: 1, rateHz: 1 })
    const one = { ...batch!, layout, csi: Float32Array.of(3, 4, 0, 0) }
    const two = { ...one, layout: layoutOf({ receiveAntennas: 1, subcarrierIndices: Int16Array.of(1) }) }
    const mean = inspected([one, { ...two, csi: Float32Array.of(0, 4) }]).amplitudeMean
    expect(mean).toBe(3)
  })

  it("leaves out of the mean what is no number", () => {
    const layout = layoutOf({ receiveAntennas: 1, subcarrierIndices: Int16Array.of(1, 2) })
    const [batch] = capture({ seconds: 1, rateHz: 1 })
    expect(inspected([{ ...batch!, layout, csi: Float32Array.of(3, 4, NaN, Infinity) }]).amplitudeMean).toBe(5)
  })

  it("lists the most common layout first, with its transmitters", () => {
    const wide = layoutOf({ bandwidthHz: 40e6 })
    const inspection = inspected([
      ...capture({ seconds: 1, rateHz: 30, layout: wide, transmitterId: "b" }),
      ...capture({ seconds: 1, rateHz: 50, transmitterId: "a" }),
    ])
    expect(inspection.links).toBe(2)
    expect(inspection.layouts.map(({ busiest, frames }) => [frames, busiest.transmitterId])).toEqual([[50, "a"], [
      30,
      "b",
    ]])
  })

  it("detects a moving person", () => {
    const { presence } = inspected(capture({ seconds: 20, rateHz: 100, shiftHz: 0.5 }))
    expect(presence.present).toBe(true)
    expect(presence.motion).toBeGreaterThan(0)
  })

  it("reports no breathing rate while a machine may cause it", () => {
    const breath = (t: number): number => 0.5 * Math.cos(2 * Math.PI * t / 4)
    const options = { seconds: 47, rateHz: 50 }
    expect(inspected(capture({ ...options, shiftHz: breath })).breathing.rateBpm).toBeCloseTo(15, 0)
    const afterFan = inspected(capture({ ...options, shiftHz: (t) => t < 4 ? 2 * Math.PI * 3 * t : breath(t) }))
    expect(afterFan.breathing).toEqual({ rateBpm: null, reason: expect.stringContaining("a machine runs") })
  })

  it("says of a capture without time that it says nothing, and why", () => {
    const still = capture({ seconds: 1, rateHz: 100 }).map((batch) => ({
      ...batch,
      timestampsUs: new Float64Array(batch.frameCount),
    }))
    const inspection = inspected(still)
    expect(inspection.timing).toMatchObject({ durationS: null, rateHz: null })
    expect(inspection.presence).toMatchObject({ present: null, reason: expect.stringContaining("no time") })
    expect(inspection.breathing).toMatchObject({ rateBpm: null, reason: expect.stringContaining("no time") })
  })

  it("counts packets that several receivers heard at the same time in the rate outside of the gaps", () => {
    const once = capture({ seconds: 4, rateHz: 50 })
    const twice = once.map((batch): CsiBatch => ({
      ...batch,
      frameCount: 2 * batch.frameCount,
      timestampsUs: Float64Array.from({ length: 2 * batch.frameCount }, (_, i) => batch.timestampsUs[i >> 1]!),
      sequences: new Uint32Array(2 * batch.frameCount),
      rssiDbm: new Int8Array(2 * batch.frameCount),
      noiseFloorDbm: new Int8Array(2 * batch.frameCount),
      transmitterIds: ["x>a", "x>b"],
      transmitterIndex: Uint16Array.from({ length: 2 * batch.frameCount }, (_, i) => i % 2),
      csi: Float32Array.from({ length: 2 * batch.csi.length }, (_, i) => {
        const numbers = batch.csi.length / batch.frameCount
        return batch.csi[Math.floor(i / (2 * numbers)) * numbers + i % numbers]!
      }),
    }))
    const [one, two] = [inspected(once), inspected(twice)]
    expect(two.timing.steadyRateHz! / one.timing.steadyRateHz!).toBeCloseTo(2, 1)
    expect(linkBurstRateHz(two)).toBeCloseTo(linkBurstRateHz(one)!, 0)
  })

  it("does not read every hop of a clock that jumps by a year", () => {
    const [before] = capture({ seconds: 1, rateHz: 50 })
    const later = { ...before!, timestampsUs: before!.timestampsUs.map((us) => us + 3e13) }
    expect(inspected([before!, later]).presence.answered).toBeLessThan(0.001)
  })

  it("lists a thousand faults and counts the others", () => {
    const inspector = new Inspector("r")
    const faults = Array.from({ length: 300 }, (_, offset): Fault => ({
      offset,
      reason: "bad-field",
      message: "field x",
    }))
    for (let i = 0; i < 5; i++) inspector.add(decoded([], faults, 7))
    const inspection = inspector.finish()
    expect(inspection.faults).toHaveLength(1000)
    expect(inspection.faultsOmitted).toBe(500 + 35)
  })
})
