/** Batches for the routers of a site on another node go together, and each router answers for itself. */
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { layerSite } from "../../../actors/site/site-entity.ts"
import { makeIngest } from "../../../gateways/ingest/ingest.ts"
import { UnknownRouter } from "../../../protocols/domain/failure.ts"
import type { IngestResult } from "../../../protocols/messages/router.ts"
import { SiteElsewhere } from "../../../protocols/ports/sites.ts"
import { clusterLayer } from "../../harness/cluster.ts"
import { exampleBatch } from "../../protocols/grpc/batches.ts"
import { RouterDouble } from "../cluster.ts"

const accepted: IngestResult = { acceptedFrames: 10, droppedFrames: 0, dropReason: null }

/** Sends a batch to each router at once; they are on another node, as far as the gateway knows. */
const sendTo = (routers: ReadonlyArray<string>, answer: ConstructorParameters<typeof RouterDouble>[0]) =>
  Effect.gen(function* () {
    const ingest = yield* makeIngest
    const sent = yield* Effect.forkChild(
      Effect.forEach(routers, (routerId) => ingest(exampleBatch(routerId, 7)), { concurrency: "unbounded" }),
    )
    yield* TestClock.adjust(50)
    return yield* Fiber.join(sent)
  }).pipe(
    Effect.provide(
      layerSite.pipe(
        Layer.provideMerge(new RouterDouble(answer).layer()),
        Layer.provideMerge(clusterLayer),
        Layer.provideMerge(Layer.succeed(SiteElsewhere, () => "site")),
      ),
    ),
    Effect.provide(TestClock.layer()),
    Effect.scoped,
    Effect.runPromise,
  )

describe("batches for a site on another node", () => {
  it("reach their routers, and are answered one by one", async () => {
    const acks = await sendTo(
      ["r1", "unknown", "broken", "r2"],
      (routerId) =>
        routerId === "unknown"
          ? Effect.fail(UnknownRouter.of(routerId))
          : routerId === "broken"
          ? Effect.die(new Error("a batch that breaks its router"))
          : Effect.succeed(accepted),
    )
    expect(acks.map(({ acceptedFrames, errorCode }) => [acceptedFrames, errorCode])).toEqual([
      [10, null],
      [0, "unknown_router"],
      [0, "invalid_batch"],
      [10, null],
    ])
  })
})
