import * as grpc from "@grpc/grpc-js"
import { Deferred, Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { InvalidBatch, StoreUnavailable, SystemNotRunning, UnknownRouter } from "../../../protocols/domain/failure.ts"
import { encodeCsiBatch, readCsiBatchEnvelope } from "../../../protocols/grpc/csi-batch.ts"
import type { IngestAck } from "../../../protocols/grpc/ingest-ack.ts"
import { decodePoseFrame, encodePoseFrame } from "../../../protocols/grpc/pose-frame.ts"
import { csiIngestService, posesService } from "../../../protocols/grpc/services.ts"
import { ActorGaveUp } from "../../../protocols/messages/escalations.ts"
import { exampleBatch } from "../../protocols/grpc/batches.ts"
import { poseFrame, RouterDouble, until } from "../cluster.ts"
import { revocations, withGrpcServer } from "./site.ts"
import { HealthClient, ReflectionClient, selfSigned } from "./tools.ts"

/**
 * Routers: `slow` never answers, `strange` is not enrolled, `far` is unreachable, `picky` refuses, `broken` and `resting`
 * meet a defect and its consequence, the others accept.
 */
const routers = () =>
  new RouterDouble((routerId) => {
    switch (routerId) {
      case "strange":
        return Effect.fail(UnknownRouter.of(routerId))
      case "picky":
        return Effect.fail(new InvalidBatch({ field: "layout", message: "layout changed" }))
      case "far":
        return Effect.fail(new StoreUnavailable({ message: "the store is away" }))
      case "broken":
        return Effect.die(new Error("secret detail"))
      case "resting":
        return Effect.die(new ActorGaveUp("Router/resting broke too often"))
      case "slow":
        return Effect.never
      default:
        return Effect.succeed({ acceptedFrames: 9, droppedFrames: 1, dropReason: "an outlier" })
    }
  })

const metadata = (entries: Record<string, string>): grpc.Metadata => {
  const result = new grpc.Metadata()
  for (const [key, value] of Object.entries(entries)) result.set(key, value)
  return result
}

const operator = metadata({ "x-api-key": "operator" })

const withClient = <A>(port: number, use: (client: grpc.Client) => Effect.Effect<A>): Effect.Effect<A> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure())),
    use,
    (client) => Effect.sync(() => client.close()),
  )

/** Opens an ingest stream; acknowledgements and the final status are collected. */
const openIngest = (client: grpc.Client, credentials = operator) => {
  const { path, requestSerialize, responseDeserialize } = csiIngestService.Stream
  const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, credentials)
  const acks: Array<IngestAck> = []
  const result: { status: grpc.StatusObject | null } = { status: null }
  call.on("data", (ack: IngestAck) => acks.push(ack))
  call.on("error", () => {})
  call.on("status", (status: grpc.StatusObject) => result.status = status)
  return { call, acks, result }
}

const openWatch = (client: grpc.Client, environmentId: string, credentials = operator) => {
  const { path, requestSerialize, responseDeserialize } = posesService.Watch
  const call = client.makeServerStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
    { environmentId },
    credentials,
  )
  const frames: Array<Uint8Array> = []
  const result: { status: grpc.StatusObject | null } = { status: null }
  call.on("data", (bytes: Uint8Array) => frames.push(bytes))
  call.on("error", () => {})
  call.on("status", (status: grpc.StatusObject) => result.status = status)
  return { call, frames, result }
}

const getLatest = (client: grpc.Client, environmentId: string, credentials = operator) =>
  Effect.callback<{ readonly code: grpc.status; readonly details: string; readonly bytes?: Uint8Array }>((resume) => {
    const { path, requestSerialize, responseDeserialize } = posesService.GetLatest
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      { environmentId },
      credentials,
      (error, bytes) =>
        resume(Effect.succeed(
          error === null
            ? { code: grpc.status.OK, details: "", bytes: bytes! }
            : { code: error.code, details: error.details },
        )),
    )
  })

const batch = (routerId: string, sequence: number) => encodeCsiBatch(exampleBatch(routerId, sequence))

const withServer = (
  test: Parameters<typeof withGrpcServer>[0],
  options: Parameters<typeof withGrpcServer>[1] = {},
  router: RouterDouble = routers(),
): Promise<void> => withGrpcServer(test, options, router)

