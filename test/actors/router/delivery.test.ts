import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Delivery } from "../../../actors/router/delivery.ts"
import type { Observation } from "../../../core/observation/observation.ts"
import { decodeObservation } from "../../../protocols/grpc/observation.ts"
import { UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import { layerLocalEnvironments } from "../../../actors/environment/environment-entity.ts"
import { Environment, LocalEnvironments, type ObserveCall } from "../../../protocols/messages/environment.ts"
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

/** An environment that can be made to break, and records the hops that it took. */
const run = <A, E>(
  use: (site: {
    readonly delivery: Delivery
    readonly taken: Array<number>
    readonly set: (state: State) => void
    readonly asked: () => number
  }) => Effect.Effect<A, E, LocalEnvironments>,
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
          return Effect.succeed({ active: state === "works", room: null, effort: "full" as const })
        }),
      Activate: () => Effect.void,
      Reload: () => Effect.void,
      Deactivate: () => Effect.void,
      Latest: () => Effect.die("not asked here"),
      Watch: () => Stream.empty,
      WatchAlerts: () => Stream.empty,
      Acknowledge: () => Effect.die("not asked here"),
      Tracks: () => Effect.die("not asked here"),
      Track: () => Effect.die("not asked here"),
      Describe: () => Effect.die("not asked here"),
    }),
    { disableFatalDefects: true },
  )
  return Effect.gen(function* () {
    yield* TestClock.adjust(1)
    const delivery = yield* Delivery.make
    return yield* use({ delivery, taken, set: (wanted) => void (state = wanted), asked: () => asked })
  }).pipe(
    Effect.provide(double.pipe(Layer.provideMerge([clusterLayer, layerLocalEnvironments]))),
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

/** Adds an environment of this node to the registry, and returns what its calls were given. */
const addLocal = Effect.fnUntraced(function* (observe?: ObserveCall) {
  const calls: Array<Parameters<ObserveCall>[0]> = []
  const local = yield* LocalEnvironments
  local.add("home", (observations) => {
    calls.push(observations)
    return observe?.(observations) ?? Effect.succeed({ active: true, room: null, effort: "full" as const })
  })
  return calls
})

describe("delivery of observations", () => {
  it("arrives in order, and reports that the system does not run", () =>
    run(({ delivery, set, taken }) =>
      Effect.gen(function* () {
        expect(yield* deliver(delivery, 1, 2)).toBe("taken")
        expect(taken).toEqual([1, 2])
        set("inactive")
        expect(yield* deliver(delivery, 3)).toBe("inactive")
      })
    ))

  it("drops observations of an environment that was removed", () =>
    run(({ delivery, set, taken }) =>
      Effect.gen(function* () {
        set("removed")
        expect(yield* deliver(delivery, 1, 2)).toBe("removed")
        expect(delivery.droppedHops).toBe(2)
        set("works")
        expect(yield* deliver(delivery, 3)).toBe("taken")
        expect(taken).toEqual([3])
      })
    ))

  it("holds observations while their environment moves, and delivers all of them in order", () =>
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
        expect(delivery.droppedHops).toBe(0)
      })
    ))

  it("calls an environment again in time although the clock was set back", () =>
    run(({ delivery, set, taken }) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("2 hours")
        set("away")
        expect(yield* deliver(delivery, 1)).toBe("held")
        set("works")
        yield* TestClock.setTime(0)
        yield* TestClock.adjust("1 second")
        expect(yield* deliver(delivery, 2)).toBe("taken")
        expect(taken).toEqual([1, 2])
      })
    ))

  it("keeps its observations when a flush is interrupted before the answer", () =>
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

  it("hands an environment of this node the observations themselves, in order, and sends no message", () =>
    run(({ asked, delivery }) =>
      Effect.gen(function* () {
        const calls = yield* addLocal()
        const observations = [observation(1), observation(2)]
        delivery.add(observations)
        expect(yield* delivery.flush("home")).toBe("taken")
        expect(calls).toHaveLength(1)
        expect(calls[0]!.map((one, i) => one === observations[i])).toEqual([true, true])
        expect(asked()).toBe(0)
      })
    ))

  it("drops observations that break an environment of this node, after one call", () =>
    run(({ delivery }) =>
      Effect.gen(function* () {
        const calls = yield* addLocal(() => Effect.die(new TypeError("no such row")))
        expect(yield* deliver(delivery, 1, 2)).toBe("rejected")
        expect(yield* deliver(delivery)).toBe("taken")
        expect([calls.length, delivery.droppedHops]).toEqual([1, 2])
      })
    ))

  it("does not wait longer for an environment of this node that cannot be interrupted", () =>
    run(({ delivery, taken }) =>
      Effect.gen(function* () {
        const gate = yield* Deferred.make<void>()
        const finished: Array<number> = []
        const calls = yield* addLocal((observations) =>
          Effect.uninterruptible(Effect.andThen(
            Deferred.await(gate),
            Effect.sync(() => {
              finished.push(observations.length)
              return { active: true, room: null, effort: "full" as const }
            }),
          ))
        )
        const flushing = yield* Effect.forkChild(deliver(delivery, 1, 2), { startImmediately: true })
        expect(calls).toHaveLength(1)
        yield* TestClock.adjust("5 seconds")
        expect(yield* Fiber.join(flushing)).toBe("held")
        expect(finished).toEqual([])
        yield* Deferred.succeed(gate, undefined)
        yield* TestClock.adjust("1 second")
        expect(finished).toEqual([2])
        expect(taken).toEqual([])
      })
    ))

  it("drops the oldest while an environment stays away, and counts them", () =>
    run(({ delivery, set, taken }) =>
      Effect.gen(function* () {
        set("away")
        expect(yield* deliver(delivery, ...range(0, 90))).toBe("held")
        expect(delivery.droppedHops).toBe(0)
        expect(yield* deliver(delivery, ...range(90, 110))).toBe("held")
        expect(delivery.droppedHops).toBe(10)
        set("works")
        yield* TestClock.adjust("1 second")
        yield* deliver(delivery)
        expect(taken).toEqual(range(10, 110))
      })
    ))

  it("drops observations that break their environment, so that later ones arrive", () =>
    run(({ asked, delivery, set, taken }) =>
      Effect.gen(function* () {
        set("breaks")
        expect(yield* deliver(delivery, 1, 2)).toBe("rejected")
        expect(delivery.droppedHops).toBe(2)
        set("works")
        expect(yield* deliver(delivery, 3)).toBe("taken")
        expect(taken).toEqual([3])
        expect(asked()).toBe(2)
      })
    ))
})
