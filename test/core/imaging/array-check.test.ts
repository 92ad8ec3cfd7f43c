import { describe, expect, it } from "vitest"
import { type Arrival, judgeArrays } from "../../../core/imaging/array-check.ts"
import { createArrayWatch, noArrayFinding } from "../../../core/imaging/array-watch.ts"
import type { RadioNode, SiteGeometry, Vector3 } from "../../../core/imaging/geometry.ts"
import type { LinkObservation, Observation } from "../../../core/observation/observation.ts"
import { leftOutFindingsOf } from "../../../protocols/domain/array-findings.ts"
import { createRandom } from "../../../sim/randomness/random.ts"

const places: ReadonlyArray<Vector3> = [
  [0.2, 0.5, 1],
  [5.8, 0.8, 1.6],
  [5.6, 4.6, 0.9],
  [0.3, 4.2, 1.8],
  [3, 0.2, 1.2],
  [2.6, 4.8, 1.4],
]
const axes: ReadonlyArray<Vector3> = [[0, 1, 0], [0, 1, 0], [0.6, 0.8, 0], [1, 0, 0], [1, 0, 0], [0.8, -0.6, 0]]
const siteOf = (count = places.length): SiteGeometry => ({
  size: [6, 5, 2.6],
  nodes: places.slice(0, count).map((position, i): RadioNode => ({
    nodeId: `n${i}`,
    position,
    arrayAxis: axes[i]!,
  })),
})

const antennas = 3

/** The leads that a site measures, each with the given deviation; `offsets` are the errors of each receiver's antennas. */
const arrivalsOf = (
  { nodes }: SiteGeometry,
  seed: number,
  sigmaRad: number,
  offsets: (receiver: string) => ReadonlyArray<number> = () => [0, 0],
): ReadonlyArray<Arrival> => {
  const random = createRandom(seed, "arrivals")
  return nodes.flatMap((to) =>
    nodes.filter((from) => from !== to).map((from): Arrival => {
      const way = from.position.map((value, i) => value - to.position[i]!)
      const cos = way.reduce((sum, value, i) => sum + value * to.arrayAxis[i]!, 0) / Math.hypot(...way)
      return {
        receiver: to.nodeId,
        transmitter: from.nodeId,
        leadsRad: Float32Array.from(
          offsets(to.nodeId),
          (offset) => Math.PI * cos + offset + sigmaRad * random.normal(),
        ),
      }
    })
  )
}

/** Other positions and directions behind the same ids. */
const permuted = ({ nodes, size }: SiteGeometry, order: ReadonlyArray<number>): SiteGeometry => ({
  size,
  nodes: nodes.map(({ nodeId }, i) => ({ ...nodes[order[i]!]!, nodeId })),
})

const seeds = Array.from({ length: 40 }, (_, i) => i)

describe("the arrays of a site", () => {
  it.each([3, 4, 6])("raise no alarm when calibrated and placed right, %i nodes", (count) => {
    for (const seed of seeds) {
      expect(judgeArrays(siteOf(count), arrivalsOf(siteOf(count), seed, 0.5))).toEqual({
        misplaced: [],
        uncalibrated: new Map(),
      })
    }
  })

  it("tell the offsets of uncalibrated antennas, within the error of other paths", () => {
    const offsets = [2, -2.5]
    for (const seed of seeds) {
      const arrivals = arrivalsOf(siteOf(), seed, 0.4, (id) => id === "n2" ? offsets : [0, 0])
      const { misplaced, uncalibrated } = judgeArrays(siteOf(), arrivals)
      expect(misplaced).toEqual([])
      expect([...uncalibrated.keys()]).toEqual(["n2"])
      uncalibrated.get("n2")!.forEach((found, pair) => {
        expect(Math.cos(found - offsets[pair]!)).toBeGreaterThan(0.75)
      })
    }
  })

  it("raise no alarm for a receiver whose direct paths are weak, so that other paths scatter its residuals", () => {
    const named = seeds.filter((seed) => {
      const scattered = arrivalsOf(siteOf(), seed, 1.2)
      const arrivals = arrivalsOf(siteOf(), seed + 100, 0.5).map((arrival, i) =>
        arrival.receiver === "n4" ? scattered[i]! : arrival
      )
      const { misplaced, uncalibrated } = judgeArrays(siteOf(), arrivals)
      return misplaced.length + uncalibrated.size > 0
    })
    expect(named.length).toBeLessThan(0.1 * seeds.length)
  })

  it("name a node that was moved", () => {
    const named = seeds.filter((seed) => {
      const measured: SiteGeometry = {
        ...siteOf(),
        nodes: siteOf().nodes.map((node, i) =>
          i === 3 ? { ...node, position: [5.7, 2.4, 1], arrayAxis: [0, 1, 0] } : node
        ),
      }
      const { misplaced } = judgeArrays(siteOf(), arrivalsOf(measured, seed, 0.4))
      return misplaced.length === 1 && misplaced[0] === "n3"
    })
    expect(named.length).toBeGreaterThan(0.9 * seeds.length)
  })

  it.each([[[1, 2, 3, 4, 5, 0]], [[2, 3, 4, 5, 0, 1]]])("stop locating for permuted nodes, %o", (order) => {
    const stopped = seeds.filter((seed) => {
      const watch = createArrayWatch(permuted(siteOf(), order))
      watch.take(1, observationsOf(arrivalsOf(siteOf(), seed, 0.4)))
      return watch.finding().stopped !== null
    })
    expect(stopped.length).toBeGreaterThan(0.9 * seeds.length)
  })
})

const link = (transmitterId: string, leadsRad: Float32Array, dynamic: Float32Array): LinkObservation =>
  ({ transmitterId, leadsRad, dynamic }) as LinkObservation

