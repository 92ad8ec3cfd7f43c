import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { RadioNode, SiteGeometry, Vector3 } from "../../../core/imaging/geometry.ts"
import { createMatchedField, type MatchedField, type RoomImage } from "../../../core/imaging/matched-field.ts"
import type { Observation } from "../../../core/signal/observation.ts"
import { createRandom } from "../../../sim/random.ts"
import { compute } from "../../harness/compute.ts"
import { noVitals } from "../../harness/vitals.ts"

const node = (nodeId: string, position: Vector3, arrayAxis: Vector3): RadioNode => ({ nodeId, position, arrayAxis })
const geometry: SiteGeometry = {
  size: [6, 5, 2.7],
  nodes: [
    node("a", [0.1, 1.2, 1.1], [0, 1, 0]),
    node("b", [2.1, 4.9, 1.2], [1, 0, 0]),
    node("c", [5.9, 3.6, 1], [0, 1, 0]),
    node("d", [4.2, 0.1, 1.3], [1, 0, 0]),
  ],
}

const speedOfLightMps = 299_792_458
const centerFrequencyHz = 2.437e9
const antennas = 3
const tonesHz = Float32Array.from({ length: 14 }, (_, i) => (i - 6.5) * 2.5e6)
const packets = 3

const distance = (p: Vector3, q: Vector3): number => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2])

interface Mover {
  readonly place: Vector3
  /** Radar cross section, m^2. */
  readonly rcsM2: number
  readonly dopplerHz: number
}

interface World {
  readonly movers: ReadonlyArray<Mover>
  readonly noiseRms: number
  /** Adds a response that does not change. */
  readonly constant?: boolean
}

/** Dynamic response of a link relative to its line of sight, as `core/signal` gives it. */
const dynamicOf = (world: World, tx: RadioNode, rx: RadioNode, hop: number): Float32Array => {
  const out = new Float32Array(2 * packets * antennas * tonesHz.length)
  const d0 = distance(tx.position, rx.position)
  const wavelengthM = speedOfLightMps / centerFrequencyHz
  const random = createRandom(hop, `${tx.nodeId} ${rx.nodeId}`)
  let i = 0
  for (let packet = 0; packet < packets; packet++) {
    const timeS = hop * 0.1 + packet / 30
    for (let antenna = 0; antenna < antennas; antenna++) {
      for (const toneHz of tonesHz) {
        out[i] = random.normal() * world.noiseRms + (world.constant === true ? 0.3 : 0)
        out[i + 1] = random.normal() * world.noiseRms
        for (const { place, rcsM2, dopplerHz } of world.movers) {
          const d1 = distance(tx.position, place)
          const d2 = distance(place, rx.position)
          const amplitude = Math.sqrt(rcsM2 / (4 * Math.PI)) * (d0 / (d1 * d2))
          const along = rx.arrayAxis.reduce((sum, value, axis) => sum + value * (place[axis]! - rx.position[axis]!), 0)
          const phase = -2 * Math.PI * ((centerFrequencyHz + toneHz) * ((d1 + d2 - d0) / speedOfLightMps)) +
            Math.PI * antenna * (along / d2) + 2 * Math.PI * dopplerHz * timeS + d1 / wavelengthM
          out[i]! += amplitude * Math.cos(phase)
          out[i + 1]! += amplitude * Math.sin(phase)
        }
        i += 2
      }
    }
  }
  return out
}

const observe = (
  world: World,
  hop: number,
  nodes: ReadonlyArray<RadioNode> = geometry.nodes,
): ReadonlyArray<Observation> =>
  nodes.map((rx): Observation => ({
    routerId: rx.nodeId,
    hop,
    source: "simulated",
    calibrated: true,
    receiveAntennas: antennas,
    centerFrequencyHz,
    amplitudeOnly: false,
    tonesHz,
    packetRateHz: 90,
    packetLoss: 0,
    links: nodes.filter((tx) => tx !== rx).map((tx) => ({
      transmitterId: tx.nodeId,
      packets,
      outliers: 0,
      rssiDbm: -40,
      motionStatistic: null,
      motionStatisticSigma: 1,
      slowStatistic: null,
      slowStatisticSigma: 0,
      windowWhole: false,
      dynamicPower: null,
      occupancy: null,
      vitals: noVitals,
      dynamic: dynamicOf(world, tx, rx, hop),
      dynamicTimesS: Float32Array.from({ length: packets }, (_, i) => (i + 0.5) * (0.1 / packets)),
    })),
  }))

const withoutThirdAntenna = (dynamic: Float32Array): Float32Array =>
  dynamic.filter((_, i) => Math.floor(i / (2 * tonesHz.length)) % antennas < 2)

const imageAt = (field: MatchedField, hop: number, observations: ReadonlyArray<Observation>): RoomImage =>
  compute(field.image(hop, observations))

/** The image after `hops` hops of a world. */
const imageOf = (world: World, hops = 12, site: SiteGeometry = geometry): RoomImage => {
  const field = createMatchedField(site)
  let image = imageAt(field, 0, [])
  for (let hop = 100; hop < 100 + hops; hop++) image = imageAt(field, hop, observe(world, hop))
  return image
}

const person = (x: number, y: number): Mover => ({ place: [x, y, 1], rcsM2: 0.4, dopplerHz: 7.3 })

