/** The archive of an environment while its node keeps the shard, and while it gives it away. */
import { Effect, Layer } from "effect"
import { ShardId, Sharding } from "effect/cluster"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { layerLocalArchives } from "../../../actors/archive/archive-entity.ts"
import { makeOwnArchive } from "../../../actors/environment/own-archive.ts"
import { EventStore } from "../../../actors/store/events/events.ts"
import { FrameStore } from "../../../actors/store/frames/frames.ts"
import { TrackStore } from "../../../actors/store/tracks/tracks.ts"
import { type ArchivedFrame, LocalArchives } from "../../../protocols/messages/archive.ts"

/** Asks for the newest frame on a node; says who answered, the actor (1) or the store (2). */
const answeredOn = (node: { isHere: boolean; actorAnswers: boolean }, afterMs: number): Promise<unknown> => {
  const newest = (frameId: number) => Effect.succeed({ frameId, timestampMs: 0, body: null })
  const client = { Newest: () => node.actorAnswers ? newest(1) : Effect.never }
  const sharding = {
    makeClient: () => Effect.succeed(() => client),
    getShardId: () => ShardId.make("sensing", 1),
    hasShardId: () => node.isHere,
  }
  const stores = Layer.mergeAll(
    layerLocalArchives,
    Layer.succeed(Sharding.Sharding, sharding as unknown as Sharding.Sharding["Service"]),
    Layer.succeed(FrameStore, { newest: () => newest(2) } as unknown as FrameStore["Service"]),
    Layer.succeed(EventStore, {} as unknown as EventStore["Service"]),
    Layer.succeed(TrackStore, {} as unknown as TrackStore["Service"]),
  )
  return Effect.gen(function* () {
    const archive = yield* makeOwnArchive("room")
    const asked = yield* Effect.forkChild(Effect.uninterruptible(Effect.timeout(archive.Newest(), 3_000)))
    yield* Effect.yieldNow
    node.isHere = false
    yield* TestClock.adjust(afterMs)
    return asked.pollUnsafe()
  }).pipe(Effect.provide(stores), Effect.provide(TestClock.layer()), Effect.runPromise)
}

const answer = (frameId: number) => expect.objectContaining({ value: { frameId, timestampMs: 0, body: null } })

it("is the actor on a node that has the shard", async () => {
  expect(await answeredOn({ isHere: true, actorAnswers: true }, 0)).toEqual(answer(1))
})

it("is the store once the node gives the shard away, also for a message that waits", async () => {
  expect(await answeredOn({ isHere: false, actorAnswers: true }, 0)).toEqual(answer(2))
  expect(await answeredOn({ isHere: true, actorAnswers: false }, 25)).toEqual(answer(2))
})

it("takes frames by a local call where the actor allows it, and by the store once the node gives the shard away", async () => {
  const stored = (by: string, taken: Array<string>) => Effect.sync(() => (taken.push(by), { stored: true }))
  const appended = (node: { readonly isHere: boolean; readonly isCallable: boolean }) => {
    const taken: Array<string> = []
    const stores = Layer.mergeAll(
      layerLocalArchives,
      Layer.succeed(
        Sharding.Sharding,
        {
          makeClient: () => Effect.succeed(() => ({ Append: () => stored("message", taken) })),
          getShardId: () => ShardId.make("sensing", 1),
          hasShardId: () => node.isHere,
        } as unknown as Sharding.Sharding["Service"],
      ),
      Layer.succeed(
        FrameStore,
        {
          append: () => Effect.map(stored("store", taken), ({ stored }) => stored),
        } as unknown as FrameStore["Service"],
      ),
      Layer.succeed(EventStore, {} as unknown as EventStore["Service"]),
      Layer.succeed(TrackStore, {} as unknown as TrackStore["Service"]),
    )
    return Effect.gen(function* () {
      if (node.isCallable) (yield* LocalArchives).add("room", () => stored("local call", taken))
      const archive = yield* makeOwnArchive("room")
      expect(yield* archive.Append({ frames: [{ frameId: 1 } as ArchivedFrame] })).toEqual({ stored: true })
      return taken
    }).pipe(Effect.provide(stores), Effect.runPromise)
  }
  expect(await appended({ isHere: true, isCallable: true })).toEqual(["local call"])
  expect(await appended({ isHere: true, isCallable: false })).toEqual(["message"])
  expect(await appended({ isHere: false, isCallable: true })).toEqual(["store"])
})
