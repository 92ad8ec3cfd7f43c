import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { makeDelivery } from "../../../actors/router/delivery.ts"
import type { Observation } from "../../../core/signal/observation.ts"
import { decodeObservation } from "../../../protocols/grpc/observation.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { clusterLayer } from "../../harness/cluster.ts"

const observation = (hop: number): Observation => ({
  routerId: "router",
  hop,
  source: "live",
  calibrated: false,
  receiveAntennas: 1,
  centerFrequencyHz: 0,
  tonesHz: new Float32Array(),
  packetRateHz: 100,
  packetLoss: null,
  links: [],
})

/** An environment that can be made to break, and says which hops it took. */
const run = <A, E>(
  use: (site: {
    readonly deliver: Effect.Success<typeof makeDelivery>
    readonly taken: Array<number>
    readonly set: (state: "works" | "breaks" | "inactive") => void
    readonly asked: () => number
  }) => Effect.Effect<A, E>,
) => {
  const taken: Array<number> = []
  let state: "works" | "breaks" | "inactive" = "works"
  let asked = 0
  const double = Environment.toLayer(
    Environment.of({
      Observe: ({ payload }) =>
        Effect.suspend(() => {
          asked++
          if (state === "breaks") return Effect.die(new Error("the node is going away"))
          if (state === "works") taken.push(...payload.observations.map((bytes) => decodeObservation(bytes).hop))
          return Effect.succeed({ active: state === "works" })
        }),
      Activate: () => Effect.void,
      Deactivate: () => Effect.void,
      Latest: () => Effect.die("not asked here"),
      Watch: () => Stream.empty,
      Describe: () => Effect.die("not asked here"),
    }),
    { disableFatalDefects: true },
  )
  return Effect.gen(function* () {
    yield* TestClock.adjust(1)
    const deliver = yield* makeDelivery
    return yield* use({ deliver, taken, set: (wanted) => void (state = wanted), asked: () => asked })
  }).pipe(
    Effect.provide(double.pipe(Layer.provideMerge(clusterLayer))),
    Effect.provide(TestClock.layer()),
    Effect.scoped,
    Effect.runPromise,
  )
}

describe("delivery of observations", () => {
  it("hands them over in order, and says when nobody runs the system", () =>
    run(({ deliver, set, taken }) =>
      Effect.gen(function* () {
        expect(yield* deliver("home", [observation(1), observation(2)])).toEqual({ outcome: "taken" })
        expect(taken).toEqual([1, 2])
        set("inactive")
        expect(yield* deliver("home", [observation(3)])).toEqual({ outcome: "inactive" })
      })
    ))

  it("holds what an environment on its way could not take, and delivers all of it in order", () =>
    run(({ asked, deliver, set, taken }) =>
      Effect.gen(function* () {
        set("breaks")
        expect(yield* deliver("home", [observation(1)])).toEqual({ outcome: "held", givenUp: 0 })
        expect(yield* deliver("home", [observation(2)])).toEqual({ outcome: "held", givenUp: 0 })
        // It is asked again after a while, not by every batch.
        expect(asked()).toBe(1)
        set("works")
        yield* TestClock.adjust("1 second")
        expect(yield* deliver("home", [observation(3)])).toEqual({ outcome: "taken" })
        expect(taken).toEqual([1, 2, 3])
      })
    ))

  it("gives up the oldest when an environment stays away, and says how many", () =>
    run(({ deliver, set, taken }) =>
      Effect.gen(function* () {
        set("breaks")
        const first = yield* deliver("home", Array.from({ length: 90 }, (_, hop) => observation(hop)))
        const second = yield* deliver("home", Array.from({ length: 20 }, (_, i) => observation(90 + i)))
        expect([first, second]).toEqual([{ outcome: "held", givenUp: 0 }, { outcome: "held", givenUp: 10 }])
        set("works")
        yield* TestClock.adjust("1 second")
        yield* deliver("home", [])
        expect(taken).toEqual(Array.from({ length: 100 }, (_, i) => 10 + i))
      })
    ))
})
