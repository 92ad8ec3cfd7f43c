/** The readings that a router reports to its edge node; for beamforming feedback from the bits of the reports to the scan. */
import { describe, expect, it } from "vitest"
import { createNodeReadings, type DraftReading } from "../../../actors/router/node-readings.ts"
import { Reducer } from "../../../core/reduction/reduce.ts"
import { actionFrame, pcapFile, radiotap, reportBody } from "../../core/formats/beamforming-frames.ts"
import { joined } from "../../core/formats/damage.ts"
import { breath } from "../../core/vitals/chest.ts"
import { uniform } from "../../core/signal/channel.ts"
import { decodeBytes } from "../../harness/decode.ts"

/** Tones of a VHT report of 20 MHz without grouping. */
const tones = Array.from({ length: 57 }, (_, i) => i - 28).filter((k) => k !== 0 && ![7, 21].includes(Math.abs(k)))
const bits = { phi: 9, psi: 7 } as const
const wavelengthM = 299_792_458 / 5.18e9

/** A station's channel to two antennas of the access point: what stands still, and one echo of a body. */
const station = (seed: number, pathM: (seconds: number) => number, echo: number) => {
  const random = uniform(seed)
  const paths = Array.from({ length: 5 }, () => ({
    turns: [random(), random()],
    delayS: 60e-9 * random(),
    strength: 0.3 + random(),
  }))
  const own = { turns: [random(), random()], delayS: 40e-9 }
  return (seconds: number) =>
    tones.map((tone) =>
      [0, 1].map((antenna) => {
        let [re, im] = [0, 0]
        for (const { delayS, strength, turns } of paths) {
          const angle = 2 * Math.PI * (turns[antenna]! - tone * 312_500 * delayS)
          re += strength * Math.cos(angle)
          im += strength * Math.sin(angle)
        }
        const moved = own.turns[antenna]! - tone * 312_500 * own.delayS - pathM(seconds) / wavelengthM
        return [re + echo * Math.cos(2 * Math.PI * moved), im + echo * Math.sin(2 * Math.PI * moved)] as const
      })
    )
}

/** The angles of the report on a channel of one stream, as a station quantises them. */
const anglesOf = (channel: ReturnType<ReturnType<typeof station>>) =>
  channel.flatMap(([first, second]) => {
    const phase = Math.atan2(second![1], second![0]) - Math.atan2(first![1], first![0])
    const phi = ((phase % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI)
    const psi = Math.atan2(Math.hypot(...second!), Math.hypot(...first!))
    const quantised = (angle: number, width: number, step: number) =>
      Math.min(2 ** width - 1, Math.max(0, Math.round(angle / step - 0.5)))
    return [
      [quantised(phi, bits.phi, Math.PI / 2 ** (bits.phi - 1)), bits.phi],
      [quantised(psi, bits.psi, Math.PI / 2 ** (bits.psi + 1)), bits.psi],
    ] as const
  })

/** A capture of two stations that report by turns, each fifty times a second. */
const captureOf = (seconds: number, stations: ReadonlyArray<ReturnType<typeof station>>) =>
  pcapFile(
    127,
    Array.from({ length: 100 * seconds }, (_, i) => {
      const which = i % stations.length
      const angles = anglesOf(stations[which]!(i / 100))
      return joined(
        radiotap(),
        actionFrame(reportBody({ rows: 2, columns: 1, codebook: 1, multiUser: true, angles }), 7 + which),
      )
    }),
  )

/** The readings of a capture, hop by hop. */
const readingsOf = (capture: Uint8Array): ReadonlyArray<DraftReading> => {
  const reducer = new Reducer("monitor")
  const readings = createNodeReadings()
  return decodeBytes(capture).batches.flatMap((batch) =>
    reducer.push(batch).map((observation) => readings.of(observation, reducer.layout!.format))
  )
}

/** Comes in, and keeps still after eight seconds. */
const comesAndBreathes = (rateBpm: number) => (seconds: number) =>
  seconds < 8 ? 2.4 * seconds : 2.4 * 8 + breath(rateBpm)(seconds)

/** How often each answer was given in these readings. */
const countsOf = (readings: ReadonlyArray<DraftReading>, of: (reading: DraftReading) => unknown) => {
  const counts = new Map<unknown, number>()
  for (const reading of readings) counts.set(of(reading), (counts.get(of(reading)) ?? 0) + 1)
  return counts
}

describe("beamforming feedback", () => {
  const two = readingsOf(captureOf(70, [station(1, comesAndBreathes(13), 0.3), station(2, comesAndBreathes(20), 0.3)]))

  it("reports presence and a count of two for two breathing persons, each beside a station", () => {
    const settled = two.slice(-150)
    expect(countsOf(settled, ({ presence }) => presence.present)).toEqual(new Map([[true, 150]]))
    expect(countsOf(settled, ({ scan }) => scan!.personCount).get(2)).toBeGreaterThan(140)
    expect(two.at(-1)).toMatchObject({ kind: "beamforming-feedback", linksUsed: 2, scan: { stations: 2 } })
  })

  it("counts none while they walk, and never too many", () => {
    for (const { scan } of two.slice(0, 80)) expect(scan!.personCount).toBeNull()
    for (const { scan } of two) expect(scan!.personCount ?? 1).toBeLessThanOrEqual(2)
    expect(two[60]!.scan!.personCountReason).not.toBeNull()
  })

  it("reports the time of the last beamforming report, to the nanosecond", () => {
    const { timestampMs, scan } = two[20]!
    const endNs = BigInt(timestampMs) * 1_000_000n
    expect(scan!.timestampNs).toBeLessThanOrEqual(endNs)
    expect(scan!.timestampNs).toBeGreaterThan(endNs - 100_000_000n)
  })

  it("counts one person whom both stations sense once", () => {
    const one = readingsOf(
      captureOf(60, [station(3, comesAndBreathes(15), 0.3), station(4, comesAndBreathes(15), 0.2)]),
    )
    expect(countsOf(one.slice(-100), ({ scan }) => scan!.personCount).get(1)).toBeGreaterThan(90)
  })

  it("reports an empty room as empty", () => {
    const random = uniform(9)
    // What quantisation and noise leave: an echo that is none.
    const still = () => 0.002 * random()
    const empty = readingsOf(captureOf(40, [station(5, still, 0.05), station(6, still, 0.05)])).slice(-50)
    const said = countsOf(empty, ({ scan }) => `${scan!.presence.present} ${scan!.personCount}`)
    expect([...said.keys()].every((key) => key === "false 0" || key === "null null")).toBe(true)
    expect(said.get("false 0")).toBeGreaterThan(25)
  })
})

it("has no scan of directly measured channels", () => {
  const readings = createNodeReadings()
  const reducer = new Reducer("monitor")
  const [batch] = decodeBytes(captureOf(2, [station(1, () => 0, 0)])).batches
  const [observation] = reducer.push(batch!)
  expect(readings.of(observation!, "esp32-csi-tool").scan).toBeNull()
})
