import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { SiteGeometry, Vector3 } from "../../../core/imaging/geometry.ts"
import {
  createMatchedField,
  type ExpectedPerson,
  type MatchedField,
  type RoomImage,
} from "../../../core/imaging/matched-field.ts"
import { bodiesMax, type Detection } from "../../../core/imaging/movers.ts"
import { adultMinM2 } from "../../../core/imaging/weak-body.ts"
import type { Observation } from "../../../core/observation/observation.ts"
import { compute } from "../../harness/compute.ts"
import {
  antennas,
  breathing,
  type EchoPoint,
  type EchoWorld,
  fourNodes,
  gliding,
  middleS,
  observationsOf,
  standing,
  tonesHz,
  windowHops,
} from "../../harness/echoes.ts"

const last = windowHops - 1
const observe = (world: EchoWorld, hop: number, site = fourNodes) => observationsOf(world, site.nodes, hop)
const hopsOf = (count: number, from = 0): ReadonlyArray<number> => Array.from({ length: count }, (_, i) => from + i)

const imageAt = (
  field: MatchedField,
  hop: number,
  observations: ReadonlyArray<Observation>,
  expected: ReadonlyArray<ExpectedPerson> = [],
): RoomImage => compute(field.image(hop, observations, expected))

/** The image of the window of hops 0 to 9. */
const imageOf = (
  world: EchoWorld,
  expected: ReadonlyArray<ExpectedPerson> = [],
  site: SiteGeometry = fourNodes,
): RoomImage =>
  imageAt(createMatchedField(site), last, hopsOf(windowHops).flatMap((hop) => observe(world, hop, site)), expected)

/** An adult whose track is confirmed. */
const personAt = (stands: boolean) => (x: number, y: number, leastM2 = adultMinM2): ExpectedPerson => ({
  x,
  y,
  stands,
  leastM2,
})
const standsAt = personAt(true)
const walksAt = personAt(false)

/** A person who passes a place in the middle of the window. */
const walker = (x: number, y: number, vx: number, vy: number, rcsM2 = 0.4): EchoPoint =>
  gliding([x, y, 1], [vx, vy, 0], rcsM2, middleS)

const distanceOf = (detection: Detection | undefined, x: number, y: number): number =>
  detection === undefined ? Number.POSITIVE_INFINITY : Math.hypot(detection.x - x, detection.y - y)
const velocityErrorOf = ({ velocity }: Detection, vx: number, vy: number): number =>
  Math.hypot(velocity.x - vx, velocity.y - vy)
/** Detections from west to east. */
const fromWest = ({ detections }: RoomImage): ReadonlyArray<Detection> => detections.toSorted((a, b) => a.x - b.x)

const withoutThirdAntenna = (dynamic: Float32Array): Float32Array =>
  dynamic.filter((_, i) => Math.floor(i / (2 * tonesHz.length)) % antennas < 2)

