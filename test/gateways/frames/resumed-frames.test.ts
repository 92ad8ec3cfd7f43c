import { Effect, Fiber, Layer, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { FrameHub } from "../../../gateways/frames/frame-hub.ts"
import { resumeAfter } from "../../../gateways/frames/resumed-frames.ts"
import type { FrameHistory } from "../../../protocols/ports/frame-history.ts"
import { clusterLayer } from "../../harness/cluster.ts"
import { EnvironmentDouble, poseFrame, until } from "../cluster.ts"
import { StoredFramesDouble } from "../stored-frames.ts"

const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

/** A room whose frames are stored and then published, as the Archive actor does. */
const makeRoom = () => {
  const environments = new EnvironmentDouble("room")
  const stored = new StoredFramesDouble()
  let newest = 0
  const store = (count: number) => {
    for (let i = 0; i < count; i++) stored.store(poseFrame("room", ++newest))
  }
  const make = (count = 1) => {
    for (let i = 0; i < count; i++) {
      store(1)
      environments.publish(poseFrame("room", newest))
    }
  }
  return { environments, stored, store, make }
}

type Room = ReturnType<typeof makeRoom>

const withRoom = <A, E>(test: (room: Room) => Effect.Effect<A, E, FrameHub | FrameHistory>): Promise<A> => {
  const room = makeRoom()
  const layer = FrameHub.layer.pipe(
    Layer.provideMerge(room.stored.layer),
    Layer.provideMerge(room.environments.layer()),
    Layer.provide(clusterLayer),
    Layer.provideMerge(TestClock.layer()),
  )
  return Effect.runPromise(Effect.scoped(Effect.provide(test(room), layer)) as Effect.Effect<A, E>)
}

/** Reads a resumed stream. A frame is taken when `gate` lets it; null: at once. */
const read = Effect.fnUntraced(function* (afterFrameId: number, gate: Queue.Queue<void> | null = null) {
  const resumption = yield* resumeAfter("room", afterFrameId)
  const seen: Array<{ readonly id: number; readonly stored: boolean }> = []
  const fiber = yield* resumption.frames.pipe(
    Stream.runForEach(({ shared, stored }) =>
      Effect.sync(() => seen.push({ id: shared.frame.frameId, stored })).pipe(
        Effect.andThen(gate === null ? Effect.void : Queue.take(gate)),
      )
    ),
    Effect.forkDetach,
  )
  return { ...resumption, fiber, seen, ids: () => seen.map(({ id }) => id) }
})

const live = ({ environments }: Room) => until(() => environments.streams === 1)

describe("resumed frames", () => {
  it("are the stored ones after the id, in pages, and then the live ones", () =>
    withRoom((room) =>
      Effect.gen(function* () {
        room.store(350)
        const reader = yield* read(20)
        expect([reader.afterFrameId, reader.reason]).toEqual([20, null])
        yield* live(room)
        expect(reader.ids()).toEqual(ids(21, 350))
        expect(room.stored.pages).toBe(4)
        room.make(3)
        yield* until(() => reader.seen.length === 333)
        expect(reader.seen.slice(-4)).toEqual([
          { id: 350, stored: true },
          ...ids(351, 353).map((id) => ({ id, stored: false })),
        ])
        yield* Fiber.interrupt(reader.fiber)
      })
    ))

  it("have no gap when frames are published between the last page and the first live frame", () =>
    withRoom((room) =>
      Effect.gen(function* () {
        room.store(10)
        room.stored.onPage = () => {
          room.stored.onPage = () => {}
          room.make(5)
        }
        const reader = yield* read(5)
        yield* live(room)
        room.make()
        yield* until(() => reader.ids().includes(16))
        expect(reader.ids()).toEqual(ids(6, 16))
        room.make(2)
        yield* until(() => reader.ids().includes(18))
        expect(reader.ids()).toEqual(ids(6, 18))
        yield* Fiber.interrupt(reader.fiber)
      })
    ))

  it("have no repeat when live frames overlap the stored ones", () =>
    withRoom((room) =>
      Effect.gen(function* () {
        const other = yield* read(0)
        yield* live(room)
        room.make(10)
        const reader = yield* read(2)
        yield* until(() => reader.seen.length === 8)
        room.environments.publish(poseFrame("room", 9))
        room.environments.publish(poseFrame("room", 10))
        room.make()
        yield* until(() => reader.ids().includes(11) && other.ids().includes(11))
        expect(reader.ids()).toEqual(ids(3, 11))
        expect(other.ids()).toEqual(ids(1, 11))
        yield* Fiber.interrupt(reader.fiber)
        yield* Fiber.interrupt(other.fiber)
      })
    ))

  it("do not lose a frame while the reader is slow with the stored ones", () =>
    withRoom((room) =>
      Effect.gen(function* () {
        const other = yield* read(0)
        yield* live(room)
        room.make(20)
        yield* until(() => other.ids().includes(20))
        const gate = yield* Queue.unbounded<void>()
        const reader = yield* read(0, gate)
        yield* until(() => reader.seen.length === 1)
        // More than the hub keeps for a watcher.
        for (let i = 0; i < 200; i++) {
          room.make()
          yield* until(() => other.ids().includes(21 + i))
          if (i % 4 === 0) yield* Queue.offer(gate, undefined)
        }
        yield* Queue.offerAll(gate, new Array<void>(500))
        yield* until(() => reader.ids().includes(220))
        room.make()
        yield* until(() => reader.ids().includes(221))
        expect(reader.ids()).toEqual(ids(1, 221))
        yield* Fiber.interrupt(reader.fiber)
        yield* Fiber.interrupt(other.fiber)
      })
    ))

  it.each([
    { name: "an empty history", stored: 0, deleted: 0, after: 0, from: 0, reason: null },
    { name: "the newest id", stored: 5, deleted: 0, after: 5, from: 5, reason: null },
    { name: "an id that the history does not know", stored: 3, deleted: 0, after: 9, from: 3, reason: "is not known" },
    { name: "deleted frames", stored: 9, deleted: 6, after: 2, from: 6, reason: "3 to 6 are no longer stored" },
    { name: "only deleted frames", stored: 9, deleted: 9, after: 2, from: 9, reason: "3 to 9 are no longer stored" },
    { name: "too many frames", stored: 6100, deleted: 0, after: 50, from: 100, reason: "at most 6000 frames" },
  ])(
    "begin at the first available frame and say why: $name",
    ({ after, deleted, from, reason, stored }) =>
      withRoom((room) =>
        Effect.gen(function* () {
          room.store(stored)
          room.stored.deleteUpTo(deleted)
          const reader = yield* read(after)
          expect(reader.afterFrameId).toBe(from)
          if (reason === null) expect(reader.reason).toBeNull()
          else expect(reader.reason).toContain(reason)
          yield* live(room)
          room.make(2)
          yield* until(() => reader.ids().includes(stored + 2))
          expect(reader.ids()).toEqual(ids(from + 1, stored + 2))
          yield* Fiber.interrupt(reader.fiber)
        })
      ),
  )

  it("end with the failure when the history cannot be read", () =>
    withRoom((room) =>
      Effect.gen(function* () {
        room.store(3)
        const { frames } = yield* resumeAfter("room", 0)
        room.stored.fails = true
        expect((yield* Effect.flip(Stream.runDrain(frames)))._tag).toBe("StoreUnavailable")
        expect((yield* Effect.flip(resumeAfter("room", 0)))._tag).toBe("StoreUnavailable")
      })
    ))
})