describe("the matched field", () => {
  it("finds one mover anywhere in the room", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.8, max: 5.2, noNaN: true }),
        fc.double({ min: 0.8, max: 4.2, noNaN: true }),
        (x, y) => {
          const { detections, reason, linksUsed } = imageOf({ movers: [person(x, y)], noiseRms: 0.01 })
          expect(reason).toBeNull()
          expect(linksUsed).toBe(12)
          expect(Math.hypot(detections[0]!.x - x, detections[0]!.y - y)).toBeLessThan(0.2)
          expect(detections[0]!.crossSectionM2).toBeGreaterThan(0.2)
          expect(detections[0]!.crossSectionM2).toBeLessThan(0.8)
          expect(detections[0]!.sigmaM).toBeLessThan(0.3)
          expect(detections).toHaveLength(1)
        },
      ),
      { seed: 1, numRuns: 40 },
    )
  })

  it("finds two movers, the stronger first", () => {
    const weaker = { ...person(4.4, 3.6), rcsM2: 0.2, dopplerHz: -11 }
    const { detections } = imageOf({ movers: [weaker, person(1.6, 1.6)], noiseRms: 0.01 })
    expect(detections).toHaveLength(2)
    expect(Math.hypot(detections[0]!.x - 1.6, detections[0]!.y - 1.6)).toBeLessThan(0.3)
    expect(Math.hypot(detections[1]!.x - 4.4, detections[1]!.y - 3.6)).toBeLessThan(0.3)
  })

  it("sees nobody in noise, nor in what does not move", () => {
    const quiet = imageOf({ movers: [], noiseRms: 0.05 })
    expect(quiet.detections).toEqual([])
    expect(quiet.reason).toContain("Nothing moves")
    expect(imageOf({ movers: [{ ...person(3, 2), dopplerHz: 0 }], noiseRms: 0.02, constant: true }).detections).toEqual(
      [],
    )
  })

  it("takes links of fewer antennas with the others", () => {
    const field = createMatchedField(geometry)
    let image = imageAt(field, 0, [])
    for (let hop = 100; hop < 112; hop++) {
      const mixed = observe({ movers: [person(2.4, 3.1)], noiseRms: 0.01 }, hop).map((observation) => {
        if (observation.routerId === "a" || observation.routerId === "c") return observation
        const links = observation.links.map((link) => ({ ...link, dynamic: withoutThirdAntenna(link.dynamic) }))
        return { ...observation, receiveAntennas: 2, links }
      })
      image = imageAt(field, hop, mixed)
    }
    expect(image.linksUsed).toBe(12)
    expect(Math.hypot(image.detections[0]!.x - 2.4, image.detections[0]!.y - 3.1)).toBeLessThan(0.2)
  })

  it("forgets a mover when the window has passed", () => {
    const field = createMatchedField(geometry)
    for (let hop = 100; hop < 112; hop++) imageAt(field, hop, observe({ movers: [person(3, 2)], noiseRms: 0.02 }, hop))
    let image = imageAt(field, 112, [])
    expect(image.detections).toHaveLength(1)
    for (let hop = 113; hop < 125; hop++) image = imageAt(field, hop, observe({ movers: [], noiseRms: 0.02 }, hop))
    expect(image.detections).toEqual([])
  })

  it("says why it locates nobody with too few links, too little known, or no reference", () => {
    const empty = imageAt(createMatchedField(geometry), 0, [])
    expect(empty).toMatchObject({ detections: [], linksUsed: 0 })
    expect(empty.reason).toContain("at least 3 links")
    const two = imageOf({ movers: [person(3, 2)], noiseRms: 0.01 }, 12, {
      size: geometry.size,
      nodes: geometry.nodes.slice(0, 2),
    })
    expect(two).toMatchObject({ detections: [], linksUsed: 2 })
    const field = createMatchedField(geometry)
    const unreferenced = observe({ movers: [], noiseRms: 0.01 }, 100).map((observation) => ({
      ...observation,
      links: observation.links.map((link) => ({ ...link, dynamic: new Float32Array(0) })),
    }))
    expect(imageAt(field, 100, unreferenced)).toMatchObject({ detections: [], linksUsed: 0 })
    for (let hop = 101; hop < 112; hop++) {
      const single = observe({ movers: [person(3, 2)], noiseRms: 0.01 }, hop).map((observation) => ({
        ...observation,
        receiveAntennas: 1,
      }))
      expect(imageAt(field, hop, single)).toMatchObject({ detections: [], linksUsed: 0 })
    }
  })

  it("goes by event time: the order of observations does not matter, and a late hop lands in its place", () => {
    const world: World = { movers: [person(2.4, 3.1)], noiseRms: 0.01 }
    const inOrder = createMatchedField(geometry)
    const shuffled = createMatchedField(geometry)
    let one = imageAt(inOrder, 100, observe(world, 100))
    for (let hop = 101; hop < 112; hop++) one = imageAt(inOrder, hop, observe(world, hop))
    for (let hop = 111; hop >= 100; hop--) imageAt(shuffled, hop, [...observe(world, hop)].reverse())
    const other = imageAt(shuffled, 111, [])
    expect(other.detections).toHaveLength(1)
    expect(other.detections[0]!.x).toBeCloseTo(one.detections[0]!.x, 6)
    expect(other.detections[0]!.y).toBeCloseTo(one.detections[0]!.y, 6)
  })

  it("starts a link anew when its radio layout changes", () => {
    const field = createMatchedField(geometry)
    const world: World = { movers: [person(3, 2)], noiseRms: 0.01 }
    for (let hop = 100; hop < 112; hop++) imageAt(field, hop, observe(world, hop))
    const changed = observe(world, 112).map((observation) => ({ ...observation, centerFrequencyHz: 5.5e9 }))
    expect(imageAt(field, 112, changed)).toMatchObject({ detections: [], linksUsed: 0 })
  })
})
