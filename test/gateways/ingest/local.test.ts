import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { type Ingest, makeIngest } from "../../../gateways/ingest/ingest.ts"
import { decodeCsiBatch, encodeCsiBatch } from "../../../protocols/grpc/csi-batch.ts"
import { type IngestCall, LocalRouters } from "../../../protocols/messages/router.ts"
import { clusterLayer } from "../../harness/cluster.ts"
import { exampleBatch } from "../../protocols/grpc/batches.ts"
import { RouterDouble } from "../cluster.ts"

const accepted = { acceptedFrames: 10, droppedFrames: 0, dropReason: null }
const batch = exampleBatch("r1", 7)

/** An ingest path with routers on other nodes, and a router `r1` on this node that answers by `call`. */
const run = <A>(
  call: IngestCall | null,
  use: (site: { readonly ingest: Ingest; readonly remote: RouterDouble }) => Effect.Effect<A>,
) => {
  const remote = new RouterDouble(() => Effect.succeed(accepted))
  return Effect.gen(function* () {
    yield* TestClock.adjust(1)
    if (call !== null) (yield* LocalRouters).add("r1", call)
    return yield* use({ ingest: yield* makeIngest, remote })
  }).pipe(
    Effect.provide(remote.layer().pipe(Layer.provideMerge(clusterLayer))),
    Effect.provide(TestClock.layer()),
    Effect.scoped,
    Effect.runPromise,
  )
}

describe("ingest within a process", () => {
  it("hands a batch to a router of this node as the object that it is, and bytes as bytes", () => {
    const given: Array<Parameters<IngestCall>[0]> = []
    const call: IngestCall = (batches) => Effect.sync(() => given.push(batches)).pipe(Effect.as([accepted]))
    return run(call, ({ ingest, remote }) =>
      Effect.gen(function* () {
        const bytes = encodeCsiBatch(batch)
        expect(yield* ingest(batch)).toMatchObject({ batchSequence: 7, acceptedFrames: 10, errorCode: null })
        expect(yield* ingest(bytes)).toMatchObject({ batchSequence: 7, acceptedFrames: 10, errorCode: null })
        expect(given.map(([one]) => one === batch || one === bytes)).toEqual([true, true])
        expect(remote.batches).toEqual([])
      }))
  })

  it("encodes a batch for a router of another node", () =>
    run(null, ({ ingest, remote }) =>
      Effect.gen(function* () {
        expect(yield* ingest(batch)).toMatchObject({ batchSequence: 7, acceptedFrames: 10, errorCode: null })
        expect(remote.batches.map(({ bytes }) => Result.getOrThrow(decodeCsiBatch(bytes)))).toEqual([batch])
      })))

  it("rejects a batch that breaks its router after one call", () => {
    let calls = 0
    const call: IngestCall = () =>
      Effect.suspend(() => {
        calls++
        return Effect.die(new Error("a batch that breaks its router"))
      })
    return run(call, ({ ingest, remote }) =>
      Effect.gen(function* () {
        expect(yield* ingest(batch)).toMatchObject({ batchSequence: 7, errorCode: "invalid_batch" })
        expect([calls, remote.batches.length]).toEqual([1, 0])
      }))
  })

  it("rejects an object that is not a batch without a call", () =>
    run(() => Effect.die("not called"), ({ ingest }) =>
      Effect.gen(function* () {
        const samples = new Float32Array(batch.csi.length).fill(NaN)
        expect(yield* ingest({ ...batch, csi: samples })).toMatchObject({
          batchSequence: 7,
          errorCode: "invalid_batch",
          reason: "every sample must be a finite number",
        })
      })))
})