describe("the matched field", () => {
  it("finds one walker anywhere in the room, with the velocity", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 5, noNaN: true }),
        fc.double({ min: 1, max: 4, noNaN: true }),
        fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }),
        fc.double({ min: 0.4, max: 1.1, noNaN: true }),
        (x, y, angle, mps) => {
          const [vx, vy] = [mps * Math.cos(angle), mps * Math.sin(angle)]
          const image = imageOf({ points: [walker(x, y, vx, vy)], noiseRms: 0.01 })
          expect(image).toMatchObject({ reason: null, linksUsed: 12, lagS: middleS, echoes: [] })
          expect(image.detections).toHaveLength(1)
          const [detection] = image.detections
          expect(distanceOf(detection, x, y)).toBeLessThan(3 * detection!.sigmaM)
          expect(distanceOf(detection, x, y)).toBeLessThan(0.4)
          expect(velocityErrorOf(detection!, vx, vy)).toBeLessThan(3 * detection!.velocity.sigmaMps)
          expect(detection!.sigmaM).toBeLessThan(0.4)
          expect(detection!.score).toBeGreaterThan(0.5)
          expect(detection!.crossSectionM2).toBeGreaterThan(0.05)
          expect(detection!.crossSectionM2).toBeLessThan(0.4)
        },
      ),
      { seed: 1, numRuns: 20 },
    )
  }, 20_000)

  it("finds two walkers with different directions, each with the velocity", () => {
    const image = imageOf({ points: [walker(1.6, 1.6, 0.5, 0.6), walker(4.4, 3.4, 0.4, -0.7, 0.3)], noiseRms: 0.01 })
    expect(image.detections).toHaveLength(2)
    const [west, east] = fromWest(image)
    expect(distanceOf(west, 1.6, 1.6)).toBeLessThan(0.3)
    expect(distanceOf(east, 4.4, 3.4)).toBeLessThan(0.3)
    expect(velocityErrorOf(west!, 0.5, 0.6)).toBeLessThan(0.3)
    expect(velocityErrorOf(east!, 0.4, -0.7)).toBeLessThan(0.3)
  })

  it("is less certain of a velocity when the place explains less of the motion", () => {
    const first = walker(1.6, 1.6, 0.5, 0.6)
    const alone = imageOf({ points: [first], noiseRms: 0.01 }).detections[0]!
    const beside = fromWest(imageOf({ points: [first, walker(4.4, 3.4, 0.4, -0.7, 0.3)], noiseRms: 0.01 }))[0]!
    expect(distanceOf(beside, 1.6, 1.6)).toBeLessThan(0.3)
    expect(beside.score).toBeLessThan(alone.score)
    expect(alone.velocity.sigmaMps).toBeLessThan(0.15)
    expect(beside.velocity.sigmaMps).toBeGreaterThan(1.2 * alone.velocity.sigmaMps)
  })

  it("detects no person in noise, nor in static echoes of any strength", () => {
    const quiet = imageOf({ points: [], noiseRms: 0.05 })
    expect(quiet.detections).toEqual([])
    expect(quiet.reason).toContain("Nothing moves")
    const furnished = imageOf({ points: [standing([3, 2, 1], 2), standing([1.5, 3.5, 1], 0.5)], noiseRms: 0.02 })
    expect(furnished.detections).toEqual([])
    expect(furnished.reason).toContain("Nothing moves")
  })

  it("detects a walker beside static echoes", () => {
    const points = [standing([3, 2, 1], 2), walker(4.2, 3.2, -0.6, 0.3)]
    const { detections } = imageOf({ points, noiseRms: 0.01 })
    expect(detections).toHaveLength(1)
    expect(distanceOf(detections[0], 4.2, 3.2)).toBeLessThan(0.3)
  })

  it("combines links with different numbers of antennas", () => {
    const world: EchoWorld = { points: [walker(2.4, 3.1, 0.6, -0.4)], noiseRms: 0.01 }
    const mixed = hopsOf(windowHops).flatMap((hop) => observe(world, hop)).map((observation) => {
      if (observation.routerId === "a" || observation.routerId === "c") return observation
      const links = observation.links.map((link) => ({ ...link, dynamic: withoutThirdAntenna(link.dynamic) }))
      return { ...observation, receiveAntennas: 2, links }
    })
    const image = imageAt(createMatchedField(fourNodes), last, mixed)
    expect(image.linksUsed).toBe(12)
    expect(distanceOf(image.detections[0], 2.4, 3.1)).toBeLessThan(0.3)
  })
})

