import { describe, expect, it } from "vitest"
import { Reducer } from "../../../core/reduction/reduce.ts"
import { batchOf, layoutOf } from "../signal/channel.ts"
import { layout, packetsOf, reduce } from "./packets.ts"

describe("the calibrations and references of a reducer", () => {
  it("calibrates on the empty room for the given duration, and reports how quiet it was", () => {
    const reducer = new Reducer("router")
    reducer.startCalibration("empty", 8e6)
    const packets = packetsOf({ seconds: 20, echo: (t) => t > 12 ? 0.1 : 0 })
    const calibrated = reduce(reducer, packets).map((o) => o.calibrated)
    expect(calibrated.indexOf(true)).toBe(80)
    expect(calibrated.lastIndexOf(false)).toBe(79)
    expect(reducer.calibration).toEqual({
      room: "empty",
      durationUs: 8e6,
      elapsedUs: 8e6,
      done: true,
      hops: 80,
      movingHops: 0,
      linksCalibrated: 1,
    })
    const other = new Reducer("router")
    other.startCalibration("empty", 8e6)
    reduce(other, packetsOf({ seconds: 9, echo: () => 0.1 }))
    expect(other.calibration!.movingHops).toBeGreaterThan(30)
  })

  it("keeps links calibrated beside one that is not", () => {
    const reducer = new Reducer("router")
    reducer.startCalibration("empty", 3e6)
    reduce(reducer, packetsOf({ seconds: 4 }))
    const known = packetsOf({ seconds: 3, startUs: 4e6 })
    const stranger = packetsOf({ seconds: 3, startUs: 4e6, transmitters: ["phone"], seed: 3 })
      .filter(({ timestampUs }) => Math.floor(timestampUs / 1e5) % 3 === 0)
    const both = [...known, ...stranger].toSorted((a, b) => a.timestampUs - b.timestampUs)
    const observations = reduce(reducer, both)
    expect(observations.filter(({ links }) => links.length === 2).length).toBeGreaterThan(5)
    expect(new Set(observations.map(({ calibrated }) => calibrated))).toEqual(new Set([true]))
    const times = observations.flatMap(({ links }) =>
      links.map((link) => `${link.transmitterId} ${link.calibratedAtUs}`)
    )
    expect(new Set(times)).toEqual(new Set(["tx 3000000", "phone null"]))
  })

  it("begins a calibration again when the clock was set back, and does not end it when the clock was set forward", () => {
    const reducer = new Reducer("router")
    reducer.startCalibration("empty", 8e6)
    reduce(reducer, packetsOf({ seconds: 5, startUs: 100e6 }))
    reduce(reducer, packetsOf({ seconds: 6, startUs: 50e6 }))
    expect(reducer.counters.clockRestarts).toBe(1)
    expect(reducer.calibration).toMatchObject({ done: false, elapsedUs: 5.9e6, hops: 59 })
    reduce(reducer, packetsOf({ seconds: 1, startUs: 5_000e6 }))
    expect(reducer.calibration).toMatchObject({ done: false, elapsedUs: 6.9e6, hops: 69 })
    reduce(reducer, packetsOf({ seconds: 2, startUs: 5_001e6 }))
    expect(reducer.calibration).toMatchObject({ done: true, elapsedUs: 8e6, hops: 80, linksCalibrated: 1 })
  })

  it("returns its references, and continues with them after a restart", () => {
    const first = new Reducer("router")
    first.startCalibration("empty", 3e6)
    reduce(first, packetsOf({ seconds: 4 }))
    const saved = first.references()
    expect(saved).toMatchObject([{ transmitterId: "tx", calibration: { version: 1 } }])
    const second = new Reducer("router")
    second.restore([{ ...saved[0]!, transmitterId: "broken", response: new Float32Array(3) }, ...saved])
    expect(second.references()).toHaveLength(1)
    const observations = reduce(second, packetsOf({ seconds: 1, seed: 9 }))
    expect(observations[0]!.calibrated).toBe(true)
    expect(observations[0]!.links[0]!.dynamic.length).toBeGreaterThan(0)
    const residual = observations[0]!.links[0]!.dynamic
    expect(Math.max(...residual)).toBeLessThan(0.2)
    second.references()[0]!.response.fill(0)
    expect(second.references()[0]!.response).toEqual(saved[0]!.response)
  })

  it("removes a link after 5 minutes of silence, but keeps its calibration", () => {
    const reducer = new Reducer("router")
    reducer.startCalibration("empty", 2e6)
    reduce(reducer, packetsOf({ seconds: 3, transmitters: ["here", "gone"] }))
    const minute = (n: number) => packetsOf({ seconds: 1, startUs: 60e6 * n, transmitters: ["here"] })
    for (let n = 1; n <= 5; n++) reduce(reducer, minute(n))
    expect(reducer.transmitterIds).toEqual(["here", "gone"])
    reduce(reducer, minute(6))
    expect(reducer.transmitterIds).toEqual(["here"])
    expect(reducer.references().map(({ transmitterId }) => transmitterId)).toEqual(["gone", "here"])
    const [back] = reduce(reducer, packetsOf({ seconds: 1, startUs: 420e6, transmitters: ["gone"] })).slice(-1)
    expect(back).toMatchObject({ calibrated: true, links: [{ transmitterId: "gone" }] })
  })

  it("keeps the calibration of another channel over a restart, also beside a running mean or a calibration of this one", () => {
    const narrow = layoutOf({ receiveAntennas: 1 })
    const pushNarrow = (reducer: Reducer, seconds: number, startUs: number) => {
      const packets = packetsOf({ seconds, startUs }).map((p) => ({ ...p, csi: p.csi.slice(0, 112) }))
      for (let at = 0; at < packets.length; at += 10) reducer.push(batchOf(narrow, packets.slice(at, at + 10)))
    }
    const reducer = new Reducer("router")
    reducer.startCalibration("empty", 3e6)
    reduce(reducer, packetsOf({ seconds: 4 }))
    pushNarrow(reducer, 8, 4e6)
    expect(reducer.layout!.receiveAntennas).toBe(1)
    const restarted = (before: Reducer) => {
      const after = new Reducer("router")
      after.restore(before.references())
      return after
    }
    const back = restarted(reducer)
    reduce(back, packetsOf({ seconds: 1, startUs: 20e6 }))
    expect(back.calibrationStatus()).toMatchObject({ version: 1, calibratedLinks: 1, stale: null })
    reducer.startCalibration("empty", 3e6)
    pushNarrow(reducer, 4, 12e6)
    expect(reducer.calibrationStatus()).toMatchObject({ version: 2, calibratedLinks: 1 })
    const both = restarted(restarted(reducer))
    expect(both.references()).toHaveLength(2)
    const observed = reduce(both, packetsOf({ seconds: 1, startUs: 20e6 }))
    expect(observed[0]!.links[0]!.calibratedAtUs).toBe(3e6)
  })

  it("is not outdated when it was never calibrated, after a restart on the same or another channel", () => {
    const first = new Reducer("router")
    reduce(first, packetsOf({ seconds: 4 }))
    for (const layoutNow of [layout, layoutOf({ centerFrequencyHz: 2.4e9 })]) {
      const second = new Reducer("router")
      second.restore(first.references())
      second.push(batchOf(layoutNow, packetsOf({ seconds: 1, startUs: 5e6 })))
      expect(second.calibrationStatus()).toMatchObject({ version: 0, takenAtUs: null, stale: null })
    }
  })
})