describe("gRPC edge: CsiIngest", () => {
  it("has a batch that breaks its router not sent again, but one that its router did not take", () =>
    withServer(({ port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { acks, call, result } = openIngest(client)
          for (const bytes of [batch("broken", 1), batch("resting", 2)]) call.write(bytes)
          call.end()
          yield* until(() => result.status !== null)
          expect(acks).toMatchObject([
            { errorCode: "invalid_batch", reason: 'Router "broken" could not process this batch; it was dropped.' },
            { errorCode: "unavailable" },
          ])
        }))
    ))

  it("hands what came while a router was busy to it together, and sends again one by one what broke it together", () => {
    const first = Deferred.makeUnsafe<void>()
    const sequenceOf = (bytes: Uint8Array) => Result.getOrThrow(readCsiBatchEnvelope(bytes)).batchSequence
    const router = new RouterDouble((_, bytes) => {
      const sequence = sequenceOf(bytes)
      if (sequence === 4) return Effect.die(new Error("a batch that breaks its router"))
      const accepted = { acceptedFrames: 1, droppedFrames: 0, dropReason: null }
      return Effect.as(sequence === 1 ? Deferred.await(first) : Effect.void, accepted)
    })
    const asked = () => router.messages.map((batches) => batches.map(sequenceOf))
    return withServer(
      ({ port }) =>
        withClient(port, (client) =>
          Effect.gen(function* () {
            const { acks, call, result } = openIngest(client)
            call.write(batch("a", 1))
            yield* until(() => asked().length === 1)
            for (const sequence of [2, 3, 4, 5]) call.write(batch("a", sequence))
            call.write(Uint8Array.of(1, 2, 3))
            // Another router's batch is answered by now, so those before it are in the line.
            call.write(batch("b", 6))
            call.end()
            yield* until(() => asked().length === 2)
            yield* Deferred.succeed(first, undefined)
            yield* until(() => result.status !== null)
            expect(asked()).toEqual([[1], [6], [2, 3, 4, 5], [2], [3], [4], [5]])
            expect(acks.map(({ batchSequence, errorCode }) => [batchSequence, errorCode])).toEqual(
              [[1, null], [2, null], [3, null], [4, "invalid_batch"], [5, null], [0, "invalid_batch"], [6, null]],
            )
          })),
      {},
      router,
    )
  })

  it("hands batches to their routers unchanged and acknowledges each in order", () =>
    withServer(({ port, routers }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { acks, call, result } = openIngest(client)
          const sent = ["a", "strange", "b", "far", "picky", "a"].map((routerId, i) => batch(routerId, i + 1))
          for (const bytes of [...sent, Uint8Array.of(1, 2, 3)]) call.write(bytes)
          call.end()
          yield* until(() => result.status !== null)
          expect(result.status!.code).toBe(grpc.status.OK)
          const accepted = { acceptedFrames: 9, droppedFrames: 1, reason: "an outlier", errorCode: null, credit: 16 }
          const refused = { acceptedFrames: 0, droppedFrames: 0, credit: 16 }
          expect(acks).toEqual([
            { batchSequence: 1, ...accepted },
            { batchSequence: 2, ...refused, errorCode: "unknown_router", reason: UnknownRouter.of("strange").message },
            { batchSequence: 3, ...accepted },
            { batchSequence: 4, ...refused, errorCode: "unavailable", reason: expect.stringContaining("far") },
            { batchSequence: 5, ...refused, errorCode: "invalid_batch", reason: "layout changed" },
            { batchSequence: 6, ...accepted },
            { batchSequence: 0, ...refused, errorCode: "invalid_batch", reason: expect.any(String) },
          ])
          const received = (routerId: string) =>
            routers.batches.filter((b) => b.routerId === routerId).map((b) => b.bytes)
          expect(received("a").map((bytes) => [...bytes])).toEqual([sent[0]!, sent[5]!].map((bytes) => [...bytes]))
        }))
    ))

  it("reads no further than the credit while a router does not answer, and goes on when it does", () => {
    const gate = Deferred.makeUnsafe<void>()
    const router = new RouterDouble(() =>
      Effect.as(Deferred.await(gate), { acceptedFrames: 10, droppedFrames: 0, dropReason: null })
    )
    return withServer(
      ({ port }) =>
        withClient(port, (client) =>
          Effect.gen(function* () {
            const { acks, call } = openIngest(client)
            for (let i = 1; i <= 100; i++) call.write(batch(`r${i}`, i))
            yield* until(() => router.batches.length === 16)
            // Everything that could still come in has had its turn.
            for (let turn = 0; turn < 50; turn++) yield* Effect.promise(() => new Promise((go) => setImmediate(go)))
            expect(router.batches.length).toBe(16)
            expect(acks.length).toBe(0)
            yield* Deferred.succeed(gate, undefined)
            yield* until(() => acks.length === 100)
            expect(acks.map(({ batchSequence }) => batchSequence)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
            call.cancel()
          })),
      {},
      router,
    )
  })

  it("gives a router its batches one after the other, while others go on", () => {
    const gate = Deferred.makeUnsafe<void>()
    const router = new RouterDouble((routerId) =>
      Effect.as(routerId === "held" ? Deferred.await(gate) : Effect.void, {
        acceptedFrames: 10,
        droppedFrames: 0,
        dropReason: null,
      })
    )
    return withServer(
      ({ port }) =>
        withClient(port, (client) =>
          Effect.gen(function* () {
            const { acks, call } = openIngest(client)
            for (const [i, routerId] of ["held", "held", "free", "held", "free"].entries()) {
              call.write(batch(routerId, i + 1))
            }
            yield* until(() => router.batches.filter(({ routerId }) => routerId === "free").length === 2)
            expect(router.batches.filter(({ routerId }) => routerId === "held").length).toBe(1)
            expect(acks.length).toBe(0)
            yield* Deferred.succeed(gate, undefined)
            yield* until(() => acks.length === 5)
            expect(acks.map(({ batchSequence }) => batchSequence)).toEqual([1, 2, 3, 4, 5])
            call.cancel()
          })),
      {},
      router,
    )
  })

  it.each<[who: string, credentials: Record<string, string>, code: grpc.status]>([
    ["nobody", {}, grpc.status.UNAUTHENTICATED],
    ["a wrong key", { "x-api-key": "guess" }, grpc.status.UNAUTHENTICATED],
    ["a wrong token", { authorization: "Bearer guess" }, grpc.status.UNAUTHENTICATED],
    ["another scheme", { authorization: "Basic operator" }, grpc.status.UNAUTHENTICATED],
    ["a viewer", { authorization: "Bearer viewer" }, grpc.status.PERMISSION_DENIED],
  ])(
    "refuses %s",
    (_, credentials, code) =>
      withServer(({ port, routers }) =>
        withClient(port, (client) =>
          Effect.gen(function* () {
            const { acks, call, result } = openIngest(client, metadata(credentials))
            call.write(batch("a", 1))
            yield* until(() => result.status !== null)
            expect(result.status!.code).toBe(code)
            expect(acks).toEqual([])
            expect(routers.batches).toEqual([])
          }))
      ),
  )

  it("lets an operator in by token", () =>
    withServer(({ port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { acks, call } = openIngest(client, metadata({ authorization: "Bearer operator" }))
          call.write(batch("a", 1))
          yield* until(() => acks.length === 1)
          call.cancel()
        }))
    ))

  it("refuses a message over 16 MiB", () =>
    withServer(({ port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { call, result } = openIngest(client)
          call.write(new Uint8Array(16 * 1024 * 1024 + 1))
          yield* until(() => result.status !== null)
          expect(result.status!.code).toBe(grpc.status.RESOURCE_EXHAUSTED)
        }))
    ))

  it("acknowledges what is in flight and then ends its streams when it stops", () => {
    const gate = Deferred.makeUnsafe<void>()
    const router = new RouterDouble(() =>
      Effect.as(Deferred.await(gate), { acceptedFrames: 10, droppedFrames: 0, dropReason: null })
    )
    return withServer(
      ({ port, stop }) =>
        withClient(port, (client) =>
          Effect.gen(function* () {
            const { acks, call, result } = openIngest(client)
            call.write(batch("a", 1))
            yield* until(() => router.batches.length === 1)
            yield* Effect.all([stop, Deferred.succeed(gate, undefined)], { concurrency: "unbounded" })
            yield* until(() => result.status !== null)
            expect(acks.map(({ batchSequence }) => batchSequence)).toEqual([1])
            expect(result.status!.code).toBe(grpc.status.UNAVAILABLE)
          })),
      {},
      router,
    )
  })

  it("ends what does not finish within two seconds when it stops", () =>
    withServer(({ port, routers, stop }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { call, result } = openIngest(client)
          call.write(batch("slow", 1))
          yield* until(() => routers.batches.length === 1)
          yield* stop
          yield* until(() => result.status !== null)
          expect(result.status!.code).not.toBe(grpc.status.OK)
        }))
    ))
})

