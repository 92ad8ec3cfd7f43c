import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { type Delivery, makeDelivery } from "../../../actors/router/delivery.ts"
import type { Observation } from "../../../core/observation/observation.ts"
import { decodeObservation } from "../../../protocols/grpc/observation.ts"
import { UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { ActorGaveUp } from "../../../protocols/messages/unavailable-actors.ts"
import { clusterLayer } from "../../harness/cluster.ts"

const observation = (hop: number): Observation => ({
  routerId: "router",
  hop,
  source: "live",
  calibrated: false,
  receiveAntennas: 1,
  amplitudeOnly: false,
  centerFrequencyHz: 0,
  tonesHz: new Float32Array(),
  packetRateHz: 100,
  packetLoss: null,
  links: [],
})

type State = "works" | "away" | "hangs" | "breaks" | "inactive" | "removed"

/** An environment that can be made to break, and says which hops it took. */
const run = <A, E>(
  use: (site: {
    readonly delivery: Delivery
    readonly taken: Array<number>
    readonly set: (state: State) => void
    readonly asked: () => number
  }) => Effect.Effect<A, E>,
) => {
  const taken: Array<number> = []
  let state: State = "works"
  let asked = 0
  const double = Environment.toLayer(
    Environment.of({
      Observe: ({ payload }) =>
        Effect.suspend(() => {
          asked++
          if (state === "away") {
            return Effect.die(new ActorGaveUp("it broke too often"))
          }
          if (state === "removed") return Effect.fail(UnknownEnvironment.of("home"))
          if (state === "hangs") return Effect.never
          if (state === "breaks") return Effect.die(new TypeError("no such row"))
          if (state === "works") taken.push(...payload.observations.map((bytes) => decodeObservation(bytes).hop))
          return Effect.succeed({ active: state === "works", room: null })
        }),
      Activate: () => Effect.void,
      Deactivate: () => Effect.void,
      Latest: () => Effect.die("not asked here"),
      Watch: () => Stream.empty,
      WatchAlerts: () => Stream.empty,
      Acknowledge: () => Effect.die("not asked here"),
      Track: () => Effect.die("not asked here"),
      Describe: () => Effect.die("not asked here"),
    }),
    { disableFatalDefects: true },
  )
  return Effect.gen(function* () {
    yield* TestClock.adjust(1)
    const delivery = yield* makeDelivery
    return yield* use({ delivery, taken, set: (wanted) => void (state = wanted), asked: () => asked })
  }).pipe(
    Effect.provide(double.pipe(Layer.provideMerge(clusterLayer))),
    Effect.provide(TestClock.layer()),
    Effect.scoped,
    Effect.runPromise,
  )
}

const deliver = (delivery: Delivery, ...hops: ReadonlyArray<number>) => {
  delivery.add(hops.map(observation))
  return delivery.flush("home")
}
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

describe("delivery of observations", () => {
  it("hands them over in order, and says when nobody runs the system", () =>
    run(({ delivery, set, taken }) =>
      Effect.gen(function* () {
        expect(yield* deliver(delivery, 1, 2)).toBe("taken")
        expect(taken).toEqual([1, 2])
        set("inactive")
        expect(yield* deliver(delivery, 3)).toBe("inactive")
      })
    ))

  it("gives up what was for an environment that is removed", () =>
    run(({ delivery, set, taken }) =>
      Effect.gen(function* () {
        set("removed")
        expect(yield* deliver(delivery, 1, 2)).toBe("removed")
        expect(delivery.givenUpHops()).toBe(2)
        set("works")
        expect(yield* deliver(delivery, 3)).toBe("taken")
        expect(taken).toEqual([3])
      })
    ))

  it("holds what an environment on its way could not take, and delivers all of it in order", () =>
    run(({ asked, delivery, set, taken }) =>
      Effect.gen(function* () {
        set("away")
        expect(yield* deliver(delivery, 1)).toBe("held")
        expect(yield* deliver(delivery, 2)).toBe("held")
        // It is asked again after a while, not by every batch.
        expect(asked()).toBe(1)
        set("works")
        yield* TestClock.adjust("1 second")
        expect(yield* deliver(delivery, 3)).toBe("taken")
        expect(taken).toEqual([1, 2, 3])
        expect(delivery.givenUpHops()).toBe(0)
      })
    ))

  it("keeps what was taken in when a flush is interrupted before its answer", () =>
    run(({ asked, delivery, set, taken }) =>
      Effect.gen(function* () {
        set("hangs")
        const flushing = yield* Effect.forkChild(deliver(delivery, 1, 2))
        yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => asked() === 1 }))
        yield* Fiber.interrupt(flushing)
        set("works")
        expect(yield* deliver(delivery, 3)).toBe("taken")
        expect(taken).toEqual([1, 2, 3])
      })
    ))

  it("gives up the oldest when an environment stays away, and says how many", () =>
    run(({ delivery, set, taken }) =>
      Effect.gen(function* () {
        set("away")
        expect(yield* deliver(delivery, ...range(0, 90))).toBe("held")
        expect(delivery.givenUpHops()).toBe(0)
        expect(yield* deliver(delivery, ...range(90, 110))).toBe("held")
        expect(delivery.givenUpHops()).toBe(10)
        set("works")
        yield* TestClock.adjust("1 second")
        yield* deliver(delivery)
        expect(taken).toEqual(range(10, 110))
      })
    ))

  it("gives up observations that break their environment, so that later ones arrive", () =>
    run(({ asked, delivery, set, taken }) =>
      Effect.gen(function* () {
        set("breaks")
        expect(yield* deliver(delivery, 1, 2)).toBe("refused")
        expect(delivery.givenUpHops()).toBe(2)
        set("works")
        expect(yield* deliver(delivery, 3)).toBe("taken")
        expect(taken).toEqual([3])
        expect(asked()).toBe(2)
      })
    ))
})
