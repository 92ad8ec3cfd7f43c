import { Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { EnrolledEnvironments, spanEnvironments } from "../../../gateways/frames/enrolled-environments.ts"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { Directory } from "../../../protocols/ports/directory.ts"

/** What the directory holds, and how often it was read. */
const site = () => ({ enrolled: ["attic"], fails: false, reads: 0 })

const withEnrolled = (
  world: ReturnType<typeof site>,
  test: (enrolled: EnrolledEnvironments["Service"]) => Effect.Effect<void, unknown>,
) => {
  const environments = Effect.suspend(() => {
    world.reads++
    return world.fails
      ? Effect.fail(new StoreUnavailable({ message: "The store does not answer." }))
      : Effect.succeed(world.enrolled.map((environmentId) => ({ environmentId, name: "", geometry: null })))
  })
  return EnrolledEnvironments.use(test).pipe(
    Effect.provide(EnrolledEnvironments.layer.pipe(Layer.provide(Layer.mock(Directory, { environments })))),
    Effect.provide(TestClock.layer()),
    Effect.runPromise,
  )
}

describe("enrolled environments", () => {
  it("are read once for concurrent requests", () => {
    const world = site()
    return withEnrolled(world, ({ ids }) =>
      Effect.gen(function* () {
        for (let i = 0; i < 5; i++) expect(yield* ids).toEqual(["attic"])
        expect(world.reads).toBe(1)
        world.enrolled = ["attic", "cellar"]
        yield* TestClock.adjust(300)
        expect(yield* ids).toEqual(["attic", "cellar"])
        world.fails = true
        yield* TestClock.adjust(300)
        expect(Exit.isFailure(yield* Effect.exit(ids))).toBe(true)
        world.fails = false
        expect(yield* ids).toEqual(["attic", "cellar"])
      }))
  })

  it("are joined and left as they are enrolled and removed, and joined again after they were gone", () => {
    const world = site()
    return withEnrolled(world, (enrolled) =>
      Effect.gen(function* () {
        const log: Array<string> = []
        const gone = new Map<string, () => void>()
        yield* enrolled.ids
        const end = spanEnvironments(enrolled, (id, isGone) => {
          log.push(`+${id}`)
          gone.set(id, isGone)
          return () => log.push(`-${id}`)
        })
        expect(log.splice(0)).toEqual(["+attic"])
        world.enrolled = ["attic", "cellar"]
        yield* TestClock.adjust(1_100)
        expect(log.splice(0)).toEqual(["+cellar"])
        world.fails = true
        world.enrolled = []
        yield* TestClock.adjust(3_000)
        expect(log.splice(0)).toEqual([])
        world.fails = false
        world.enrolled = ["cellar"]
        yield* TestClock.adjust(1_100)
        expect(log.splice(0)).toEqual(["-attic"])
        gone.get("cellar")!()
        yield* TestClock.adjust(1_100)
        expect(log.splice(0)).toEqual(["+cellar"])
        end()
        expect(log.splice(0)).toEqual(["-cellar"])
        const { reads } = world
        yield* TestClock.adjust(10_000)
        expect(world.reads).toBe(reads)
      }))
  })
})