describe("gRPC edge: Poses", () => {
  it("streams the stored bytes of every frame to every watcher over one subscription", () =>
    withServer(({ environments, port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const watches = [openWatch(client, "room"), openWatch(client, ""), openWatch(client, "room")]
          yield* until(() => environments.streams === 1)
          // Watchers open one by one: publish until all have heard.
          const published: Array<Uint8Array> = []
          yield* until(() => {
            if (watches.every(({ frames }) => frames.length > 0)) return true
            published.push(environments.publish(poseFrame("room", published.length + 1)))
            return false
          })
          const last = environments.publish(poseFrame("room", published.length + 1))
          yield* until(() =>
            watches.every(({ frames }) =>
              frames.at(-1)!.byteLength === last.byteLength &&
              decodePoseFrame(frames.at(-1)!).frameId === published.length + 1
            )
          )
          for (const { frames } of watches) expect([...frames.at(-1)!]).toEqual([...last])
          expect(environments.opened).toBe(1)
          for (const { call } of watches) call.cancel()
        }))
    ))

  it("keeps only the newest frames for a reader that does not read", () =>
    withServer(({ environments, port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { call, frames } = openWatch(client, "room")
          call.pause()
          yield* until(() => environments.streams === 1)
          const wide = { ...poseFrame("room", 0), processingPipeline: "x".repeat(50_000) }
          const count = 400
          for (let frameId = 1; frameId <= count; frameId++) {
            environments.publish({ ...wide, frameId })
            yield* Effect.promise(() => new Promise((go) => setImmediate(go)))
          }
          call.resume()
          yield* until(() => frames.length > 0 && decodePoseFrame(frames.at(-1)!).frameId === count)
          const ids = frames.map((bytes) => decodePoseFrame(bytes).frameId)
          expect(ids).toEqual([...ids].sort((a, b) => a - b))
          // 64 in the hub, and what both ends' flow-control windows and stream buffers hold: far from all.
          expect(ids.length).toBeLessThan(200)
          call.cancel()
        }))
    ))

  it("answers the newest frame", () =>
    withServer(({ environments, port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          environments.publish(poseFrame("room", 7))
          const named = yield* getLatest(client, "room", metadata({ authorization: "Bearer viewer" }))
          const unnamed = yield* getLatest(client, "")
          expect([...named.bytes!]).toEqual([...encodePoseFrame(poseFrame("room", 7))])
          expect(unnamed).toEqual(named)
        }))
    ))

  it("ends streams of a caller whose credential ends, and those of nobody else", () => {
    const end = Promise.withResolvers<void>()
    revocations.set("operator", end)
    return withServer(({ environments, port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const ended = openWatch(client, "room")
          const ingest = openIngest(client)
          const other = openWatch(client, "room", metadata({ "x-api-key": "viewer" }))
          yield* until(() => environments.streams === 1)
          environments.publish(poseFrame("room", 1))
          yield* until(() => ended.frames.length === 1 && other.frames.length === 1)
          end.resolve()
          yield* until(() => ended.result.status !== null && ingest.result.status !== null)
          expect(ended.result.status!.code).toBe(grpc.status.UNAUTHENTICATED)
          expect(ingest.result.status!.code).toBe(grpc.status.UNAUTHENTICATED)
          environments.publish(poseFrame("room", 2))
          yield* until(() => other.frames.length === 2)
          expect(ended.frames).toHaveLength(1)
        }))
    ).finally(() => revocations.delete("operator"))
  })

  it("maps every failure to its status", () =>
    withServer(({ port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          expect(yield* getLatest(client, "room")).toMatchObject({ code: grpc.status.NOT_FOUND })
          expect(yield* getLatest(client, "nowhere")).toMatchObject({ code: grpc.status.NOT_FOUND })
          expect(yield* getLatest(client, "no such id: ü \u{1F600} " + "x".repeat(1e5))).toMatchObject({
            code: grpc.status.NOT_FOUND,
          })
          expect(yield* getLatest(client, "")).toEqual({
            code: grpc.status.UNAVAILABLE,
            details: "The system is stopped.",
          })
          expect(yield* getLatest(client, "room", metadata({}))).toMatchObject({ code: grpc.status.UNAUTHENTICATED })
          const { result } = openWatch(client, "nowhere")
          yield* until(() => result.status !== null)
          expect(result.status!.code).toBe(grpc.status.NOT_FOUND)
        })), {
      defaultEnvironment: Effect.fail(new SystemNotRunning({ status: "stopped", message: "The system is stopped." })),
    }))

  it("ends its watchers when streams are switched off, and refuses others, but answers single questions", () => {
    const off = Deferred.makeUnsafe<void>()
    return withServer(({ environments, port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          environments.publish(poseFrame("room", 7))
          const { result } = openWatch(client, "room")
          yield* until(() => environments.streams === 1)
          yield* Deferred.succeed(off, undefined)
          yield* until(() => result.status !== null)
          expect(result.status).toMatchObject({
            code: grpc.status.FAILED_PRECONDITION,
            details: expect.stringContaining("streaming.restream_enabled"),
          })
          const later = openWatch(client, "room")
          yield* until(() => later.result.status !== null)
          expect(later.result.status!.code).toBe(grpc.status.FAILED_PRECONDITION)
          expect(later.frames).toEqual([])
          expect(yield* getLatest(client, "room")).toMatchObject({ code: grpc.status.OK })
        })), { untilWatchingOff: Deferred.await(off) })
  })

  it("ends its watchers when it stops", () =>
    withServer(({ environments, port, stop }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const { result } = openWatch(client, "room")
          yield* until(() => environments.streams === 1)
          yield* stop
          yield* until(() => result.status !== null)
          expect(result.status!.code).toBe(grpc.status.UNAVAILABLE)
        }))
    ))
})