describe("persons who are expected", () => {
  const seat: Vector3 = [1.6, 3.6, 1]
  const sitting = breathing(seat, 0.4)
  const passing = walker(4.2, 1.8, 0.3, 0.7)

  it("have an echo, and are not searched for where they stand", () => {
    const world: EchoWorld = { points: [sitting, passing], noiseRms: 0.01 }
    const image = imageOf(world, [standsAt(seat[0], seat[1])])
    expect(image.detections).toHaveLength(1)
    expect(distanceOf(image.detections[0], 4.2, 1.8)).toBeLessThan(0.3)
    expect(image.echoes).toHaveLength(1)
    expect(image.echoes[0]!.ownSectionM2).toBeGreaterThan(0.05)
    // The result is the same without expected persons.
    expect(image.detections).toEqual(imageOf(world).detections)
  })

  it("have an echo while nothing moves, and none after they have left", () => {
    const expected = [standsAt(4.4, 1.4), standsAt(seat[0], seat[1])]
    const image = imageOf({ points: [sitting], noiseRms: 0.005 }, expected)
    expect(image.detections).toEqual([])
    const [gone, there] = image.echoes
    expect(there!.ownSectionM2).toBeGreaterThan(0.05)
    expect(gone!.ownSectionM2).toBeLessThan(0.01)
  })

  it("are detected by stillness at an unexpected place, at the hop to search, and not again once they are known", () => {
    const world: EchoWorld = { points: [sitting], noiseRms: 0.005 }
    const field = createMatchedField(fourNodes)
    const seen = hopsOf(30).map((hop) => imageAt(field, hop, observe(world, hop)).still)
    const found = seen.filter((one) => one !== null)
    expect(found.length).toBeGreaterThanOrEqual(2)
    for (const one of found) expect(Math.hypot(one.x - seat[0], one.y - seat[1])).toBeLessThan(0.5)
    expect(seen.filter((one, hop) => one !== null && hop % 10 !== 0)).toEqual([])
    const known = [standsAt(seat[0], seat[1])]
    const again = hopsOf(11, 30).map((hop) => imageAt(field, hop, observe(world, hop), known).still)
    expect(again.every((one) => one === null)).toBe(true)
  })

  it("are not detected by stillness against a running mean, or while a person walks", () => {
    for (
      const world of [
        { points: [sitting], noiseRms: 0.005, calibrated: () => false },
        { points: [sitting, passing], noiseRms: 0.005 },
      ]
    ) {
      const field = createMatchedField(fourNodes)
      const seen = hopsOf(21).map((hop) => imageAt(field, hop, observe(world, hop)).still).slice(last)
      expect(seen.every((one) => one === null)).toBe(true)
    }
  })

  it("are detected by the calibrated links beside others, as long as these are enough", () => {
    const sectionWith = (calibrated: NonNullable<EchoWorld["calibrated"]>) => {
      const world = { points: [sitting], noiseRms: 0.005, calibrated }
      const { echoes, still } = imageOf(world, [standsAt(seat[0], seat[1])])
      const field = createMatchedField(fourNodes)
      const found = hopsOf(21).map((hop) => imageAt(field, hop, observe(world, hop)).still).filter((one) =>
        one !== null
      )
      return { known: echoes[0]!.ownSectionM2, still, found: found.length }
    }
    const all = sectionWith(() => true)
    const most = sectionWith((tx, rx) => !(tx.nodeId === "a" && rx.nodeId === "b"))
    expect(most.known! / all.known!).toBeGreaterThan(0.6)
    expect(most.known! / all.known!).toBeLessThan(1.6)
    expect(most.found).toBe(all.found)
    expect(sectionWith((_, rx) => rx.nodeId === "a").known).not.toBeNull()
    expect(sectionWith((tx, rx) => rx.nodeId === "a" && tx.nodeId !== "b")).toEqual({
      known: null,
      still: null,
      found: 0,
    })
  })

  it("have no echo outside the room, whatever is received from there", () => {
    const inside = imageOf({ points: [breathing([5.9, 2.5, 1], 0.4)], noiseRms: 0.005 }, [standsAt(5.9, 2.5)])
    expect(inside.echoes[0]!.ownSectionM2).toBeGreaterThan(0.02)
    const outside = imageOf({ points: [breathing([6.1, 2.5, 1], 0.4)], noiseRms: 0.005 }, [standsAt(6.1, 2.5)])
    expect(outside.echoes[0]!.ownSectionM2).toBe(0)
  })

  it("have no cross section against a running mean", () => {
    const image = imageOf({ points: [sitting, passing], noiseRms: 0.01, calibrated: () => false }, [
      standsAt(seat[0], seat[1]),
    ])
    expect(image.echoes[0]!.ownSectionM2).toBeNull()
    expect(image.detections).toHaveLength(1)
  })

  it("are found when they walk, also near the expected place, and not twice", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }), (angle) => {
        const expected = [walksAt(4.2 + 0.25 * Math.cos(angle), 1.8 + 0.25 * Math.sin(angle))]
        const { detections } = imageOf({ points: [passing], noiseRms: 0.01 }, expected)
        expect(detections).toHaveLength(1)
        expect(distanceOf(detections[0], 4.2, 1.8)).toBeLessThan(0.35)
      }),
      { seed: 2, numRuns: 8 },
    )
  })

  it("are dropped when two are on one walker, or where there is no person", () => {
    for (const [x, y] of [[4.6, 2.2], [1.4, 3.6]] as const) {
      const expected = [walksAt(4.2, 1.8), walksAt(x, y)]
      const { detections, echoes } = imageOf({ points: [passing], noiseRms: 0.01 }, expected)
      expect(echoes).toHaveLength(2)
      expect(detections).toHaveLength(1)
      expect(distanceOf(detections[0], 4.2, 1.8)).toBeLessThan(0.35)
    }
  })

  it("have their own velocity beside a stronger person", () => {
    const errors = ([
      [3.1, 3, 0.5, 0.7, 2, 1.9, 0.4, -0.8],
      [3.9, 3.2, -0.7, 0.2, 1.6, 3.4, 0, -0.4],
      [3.3, 2.9, 0.1, 0.5, 3.3, 1.6, 0.1, -0.8],
    ] as const).map(([x, y, vx, vy, otherX, otherY, otherVx, otherVy]) => {
      const points = [walker(x, y, vx, vy, 0.2), walker(otherX, otherY, otherVx, otherVy, 0.5)]
      const expected = [walksAt(x, y), walksAt(otherX, otherY)]
      const { detections } = imageOf({ points, noiseRms: 0.01 }, expected)
      const own = detections.find((detection) => distanceOf(detection, x, y) < 0.4)
      return own === undefined ? Number.POSITIVE_INFINITY : velocityErrorOf(own, vx, vy)
    })
    // With equal weights for all bands it is 0.37 m/s.
    expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(0.25)
  })

  it("are used up to a bound", () => {
    const crowd = hopsOf(20).map((i) => (i % 2 === 0 ? standsAt : walksAt)(1 + 0.2 * i, 2.5))
    const { detections, echoes } = imageOf({ points: [passing], noiseRms: 0.01 }, crowd)
    expect(echoes).toHaveLength(bodiesMax)
    expect(detections.length).toBeLessThanOrEqual(bodiesMax)
  })
})

