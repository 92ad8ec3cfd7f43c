import { describe, expect, it } from "vitest"
import { Reducer } from "../../../core/reduction/reduce.ts"
import { isMotion } from "../../../core/signal/motion-statistic.ts"
import { batchOf, echoes, layoutOf, tones56, uniform } from "../signal/channel.ts"
import { batches, layout, packetsOf, reduce, rows } from "./packets.ts"

describe("reducer", () => {
  it("gives one observation per finished hop, and the last one on flush", () => {
    const reducer = new Reducer("router")
    const observations = reduce(reducer, packetsOf({ seconds: 2, startUs: 5_000_000 }))
    expect(observations.map((o) => o.hop)).toEqual(Array.from({ length: 19 }, (_, i) => 50 + i))
    expect(reducer.flush(6_999_999)).toEqual([])
    expect(reducer.flush(7_000_000).map((o) => o.hop)).toEqual([69])
    expect(reducer.flush(9_000_000)).toEqual([])
    expect(observations[5]).toMatchObject({
      routerId: "router",
      source: "simulated",
      calibrated: false,
      receiveAntennas: 3,
      centerFrequencyHz: 5.5e9,
      packetRateHz: 100,
      packetLoss: 0,
    })
    expect(observations[5]!.links).toMatchObject([{ transmitterId: "tx", packets: 10, rssiDbm: -50 }])
  })

  it("gives the same observations for any division into batches", () => {
    const packets = packetsOf({ seconds: 6, echo: (t) => t > 3 ? 0.1 : 0 })
    const a = new Reducer("router")
    const b = new Reducer("router")
    const small = batches(packets, 37).flatMap((batch) => a.push(batch))
    expect(small).toEqual(batches(packets, 100).flatMap((batch) => b.push(batch)))
    expect(small).toHaveLength(59)
  })

  it("gives no hop without packets", () => {
    const reducer = new Reducer("router")
    const packets = packetsOf({ seconds: 3 }).filter((p) => p.timestampUs < 1e6 || p.timestampUs >= 2e6)
    const hops = reduce(reducer, packets).map((o) => o.hop)
    expect(hops).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 21, 22, 23, 24, 25, 26, 27, 28])
  })

  it("sorts a batch by time, and counts frames of a hop that is over", () => {
    const packets = packetsOf({ seconds: 1 })
    const shuffled = [...packets.slice(0, 30)].reverse()
    const reducer = new Reducer("router")
    const observations = [
      ...reducer.push(batchOf(layout, shuffled)),
      ...reducer.push(batchOf(layout, packets.slice(30))),
    ]
    expect(observations.map((o) => o.links[0]!.packets)).toEqual(new Array(9).fill(10))
    expect(reducer.counters.late).toBe(0)
    reducer.push(batchOf(layout, packets.slice(0, 7)))
    expect(reducer.counters.late).toBe(7)
    reducer.flush(1_000_000)
    reducer.push(batchOf(layout, packets.slice(95)))
    expect(reducer.counters.late).toBe(12)
  })

  it("counts lost packets by the device's counter", () => {
    const packets = packetsOf({ seconds: 4 }).filter((_, i) => i % 5 !== 0)
    expect(reduce(new Reducer("router"), packets).at(-1)!.packetLoss).toBeCloseTo(0.2, 1)
  })

  it("gives the moving echo as dynamic response, and its power against the static one", () => {
    const observations = reduce(new Reducer("router"), packetsOf({ seconds: 20, echo: (t) => t > 10 ? 0.1 : 0 }))
    const still = observations[95]!.links[0]!
    const moving = observations[185]!.links[0]!
    expect(observations[3]!.links[0]).toMatchObject({ motionStatistic: null, slowStatistic: null })
    expect(observations[3]!.links[0]!.dynamic).toHaveLength(0)
    expect(observations[3]!.links[0]!.dynamicTimesS).toHaveLength(0)
    expect(moving.dynamic).toHaveLength((moving.packets - moving.outliers) * 3 * observations[0]!.tonesHz.length * 2)
    expect(still.motionStatistic! / still.motionStatisticSigma).toBeLessThan(4)
    expect(moving.motionStatistic! / moving.motionStatisticSigma).toBeGreaterThan(8)
    const room = echoes(uniform(100), rows, tones56, 1)
    const staticPower = room.reduce((sum, value) => sum + value * value, 0) / (room.length / 2)
    // 11 Hz rotate by 40 degrees from packet to packet, 1.1 dB; a packet's own gain absorbs the parallel part of the echo.
    const againstTruthDb = 10 * Math.log10(moving.dynamicPower! / (0.01 / staticPower))
    expect(againstTruthDb).toBeGreaterThan(-3.5)
    expect(againstTruthDb).toBeLessThan(0.2)
    expect(still.dynamicPower).toBeLessThan(moving.dynamicPower! / 50)
  })

  it("keeps up to 64 links, rejects further ones, and replaces silent ones", () => {
    const transmitters = Array.from({ length: 67 }, (_, i) => `tx${i}`)
    const reducer = new Reducer("router")
    const observations = reduce(reducer, packetsOf({ seconds: 1, rateHz: 1340, transmitters }))
    expect(observations[3]!.links).toHaveLength(64)
    expect(reducer.counters.linksFull).toBe(3 * 20)
    const later = reduce(reducer, packetsOf({ seconds: 1, startUs: 20e6, transmitters: ["new"] }))
    expect(later.at(-1)!.links.map((link) => link.transmitterId)).toEqual(["new"])
  })

  it("changes the layout once where two of them have the same share", () => {
    const narrow = layoutOf({ receiveAntennas: 1 })
    const reducer = new Reducer("router")
    const layouts = packetsOf({ seconds: 10 }).map((p, i) => {
      const isWide = i % 4 === 0 || i % 4 === 3
      reducer.push(batchOf(isWide ? layout : narrow, [isWide ? p : { ...p, csi: p.csi.slice(0, 112) }]))
      return reducer.layout!.receiveAntennas
    })
    expect(layouts.filter((antennas, i) => i > 0 && antennas !== layouts[i - 1])).toEqual([1])
  })

  it("keeps the layout of the majority of frames", () => {
    const narrow = layoutOf({ receiveAntennas: 1 })
    const one = packetsOf({ seconds: 30 })
    const reducer = new Reducer("router")
    reduce(reducer, one.slice(0, 100))
    const stray = one.slice(100, 130).map((p) => ({ ...p, csi: p.csi.slice(0, 112) }))
    expect(reducer.push(batchOf(narrow, stray))).toEqual([])
    expect(reducer.counters.otherLayout).toBe(30)
    const changed = one.slice(200, 400).map((p) => ({ ...p, csi: p.csi.slice(0, 112) }))
    const observations = []
    for (let at = 0; at < changed.length; at += 10) {
      observations.push(...reducer.push(batchOf(narrow, changed.slice(at, at + 10))))
    }
    expect(observations.at(-1)).toMatchObject({ receiveAntennas: 1 })
  })

  it("drops invalid frames, and counts them", () => {
    const packets = packetsOf({ seconds: 1 })
    const reducer = new Reducer("router")
    const frames = packets.slice(0, 8).map((p) => ({ ...p, csi: p.csi.slice() }))
    frames[2]!.csi.fill(0)
    frames[4]!.csi[7] = NaN
    const odd = { ...frames[6]!, timestampUs: NaN }
    const batch = batchOf(layout, [...frames, odd])
    batch.transmitterIndex[7] = 900
    reducer.push(batch)
    expect(reducer.counters.invalid).toBe(4)
    reducer.push({ ...batchOf(layout, packets), csi: new Float32Array(10) })
    expect(reducer.counters.invalid).toBe(104)
  })

  it("bounds a hop of one link, and averages the rows beyond an observation's limit", () => {
    const reducer = new Reducer("router")
    const [hop] = reduce(reducer, packetsOf({ seconds: 2, rateHz: 3000, startUs: 7e6 })).slice(15)
    expect(hop!.links[0]!.packets).toBe(256)
    expect(reducer.counters.overflow).toBe(20 * 44)
    const rowLength = 2 * 3 * hop!.tonesHz.length
    expect(hop!.links[0]!.dynamic.length / rowLength).toBeLessThanOrEqual(64)
    expect(hop!.links[0]!.dynamic.length / rowLength).toBeGreaterThan(30)
    // Four packets a row, a third of a millisecond apart, up to the 256th of the hop.
    const times = hop!.links[0]!.dynamicTimesS
    expect(times).toHaveLength(hop!.links[0]!.dynamic.length / rowLength)
    expect(times[0]).toBeCloseTo(1.5 / 3000, 5)
    expect(times.at(-1)).toBeCloseTo(253.5 / 3000, 4)
    for (const [i, time] of times.entries()) if (i > 0) expect(time - times[i - 1]!).toBeCloseTo(4 / 3000, 5)
  })

  it("gives the packet time of each row of the dynamic response", () => {
    const packets = packetsOf({ seconds: 3, startUs: 40_000_000 }).filter((_, n) => n % 10 !== 4)
    const { hop, links: [link] } = reduce(new Reducer("router"), packets)[25]!
    const came = packets.filter(({ timestampUs }) => Math.floor(timestampUs / 100_000) === hop)
    expect(link!.outliers).toBe(0)
    expect([...link!.dynamicTimesS]).toEqual(
      came.map(({ timestampUs }) => Math.fround((timestampUs - hop * 100_000) / 1e6)),
    )
    expect([...link!.dynamicTimesS].map((time) => Math.round(100 * time))).toEqual([0, 1, 2, 3, 5, 6, 7, 8, 9])
  })

  it("restarts when the clock was set back, but not for a few stray frames", () => {
    const reducer = new Reducer("router")
    reduce(reducer, packetsOf({ seconds: 2, startUs: 100e6 }))
    reduce(reducer, packetsOf({ seconds: 1, startUs: 10e6 }).slice(0, 5))
    expect(reducer.counters).toMatchObject({ late: 5, clockRestarts: 0 })
    reduce(reducer, packetsOf({ seconds: 1, startUs: 102e6 }))
    const back = reduce(reducer, packetsOf({ seconds: 2, startUs: 10e6 }))
    expect(reducer.counters).toMatchObject({ late: 12, clockRestarts: 1 })
    expect(back.map((o) => o.hop).slice(-3)).toEqual([116, 117, 118])
  })

  it.each([100, 5])("reports no motion in an empty room that has changed during a silence: %i packets/s", (rateHz) => {
    const reducer = new Reducer("router")
    reducer.startCalibration("empty", 50e6)
    reduce(reducer, packetsOf({ seconds: 60, rateHz }))
    const changed = packetsOf({
      seconds: 60,
      rateHz: 2 * rateHz,
      startUs: 120e6,
      transmitters: ["other", "tx"],
      seed: 2,
    })
    const links = reduce(reducer, changed.filter(({ transmitterId }) => transmitterId === "tx"))
      .filter(({ hop }) => hop >= 1200).flatMap((observation) => observation.links)
    const known = links.filter(({ motionStatistic }) => motionStatistic !== null)
    expect(known.length).toBeGreaterThan(rateHz === 100 ? 590 : 200)
    expect(known.filter((link) => isMotion(link.motionStatistic, link.motionStatisticSigma))).toEqual([])
    expect(links.findIndex(({ windowWhole }) => windowWhole)).toBeGreaterThan(30)
  })

  it("keeps the motion window of a link with few packets over a gap that is shorter", () => {
    const reducer = new Reducer("router")
    const packets = packetsOf({ seconds: 120, rateHz: 3 })
      .filter(({ timestampUs }) => timestampUs < 70e6 || timestampUs >= 80e6)
    const later = reduce(reducer, packets).filter(({ hop }) => hop >= 800 && hop < 900)
    expect(later.every(({ links }) => links[0]!.windowWhole)).toBe(true)
  })
})
