import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { bodyAt, bodyEnergiesOf } from "../../../core/imaging/body.ts"
import type { Vector3 } from "../../../core/imaging/geometry.ts"
import { weightsBeside } from "../../../core/imaging/separation.ts"
import { type Velocity, velocityOf } from "../../../core/imaging/velocity.ts"
import { type EchoWorld, gliding, linksOf, middleS, viewsOf } from "../../harness/echoes.ts"

/** One of the two links of each pair of nodes: six links. */
const sixLinks = linksOf().filter(({ rx, tx }) => rx.nodeId < tx.nodeId)

/** The velocity at a place, over six links or over those given. */
const velocityAt = (world: EchoWorld, place: Vector3, links = sixLinks): Velocity => {
  const views = viewsOf(world, links)
  const vectors = bodyAt(views, place).views.map(({ vector }) => vector)
  return velocityOf(views, place, vectors, views.map((view) => weightsBeside(view, [])))
}

const errorOf = ({ x, y }: Velocity, [vx, vy]: Vector3): number => Math.hypot(x - vx, y - vy)
const place: fc.Arbitrary<Vector3> = fc.tuple(
  fc.double({ min: 1.2, max: 4.8, noNaN: true }),
  fc.double({ min: 1.2, max: 3.8, noNaN: true }),
  fc.constant(1),
)
const velocity: fc.Arbitrary<Vector3> = fc.tuple(
  fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }),
  fc.double({ min: 0.2, max: 1.2, noNaN: true }),
).map(([angle, mps]): Vector3 => [mps * Math.cos(angle), mps * Math.sin(angle), 0])

describe("the velocity of a body", () => {
  it("is that of a walker within its sigma, over six links", () => {
    const errors: Array<number> = []
    fc.assert(
      fc.property(place, velocity, (at, v) => {
        const found = velocityAt({ points: [gliding(at, v, 0.3, middleS)], noiseRms: 0.02 }, at)
        errors.push(errorOf(found, v) / found.sigmaMps)
        expect(errorOf(found, v)).toBeLessThan(3 * found.sigmaMps)
        expect(found.sigmaMps).toBeLessThan(0.4)
      }),
      { seed: 1, numRuns: 25 },
    )
    // With one sigma per axis, 86 % of the errors are below two sigma.
    expect(errors.filter((error) => error < 2).length / errors.length).toBeGreaterThan(0.8)
  }, 20_000)

  it("changes sign with the direction of the walker", () => {
    const at: Vector3 = [3, 2.4, 1]
    const there = velocityAt({ points: [gliding(at, [0.7, 0.3, 0], 0.3, middleS)] }, at)
    const back = velocityAt({ points: [gliding(at, [-0.7, -0.3, 0], 0.3, middleS)] }, at)
    expect(there.x).toBeGreaterThan(0.5)
    expect(back.x).toBeLessThan(-0.5)
    expect(there.y).toBeGreaterThan(0.1)
    expect(back.y).toBeLessThan(-0.1)
  })

  it("is a body's own beside a stronger one, due to the weights of the bands", () => {
    const pairs = [
      { places: [[4.3, 3.4, 1], [1.6, 3.4, 1]], velocities: [[0.5, 0.5, 0], [0, -0.5, 0]] },
      { places: [[4.4, 2.9, 1], [2.3, 2.5, 1]], velocities: [[-0.5, 0.9, 0], [-0.5, -0.1, 0]] },
      { places: [[3.7, 1.4, 1], [1.5, 1.2, 1]], velocities: [[-0.8, -0.3, 0], [-0.1, -0.7, 0]] },
      { places: [[2.4, 2, 1], [2.1, 3.3, 1]], velocities: [[-1, -0.2, 0], [0.7, 0.4, 0]] },
      { places: [[2.7, 2.2, 1], [4.7, 2.3, 1]], velocities: [[-0.7, 0.3, 0], [0.3, 0.8, 0]] },
    ] as const
    const errors = pairs.map(({ places: [own, other], velocities: [v, faster] }) => {
      const points = [gliding(own, v, 0.1, middleS), gliding(other, faster, 0.5, middleS)]
      const views = viewsOf({ points, noiseRms: 0.01 }, sixLinks)
      const bodies = [own, other].map((at) => bodyAt(views, at))
      const energies = bodyEnergiesOf(bodies)
      const vectors = bodies[0]!.views.map(({ vector }) => vector)
      const errorBeside = (others: (link: number) => ReadonlyArray<Float64Array>): number =>
        errorOf(velocityOf(views, own, vectors, views.map((view, l) => weightsBeside(view, others(l)))), v)
      return { weighted: errorBeside((l) => [energies[l]![1]!]), unweighted: errorBeside(() => []) }
    })
    expect(Math.max(...errors.map(({ weighted }) => weighted))).toBeLessThan(0.25)
    // With equal weights, some of them take the other's velocity.
    expect(errors.filter(({ unweighted }) => unweighted > 0.6).length).toBeGreaterThan(1)
  })

  it("is less certain with more noise", () => {
    const at: Vector3 = [2.6, 2.8, 1]
    const points = [gliding(at, [0.5, -0.6, 0], 0.3, middleS)]
    const [clear, dim, drowned] = [0.01, 0.15, 1].map((noiseRms) => velocityAt({ points, noiseRms }, at).sigmaMps)
    expect(clear).toBeLessThan(dim!)
    expect(dim).toBeLessThan(drowned!)
    expect(clear).toBeGreaterThanOrEqual(0.08)
  })

  it("is less certain over fewer links", () => {
    const at: Vector3 = [2.6, 2.8, 1]
    const world: EchoWorld = { points: [gliding(at, [0.5, -0.6, 0], 0.3, middleS)], noiseRms: 0.05 }
    expect(velocityAt(world, at).sigmaMps).toBeLessThan(velocityAt(world, at, sixLinks.slice(0, 2)).sigmaMps)
  })

  it("has the maximum uncertainty without any motion", () => {
    const { sigmaMps, x, y } = velocityAt({ points: [] }, [2.6, 2.8, 1])
    expect([x, y]).toEqual([0, 0])
    expect(sigmaMps).toBeGreaterThanOrEqual(1)
  })
})