describe("a weak body", () => {
  /** Detections of a walker with a small cross section at a height. */
  const detections = (heightM: number, expected: ReadonlyArray<ExpectedPerson> = []) =>
    imageOf({ points: [gliding([2.4, 3.1, heightM], [0.6, -0.4, 0], 0.05, middleS)], noiseRms: 0.003 }, expected)
      .detections

  it("is found at the height of a torso where nobody is known, and not at that of a pet", () => {
    const [found, ...others] = detections(1)
    expect(distanceOf(found, 2.4, 3.1)).toBeLessThan(0.3)
    expect(found!.crossSectionM2).toBeLessThan(adultMinM2)
    expect(others).toEqual([])
    expect(detections(0.3)).toEqual([])
  })

  it("is not found while somebody else is known", () => {
    expect(detections(1, [standsAt(4.4, 1.4)])).toEqual([])
  })

  it("is found at its own place only, from its own section on", () => {
    expect(detections(1, [walksAt(2.3, 3.3, 0.01)])).toHaveLength(1)
    expect(detections(1, [walksAt(2.3, 3.3)])).toEqual([])
    expect(detections(1, [walksAt(4.4, 1.4, 0.01)])).toEqual([])
  })
})

describe("the links of a matched field", () => {
  const world: EchoWorld = { points: [walker(2.4, 3.1, 0.6, -0.4)], noiseRms: 0.01 }

  it("are those of the geometry: unknown nodes have no effect", () => {
    const stranger = { ...fourNodes.nodes[0]!, nodeId: "stranger" }
    const among = { ...fourNodes, nodes: [...fourNodes.nodes, stranger] }
    const field = createMatchedField(fourNodes)
    const image = imageAt(field, last, hopsOf(windowHops).flatMap((hop) => observe(world, hop, among)))
    expect(image).toEqual(imageOf(world))
  })

  it("are at least three, with two antennas, four tones, a centre frequency and a reference; otherwise there is a reason", () => {
    const empty = imageAt(createMatchedField(fourNodes), 0, [])
    expect(empty).toMatchObject({ detections: [], echoes: [], linksUsed: 0 })
    expect(empty.reason).toContain("at least 3 links")
    const two = imageOf(world, [standsAt(1, 1)], { ...fourNodes, nodes: fourNodes.nodes.slice(0, 2) })
    expect(two).toMatchObject({ detections: [], echoes: [], linksUsed: 2 })
    expect(two.reason).toContain("2 have them now")
    const poorer: ReadonlyArray<(observation: Observation) => Observation> = [
      (of) => ({ ...of, receiveAntennas: 1 }),
      (of) => ({ ...of, centerFrequencyHz: 0 }),
      (of) => ({ ...of, tonesHz: of.tonesHz.slice(0, 3) }),
      (of) => ({ ...of, links: of.links.map((link) => ({ ...link, dynamic: new Float32Array(0) })) }),
    ]
    for (const poor of poorer) {
      const observations = hopsOf(windowHops).flatMap((hop) => observe(world, hop)).map(poor)
      expect(imageAt(createMatchedField(fourNodes), last, observations)).toMatchObject({ detections: [], linksUsed: 0 })
    }
  })

  it("drop a walker when the window has passed", () => {
    const field = createMatchedField(fourNodes)
    imageAt(field, last, hopsOf(windowHops).flatMap((hop) => observe(world, hop)))
    expect(imageAt(field, last + 1, []).detections).toHaveLength(1)
    const emptyRoom = hopsOf(windowHops, windowHops).flatMap((hop) => observe({ points: [], noiseRms: 0.01 }, hop))
    expect(imageAt(field, 2 * windowHops - 1, emptyRoom).detections).toEqual([])
    expect(imageAt(field, 3 * windowHops, []).linksUsed).toBe(0)
  })

  it("follow event time: observations may come at once, one by one or late", () => {
    const inOrder = createMatchedField(fourNodes)
    const late = createMatchedField(fourNodes)
    for (const hop of hopsOf(last)) imageAt(inOrder, hop, observe(world, hop))
    const image = imageAt(inOrder, last, observe(world, last))
    expect(image.detections).toHaveLength(1)
    for (const hop of hopsOf(windowHops).toReversed()) imageAt(late, hop, observe(world, hop).toReversed())
    // The links are in the order of their first observation, so sums over them round differently.
    const [other] = imageAt(late, last, []).detections
    expect(other!.x).toBeCloseTo(image.detections[0]!.x, 6)
    expect(other!.y).toBeCloseTo(image.detections[0]!.y, 6)
    expect(imageOf(world)).toEqual(image)
  })

  it("restart when their radio layout changes", () => {
    const field = createMatchedField(fourNodes)
    imageAt(field, last, hopsOf(windowHops).flatMap((hop) => observe(world, hop)))
    const changed = observe(world, windowHops).map((observation) => ({ ...observation, centerFrequencyHz: 5.5e9 }))
    expect(imageAt(field, windowHops, changed.map((of) => ({ ...of, links: of.links.map(threePackets) }))))
      .toMatchObject({ detections: [], linksUsed: 0 })
  })
})

/** The first three packets of a link, too few for a window. */
const threePackets = (link: Observation["links"][number]): Observation["links"][number] => ({
  ...link,
  dynamic: link.dynamic.slice(0, 3 * 2 * antennas * tonesHz.length),
  dynamicTimesS: link.dynamicTimesS.slice(0, 3),
})