/** Observations of one tone whose dynamic response shows the antennas' own phases. */
const observationsOf = (
  arrivals: ReadonlyArray<Arrival>,
  offsets: (receiver: string) => ReadonlyArray<number> = () => [0, 0],
): ReadonlyArray<Observation> =>
  [...new Set(arrivals.map(({ receiver }) => receiver))].map((routerId) => {
    const [first, second] = offsets(routerId)
    const phases = [0, first!, first! + second!]
    return {
      routerId,
      hop: 1,
      receiveAntennas: antennas,
      tonesHz: new Float32Array(1),
      links: arrivals.filter(({ receiver }) => receiver === routerId).map(({ leadsRad, transmitter }) =>
        link(transmitter, leadsRad, Float32Array.from(phases.flatMap((rad) => [Math.cos(rad), Math.sin(rad)])))
      ),
    } as unknown as Observation
  })

describe("the watch of arrays", () => {
  it("turns the antennas of an uncalibrated receiver back and leaves the others as they are", () => {
    const offsets = (id: string): ReadonlyArray<number> => id === "n1" ? [1.5, 2.2] : [0, 0]
    const watch = createArrayWatch(siteOf())
    const given = observationsOf(arrivalsOf(siteOf(), 1, 0.1, offsets), offsets)
    const taken = watch.take(1, given)
    expect(watch.finding()).toEqual({ ...noArrayFinding, selfCalibrated: ["n1"] })
    expect(taken[0]).toBe(given[0])
    for (const { dynamic } of taken[1]!.links) {
      for (let a = 1; a < antennas; a++) {
        expect(dynamic[2 * a]).toBeGreaterThan(0.95)
        expect(Math.abs(dynamic[2 * a + 1]!)).toBeLessThan(0.3)
      }
    }
  })

  it("stops with a reason that names the receivers where too few links tell the offsets", () => {
    const site = siteOf(3)
    const watch = createArrayWatch(site)
    const offsets = (id: string): ReadonlyArray<number> => id === "n0" ? [3, 3] : id === "n1" ? [-2, 2.5] : [2.6, -2.4]
    expect(watch.take(1, observationsOf(arrivalsOf(site, 2, 0.1, offsets)))).toEqual([])
    expect(watch.finding().stopped).toMatch(/antennas of n0, n1, n2 are not calibrated in phase/)
  })

  it("names a receiver that it leaves out because too few links tell its offsets", () => {
    const watch = createArrayWatch(siteOf())
    const heard = arrivalsOf(siteOf(), 3, 0.2, (id) => id === "n5" ? [3, 3] : [0, 0]).filter(
      ({ receiver, transmitter }) => receiver !== "n5" || transmitter === "n0" || transmitter === "n1",
    )
    const taken = watch.take(1, observationsOf(heard))
    expect(taken.map(({ routerId }) => routerId)).toEqual(["n0", "n1", "n2", "n3", "n4"])
    expect(watch.finding()).toEqual({ ...noArrayFinding, uncalibrated: ["n5"] })
    expect(leftOutFindingsOf(watch.finding())).toEqual([expect.stringMatching(/antennas of n5 .* too few nodes/)])
  })

  it("stops where all receivers that fit the geometry have unknown offsets, beside one that is misplaced", () => {
    // n5 is named by its links; the others hear two nodes each, so their antennas stay unknown.
    const site = siteOf()
    const watch = createArrayWatch(site)
    const few = arrivalsOf(site, 4, 0.1, () => [3, -3])
      .filter(({ receiver, transmitter }) => {
        const [to, from] = [Number(receiver.slice(1)), Number(transmitter.slice(1))]
        return to !== 5 && from !== 5 && ((to + 1) % 5 === from || (to + 2) % 5 === from)
      })
    const scattered = [0.2, 2.3, 4.4, 0.9, 3].map((rad, i): Arrival => ({
      receiver: "n5",
      transmitter: `n${i}`,
      leadsRad: Float32Array.of(rad * 2, -rad * 3),
    }))
    expect(watch.take(1, observationsOf([...few, ...scattered]))).toEqual([])
    expect(watch.finding().stopped).toMatch(/antennas of n0, n1, n2, n3, n4 are not calibrated/)
  })

  it("locates again some minutes after the nodes that stopped it fell silent", () => {
    const site = permuted(siteOf(), [0, 1, 2, 3, 5, 4])
    const heard = arrivalsOf(siteOf(), 1, 0.1)
    const watch = createArrayWatch(site)
    expect(watch.take(1, observationsOf(heard))).toEqual([])
    const { misplaced, stopped } = watch.finding()
    expect([...misplaced].sort()).toEqual(["n4", "n5"])
    expect(stopped).toMatch(/n4, n5/)
    const without = heard.filter(({ receiver, transmitter }) =>
      ![receiver, transmitter].some((id) => misplaced.includes(id))
    )
    for (let hop = 2; hop < 1700; hop += 10) expect(watch.take(hop, observationsOf(without))).toEqual([])
    for (let hop = 1700; hop < 1900; hop += 10) watch.take(hop, observationsOf(without))
    expect(watch.take(1900, observationsOf(without))).toHaveLength(4)
    expect(watch.finding()).toEqual(noArrayFinding)
  })

  it("leaves links without a reference, and of nodes without a position, as they are", () => {
    const watch = createArrayWatch(siteOf())
    const given = [{
      routerId: "n0",
      receiveAntennas: antennas,
      tonesHz: new Float32Array(1),
      links: [
        link("n1", new Float32Array(0), new Float32Array(6)),
        link("x", Float32Array.of(3, 3), new Float32Array(6)),
      ],
    }] as unknown as ReadonlyArray<Observation>
    expect(watch.take(1, given)).toBe(given)
  })
})
