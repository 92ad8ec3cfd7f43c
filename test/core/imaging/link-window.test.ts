import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { addHop, createLinkWindow, isWithin, noiseAt, packetsAt } from "../../../core/imaging/link-window.ts"
import { createToneBasis, projectTones } from "../../../core/imaging/tone-basis.ts"
import {
  antennas,
  type EchoWorld,
  evenly,
  fourNodes,
  gliding,
  hopS,
  linkObservationOf,
  standing,
  tonesHz,
} from "../../harness/echoes.ts"

const [tx, rx] = [fourNodes.nodes[0]!, fourNodes.nodes[2]!]
const basis = createToneBasis(tonesHz, 12)
const samplesPerHop = 5
const values = 2 * antennas * tonesHz.length

const windowOf = (world: EchoWorld, hops: ReadonlyArray<number>) => {
  const window = createLinkWindow(basis, antennas, 10, samplesPerHop)
  for (const hop of hops) addHop(window, hop, linkObservationOf(world, tx, rx, hop))
  return window
}
const tenHops = Array.from({ length: 10 }, (_, hop) => hop)
const walker = gliding([3, 2, 1], [0.6, -0.4, 0], 0.3)

describe("the window of a link", () => {
  it("adds each packet to the sample of its own time, as the mean of that sample's packets", () => {
    const time = fc.double({ min: 0, max: hopS * 0.999_999, noNaN: true })
    fc.assert(
      fc.property(fc.array(time, { minLength: 1, maxLength: 12 }), (timesS) => {
        const world: EchoWorld = { points: [walker], packetTimesS: () => timesS }
        const { dynamic, dynamicTimesS } = linkObservationOf(world, tx, rx, 7)
        const slot = windowOf(world, [7]).slots[7]!
        const size = antennas * basis.size
        const sums = Array.from({ length: samplesPerHop }, () => new Float64Array(2 * size))
        const counts = new Array<number>(samplesPerHop).fill(0)
        const packet = new Float64Array(2 * size)
        for (const [t, timeS] of dynamicTimesS.entries()) {
          const sample = Math.min(samplesPerHop - 1, Math.floor(timeS / (hopS / samplesPerHop)))
          counts[sample]!++
          projectTones(basis, antennas, dynamic, t * values, packet, 0)
          for (let i = 0; i < packet.length; i++) sums[sample]![i]! += packet[i]!
        }
        expect([...slot.counts]).toEqual(counts)
        for (const [sample, sum] of sums.entries()) {
          for (let i = 0; i < sum.length; i++) {
            const mean = sum[i]! / Math.max(1, counts[sample]!)
            expect(slot.samples[2 * size * sample + i]).toBeCloseTo(mean, 12)
          }
        }
      }),
      { seed: 1, numRuns: 50 },
    )
  })

  it("clamps times that rounding moved outside the hop", () => {
    const slot = windowOf({ points: [walker], packetTimesS: () => [-1e-9, hopS, hopS + 1e-6] }, [4]).slots[4]!
    expect([...slot.counts]).toEqual([1, 0, 0, 0, 2])
  })

  it("counts only the packets of its hops", () => {
    const window = windowOf({ points: [], packetTimesS: (hop) => evenly(hop) }, [1, 2, 3, 8])
    expect(packetsAt(window, 8)).toBe(14)
    expect(packetsAt(window, 3)).toBe(6)
    expect(packetsAt(window, 12)).toBe(11)
    expect(packetsAt(window, 18)).toBe(0)
    expect(window.slots.filter((slot) => isWithin(window, slot, 12)).map(({ hop }) => hop)).toEqual([3, 8])
  })

  it("keeps nothing of a replaced hop", () => {
    const loud: EchoWorld = { points: [walker], noiseRms: 0.3 }
    const quiet: EchoWorld = { points: [], packetTimesS: () => evenly(2) }
    const window = windowOf(loud, [3])
    addHop(window, 13, linkObservationOf(quiet, tx, rx, 13))
    expect(window.slots[3]).toEqual(windowOf(quiet, [13]).slots[3])
  })

  it("keeps its size, however long it runs", () => {
    const sizesOf = ({ slots }: ReturnType<typeof windowOf>) =>
      slots.map(({ coefficients, counts, samples, values: sums }) =>
        [coefficients, counts, samples, sums].map(({ length }) => length)
      )
    const world: EchoWorld = { points: [], packetTimesS: (hop) => evenly(hop % 64) }
    const window = windowOf(world, Array.from({ length: 200 }, (_, hop) => hop))
    expect(sizesOf(window)).toEqual(sizesOf(windowOf(world, [])))
    expect(window.slots.map(({ hop }) => hop).toSorted((a, b) => a - b)).toEqual(tenHops.map((hop) => 190 + hop))
  })
})

describe("the noise of a window", () => {
  /** Mean of the estimates over windows with different noise. */
  const meanNoiseOf = (world: EchoWorld): number => {
    const estimates = Array.from(
      { length: 30 },
      (_, i) => noiseAt(windowOf(world, tenHops.map((hop) => hop + 10 * i)), 9 + 10 * i),
    )
    return estimates.reduce((sum, value) => sum + value, 0) / estimates.length
  }

  it("is that of one packet's coefficient, for any number of packets", () => {
    for (const packets of [1, 3, 10]) {
      const noise = meanNoiseOf({ points: [], noiseRms: 0.05, packetTimesS: () => evenly(packets) })
      // About 1500 independent values for a packet a hop.
      expect(noise / (2 * 0.05 ** 2), `${packets} packets`).toBeGreaterThan(0.97)
      expect(noise / (2 * 0.05 ** 2), `${packets} packets`).toBeLessThan(1.03)
    }
  })

  it("does not count echoes, neither moving nor static ones", () => {
    const points = [standing([3, 4, 1], 1), gliding([2, 2, 1], [0.2, 0.1, 0], 0.3)]
    expect(meanNoiseOf({ points })).toBeLessThan(2e-5)
    const noise = meanNoiseOf({ points, noiseRms: 0.05 })
    expect(noise / (2 * 0.05 ** 2)).toBeGreaterThan(0.97)
    expect(noise / (2 * 0.05 ** 2)).toBeLessThan(1.03)
  })
})
