import { Cause, Effect, Exit, Fiber, Layer, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { FrameHub } from "../../../gateways/frames/frame-hub.ts"
import type { SharedFrame } from "../../../gateways/frames/shared-frame.ts"
import { encodePoseFrame } from "../../../protocols/grpc/pose-frame.ts"
import { clusterLayer } from "../../harness/cluster.ts"
import { EnvironmentDouble, poseFrame, until } from "../cluster.ts"
import { StoredFramesDouble } from "../stored-frames.ts"
import { makePerson } from "../pose/frames.ts"

/** Runs a test with a hub over a double of the environments. */
const withHub = <A, E>(
  environments: EnvironmentDouble,
  test: (hub: FrameHub["Service"]) => Effect.Effect<A, E, never>,
  clock: Layer.Layer<never> = Layer.empty,
  stored = new StoredFramesDouble(),
): Promise<A> =>
  Effect.runPromise(
    FrameHub.use(test).pipe(
      Effect.provide(FrameHub.layer.pipe(
        Layer.provideMerge(environments.layer()),
        Layer.provide(stored.layer),
        Layer.provide(clusterLayer),
        Layer.provideMerge(clock),
      )),
      Effect.scoped,
    ) as Effect.Effect<A, E>,
  )

/** Starts a watcher whose frames are collected as they come. */
const collect = Effect.fnUntraced(function* (hub: FrameHub["Service"], environmentId: string) {
  const seen: Array<SharedFrame> = []
  const fiber = yield* hub.watch(environmentId).pipe(
    Stream.runForEach((frame) => Effect.sync(() => seen.push(frame))),
    Effect.forkDetach,
  )
  return { seen, ids: () => seen.map(({ frame }) => frame.frameId), fiber }
})

describe("frame hub", () => {
  it("opens one stream for many watchers, and shares frames and their encodings", () => {
    const environments = new EnvironmentDouble("room")
    return withHub(environments, (hub) =>
      Effect.gen(function* () {
        const watchers = yield* Effect.replicateEffect(collect(hub, "room"), 20)
        yield* until(() => environments.streams === 1)
        const bytes = environments.publish(poseFrame("room", 1))
        yield* until(() => watchers.every(({ seen }) => seen.length === 1))
        expect(environments.opened).toBe(1)
        const frames = watchers.map(({ seen }) => seen[0]!)
        expect(new Set(frames).size).toBe(1)
        expect(frames[0]!.bytes).toEqual(bytes)
        expect(frames[0]!.frame).toEqual(poseFrame("room", 1))
        let made = 0
        const form = (frame: { readonly frameId: number }) => `${frame.frameId}/${++made}`
        expect(frames.map((frame) => frame.memo("bare", form))).toEqual(frames.map(() => "1/1"))
        expect(frames[0]!.memo("envelope", form)).toBe("1/2")
        const person = makePerson(1, 0.9)
        expect(frames[0]!.densePose(person)).toBe(frames[1]!.densePose(person))
        yield* Effect.forEach(watchers, ({ fiber }) => Fiber.interrupt(fiber))
      }))
  })

  it("closes the stream some time after the last watcher leaves, and opens it again for the next", () => {
    const environments = new EnvironmentDouble("room")
    return withHub(environments, (hub) =>
      Effect.gen(function* () {
        const first = yield* collect(hub, "room")
        yield* TestClock.adjust("1 second")
        yield* until(() => environments.streams === 1)
        yield* Fiber.interrupt(first.fiber)
        yield* TestClock.adjust("1 second")
        const second = yield* collect(hub, "room")
        expect(environments.opened).toBe(1)
        yield* Fiber.interrupt(second.fiber)
        yield* TestClock.adjust("6 seconds")
        yield* until(() => environments.streams === 0)
        const third = yield* collect(hub, "room")
        yield* TestClock.adjust("1 second")
        yield* until(() => environments.streams === 1)
        yield* Fiber.interrupt(third.fiber)
      }), TestClock.layer())
  })

  it.each(["end", "defect", "interrupt"] as const)("opens the stream again when it fails (%s)", (way) => {
    const environments = new EnvironmentDouble("room")
    return withHub(environments, (hub) =>
      Effect.gen(function* () {
        const watcher = yield* collect(hub, "room")
        for (let round = 1; round <= 4; round++) {
          yield* until(() => environments.streams === 1)
          environments.publish(poseFrame("room", round))
          yield* until(() => watcher.seen.length === round)
          yield* environments.breakStreams(way)
          yield* until(() => environments.opened === round + 1)
        }
        expect(watcher.ids()).toEqual([1, 2, 3, 4])
        yield* Fiber.interrupt(watcher.fiber)
      }))
  })

  it.each([
    { failsS: 0, how: "fails" as const, ids: Array.from({ length: 152 }, (_, i) => i + 1) },
    { failsS: 9, how: "fails" as const, ids: Array.from({ length: 152 }, (_, i) => i + 1) },
    { failsS: 11, how: "fails" as const, ids: [1, 152] },
    { failsS: 5, how: "hangs" as const, ids: Array.from({ length: 152 }, (_, i) => i + 1) },
    { failsS: 11, how: "hangs" as const, ids: [1, 152] },
  ])(
    "sends what was stored while the stream was interrupted, if the store answers in 10 s ($how for $failsS s)",
    ({ failsS, how, ids }) => {
      const environments = new EnvironmentDouble("room")
      const stored = new StoredFramesDouble()
      stored[how] = failsS > 0
      return withHub(
        environments,
        (hub) =>
          Effect.gen(function* () {
            const watcher = yield* collect(hub, "room")
            yield* TestClock.adjust("1 second")
            yield* until(() => environments.streams === 1)
            environments.publish(poseFrame("room", 1))
            yield* until(() => watcher.seen.length === 1)
            yield* environments.breakStreams("defect")
            for (let id = 1; id <= 152; id++) stored.store(poseFrame("room", id))
            yield* TestClock.adjust("1 second")
            yield* until(() => environments.streams === 1 && environments.opened === 2)
            environments.publish(poseFrame("room", 152))
            if (failsS > 0) yield* until(() => stored.asked > 0)
            for (let second = 0; second < failsS; second++) yield* TestClock.adjust("1 second")
            stored[how] = false
            for (let second = 0; second < 4; second++) yield* TestClock.adjust("1 second")
            yield* until(() => watcher.ids().includes(152))
            expect(watcher.ids()).toEqual(ids)
            yield* Fiber.interrupt(watcher.fiber)
          }),
        TestClock.layer(),
        stored,
      )
    },
  )

  it("sends what was stored while the cluster moved the stream to another node, which does not end it", () => {
    const environments = new EnvironmentDouble("room")
    const stored = new StoredFramesDouble()
    return withHub(
      environments,
      (hub) =>
        Effect.gen(function* () {
          const watcher = yield* collect(hub, "room")
          yield* until(() => environments.streams === 1)
          environments.publish(poseFrame("room", 1))
          yield* until(() => watcher.seen.length === 1)
          for (let id = 1; id <= 5; id++) stored.store(poseFrame("room", id))
          environments.publish(poseFrame("room", 5))
          yield* until(() => watcher.ids().includes(5))
          expect(watcher.ids()).toEqual([1, 2, 3, 4, 5])
          expect(environments.opened).toBe(1)
          yield* Fiber.interrupt(watcher.fiber)
        }),
      Layer.empty,
      stored,
    )
  })

  it("opens the stream again when it is silent", () => {
    const environments = new EnvironmentDouble("room")
    return withHub(environments, (hub) =>
      Effect.gen(function* () {
        const watcher = yield* collect(hub, "room")
        yield* TestClock.adjust("1 second")
        yield* until(() => environments.opened === 1)
        yield* TestClock.adjust("6 seconds")
        yield* until(() => environments.opened === 2)
        yield* Fiber.interrupt(watcher.fiber)
      }), TestClock.layer())
  })

  it("drops duplicate and late frames", () => {
    const environments = new EnvironmentDouble("room")
    return withHub(environments, (hub) =>
      Effect.gen(function* () {
        const watcher = yield* collect(hub, "room")
        yield* until(() => environments.streams === 1)
        for (const id of [5, 5, 4, 6, 3, 7]) environments.publish(poseFrame("room", id))
        yield* until(() => watcher.ids().includes(7))
        expect(watcher.ids()).toEqual([5, 6, 7])
        yield* Fiber.interrupt(watcher.fiber)
      }))
  })

  it("drops the oldest frames of a slow reader only", () => {
    const environments = new EnvironmentDouble("room")
    return withHub(environments, (hub) =>
      Effect.gen(function* () {
        const gate = yield* Queue.unbounded<void>()
        const slow: Array<number> = []
        const reader = yield* hub.watch("room").pipe(
          Stream.runForEach(({ frame }) =>
            Effect.sync(() => slow.push(frame.frameId)).pipe(Effect.andThen(Queue.take(gate)))
          ),
          Effect.forkDetach,
        )
        const fast = yield* collect(hub, "room")
        yield* until(() => environments.streams === 1)
        environments.publish(poseFrame("room", 1))
        yield* until(() => slow.length === 1)
        for (let id = 2; id <= 200; id++) {
          environments.publish(poseFrame("room", id))
          yield* until(() => fast.seen.length === id)
        }
        yield* Queue.offerAll(gate, new Array<void>(100))
        yield* until(() => slow.at(-1) === 200)
        // The frame in hand, then the newest 64.
        expect(slow).toEqual([1, ...Array.from({ length: 64 }, (_, i) => 137 + i)])
        expect(fast.ids()).toEqual(Array.from({ length: 200 }, (_, i) => i + 1))
        yield* Fiber.interrupt(reader)
        yield* Fiber.interrupt(fast.fiber)
      }))
  })

  it("returns the latest frame from the open stream while it is fresh, else from the actor", () => {
    const environments = new EnvironmentDouble("room")
    return withHub(environments, (hub) =>
      Effect.gen(function* () {
        environments.publish(poseFrame("room", 1))
        yield* TestClock.adjust("1 second")
        expect((yield* hub.latest("room")).bytes).toEqual(encodePoseFrame(poseFrame("room", 1)))
        expect(environments.asked).toBe(1)
        const watcher = yield* collect(hub, "room")
        yield* TestClock.adjust("1 second")
        yield* until(() => environments.streams === 1)
        environments.publish(poseFrame("room", 2))
        yield* until(() => watcher.seen.length === 1)
        expect(yield* hub.latest("room")).toBe(watcher.seen[0])
        expect(environments.asked).toBe(1)
        yield* TestClock.adjust("1001 millis")
        expect((yield* hub.latest("room")).frame.frameId).toBe(2)
        expect(environments.asked).toBe(2)
        yield* Fiber.interrupt(watcher.fiber)
      }), TestClock.layer())
  })

  it("returns the actor's failure when there is no frame", () => {
    const environments = new EnvironmentDouble("room")
    return withHub(environments, (hub) =>
      Effect.gen(function* () {
        expect((yield* Effect.flip(hub.latest("room")))._tag).toBe("NoFrames")
        expect((yield* Effect.flip(hub.latest("nowhere")))._tag).toBe("UnknownEnvironment")
      }))
  })

  it("fails with ActorUnavailable when the actor does not answer within 5 s", () => {
    const environments = new EnvironmentDouble("room")
    environments.fallSilent()
    return withHub(environments, (hub) =>
      Effect.gen(function* () {
        const asked = yield* Effect.forkDetach(Effect.flip(hub.latest("room")))
        yield* until(() => environments.asked === 1)
        yield* TestClock.adjust("5 seconds")
        expect((yield* Fiber.join(asked))._tag).toBe("ActorUnavailable")
      }), TestClock.layer())
  })

  it("fails every watcher of an environment that does not exist, until it does", () => {
    const environments = new EnvironmentDouble("room")
    return withHub(environments, (hub) =>
      Effect.gen(function* () {
        const exits = yield* Effect.forEach(
          [1, 2, 3],
          () => Effect.exit(Stream.runDrain(hub.watch("nowhere"))),
          { concurrency: "unbounded" },
        )
        for (const exit of exits) {
          expect(Exit.isFailure(exit) && Cause.findErrorOption(exit.cause)).toMatchObject({
            value: { _tag: "UnknownEnvironment" },
          })
        }
        environments.known.add("nowhere")
        const watcher = yield* collect(hub, "nowhere")
        yield* until(() => environments.streams === 1)
        environments.publish(poseFrame("nowhere", 1))
        yield* until(() => watcher.seen.length === 1)
        yield* Fiber.interrupt(watcher.fiber)
      }))
  })
})