describe("gRPC edge: server", () => {
  it("answers health checks and reflection without credentials", () =>
    withServer(({ port }) =>
      Effect.promise(async () => {
        const health = new HealthClient(port)
        expect(await health.check("wavepose.v1.Poses")).toBe("SERVING")
        health.close()
        const reflection = new ReflectionClient(port)
        expect(await reflection.services()).toEqual(
          expect.arrayContaining(["wavepose.v1.CsiIngest", "wavepose.v1.Poses", "grpc.health.v1.Health"]),
        )
        expect(await reflection.filesOf("wavepose.v1.Poses")).toBeGreaterThan(0)
        reflection.close()
      })
    ))

  it("speaks TLS when it has a certificate", async () => {
    const { certPem, keyPem } = await selfSigned()
    await withServer(({ environments, port }) =>
      Effect.gen(function* () {
        environments.publish(poseFrame("room", 1))
        const trusting = new grpc.Client(`localhost:${port}`, grpc.credentials.createSsl(Buffer.from(certPem)))
        expect((yield* getLatest(trusting, "room")).code).toBe(grpc.status.OK)
        trusting.close()
        const plain = new grpc.Client(`localhost:${port}`, grpc.credentials.createInsecure())
        expect((yield* getLatest(plain, "room")).code).toBe(grpc.status.UNAVAILABLE)
        plain.close()
      }), { host: "localhost", tls: { certPem, keyPem } })
  })

  it("refuses to start on a certificate that is none, or another's", async () => {
    const [own, other] = [await selfSigned(), await selfSigned()]
    for (
      const tls of [{ certPem: "none", keyPem: "none" }, { ...own, keyPem: "none" }, { ...own, keyPem: other.keyPem }]
    ) {
      const started = withServer(() => Effect.void, { tls })
      await expect(started).rejects.toThrow("Cannot listen for gRPC on 127.0.0.1:0")
    }
  })

  it("says which address it could not take", () =>
    withServer(({ port }) =>
      Effect.gen(function* () {
        const taken = yield* Effect.promise(() =>
          withServer(() => Effect.void, { port }).then(() => "", (error: unknown) => String(error))
        )
        expect(taken).toContain(`127.0.0.1:${port}`)
      })
    ))
})
