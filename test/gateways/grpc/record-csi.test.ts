/** `CsiRecordingService.RecordCsi` and its client, the source of `wavepose record --service`, over a real connection. */
import { Cause, Effect, Queue, Result, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { openServiceSource } from "../../../deploy/source/service-batches.ts"
import { encodeCsiBatch } from "../../../protocols/grpc/csi-batch.ts"
import { exampleBatch } from "../../protocols/grpc/batches.ts"
import { RouterDouble, until } from "../cluster.ts"
import { withGrpcServer } from "./site.ts"

/** Routers whose taps a test fills. */
class TappedRouters extends RouterDouble {
  readonly queues = new Map<
    string,
    Queue.Queue<{ readonly batch: Uint8Array | null; readonly lost: number }, Cause.Done>
  >()
  constructor() {
    super(() => Effect.die("nothing is sent"))
    this.tap = (routerId) =>
      Stream.unwrap(Effect.gen({ self: this }, function* () {
        const queue = yield* Queue.unbounded<{ readonly batch: Uint8Array | null; readonly lost: number }, Cause.Done>()
        Queue.offerUnsafe(queue, { batch: null, lost: 0 })
        this.queues.set(routerId, queue)
        return Stream.fromQueue(queue)
      }))
  }
}

const openAs = (port: number, key: string, environmentId: string | null, startUs = 0) =>
  openServiceSource({
    address: `127.0.0.1:${port}`,
    environmentId,
    signIn: Effect.succeed({ "x-api-key": key }),
    startUs,
    rootCertPem: null,
  })

const refusal = (port: number, key = "admin", environmentId: string | null = null) =>
  Effect.map(
    Effect.scoped(Effect.result(openAs(port, key, environmentId))),
    (result) => Result.isFailure(result) ? result.failure.message : "opened",
  )

describe("gRPC edge: CsiRecordingService", () => {
  it("copies the batches of every router to an administrator, and says what was lost", () => {
    const routers = new TappedRouters()
    return withGrpcServer(
      ({ port }) =>
        Effect.gen(function* () {
          const { batches, environmentId } = yield* openAs(port, "admin", null)
          expect(environmentId).toBe("room")
          expect([...routers.queues.keys()].toSorted()).toEqual(["a", "b"])
          const sent = [exampleBatch("a", 1), exampleBatch("b", 2)]
          for (const batch of sent) {
            Queue.offerUnsafe(routers.queues.get(batch.routerId)!, {
              batch: encodeCsiBatch(batch),
              lost: batch.batchSequence,
            })
          }
          yield* until(() => batches.frames.size === 2 && batches.dropped.get("slow-reader") === 3)
          const taken = batches.take().toSorted((a, b) => a.routerId < b.routerId ? -1 : 1)
          expect(taken.map(({ csi, routerId, sequences }) => ({ csi, routerId, sequences }))).toEqual(
            sent.map(({ csi, routerId, sequences }) => ({ csi, routerId, sequences })),
          )
          // A wrong clock is set right by whole hops.
          for (const [i, { timestampsUs }] of taken.entries()) {
            const movedUs = timestampsUs[0]! - sent[i]!.timestampsUs[0]!
            expect(movedUs % 100_000).toBe(0)
            expect(Math.abs(timestampsUs[0]! - Date.now() * 1000)).toBeLessThan(60e6)
          }
          expect(batches.lossText()).toEqual(["3 batches were dropped: slow-reader"])
        }).pipe(Effect.scoped, Effect.orDie),
      {},
      routers,
    )
  })

  it("follows a router whose actor moved, and counts the interruption", () => {
    const routers = new TappedRouters()
    return withGrpcServer(
      ({ port }) =>
        Effect.gen(function* () {
          const { batches } = yield* openAs(port, "admin", "room")
          const before = routers.queues.get("a")!
          Queue.endUnsafe(before)
          yield* until(() => routers.queues.get("a") !== before)
          Queue.offerUnsafe(routers.queues.get("a")!, { batch: encodeCsiBatch(exampleBatch("a", 1)), lost: 0 })
          yield* until(() => batches.frames.has("a"))
          expect(batches.lossText()).toEqual(["The stream was interrupted 1 times; what was sent meanwhile is missing"])
        }).pipe(Effect.scoped, Effect.orDie),
      {},
      routers,
    )
  })

  it("refuses other roles, rooms that do not exist, and what the privacy settings forbid", () =>
    withGrpcServer(
      (site) =>
        Effect.gen(function* () {
          const { port } = site
          expect(yield* refusal(port, "operator")).toMatch(/role operator does not have the scope "admin"|API key/)
          expect(yield* refusal(port, "admin", "cellar")).toContain("cellar")
          site.privacyClass = 3
          expect(yield* refusal(port)).toContain("privacy class is restricted")
          site.privacy = { ...site.privacy, anonymizeData: true }
          expect(yield* refusal(port)).toContain("privacy.anonymize_data")
          site.privacy = { ...site.privacy, csiRecordingEnabled: false }
          expect(yield* refusal(port)).toContain('{"privacy.csi_recording_enabled": true}')
        }),
      {},
      new TappedRouters(),
    ))

  it("ends a recording when the settings forbid it, before another batch is sent", () => {
    const routers = new TappedRouters()
    return withGrpcServer(
      (site) =>
        Effect.gen(function* () {
          const { batches, ended } = yield* openAs(site.port, "admin", "room")
          site.privacy = { ...site.privacy, csiRecordingEnabled: false }
          Queue.offerUnsafe(routers.queues.get("a")!, { batch: encodeCsiBatch(exampleBatch("a", 1)), lost: 0 })
          expect((yield* Effect.flip(ended)).message).toContain("ended the recording")
          expect(batches.frames.size).toBe(0)
        }).pipe(Effect.scoped, Effect.orDie),
      {},
      routers,
    )
  })
})
