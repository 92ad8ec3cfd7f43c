import { Deferred, Effect, Layer, Logger, Result } from "effect"
import { createSocket } from "node:dgram"
import { describe, expect, it } from "vitest"
import type { BinOrder } from "../../../core/formats/bin-order.ts"
import type { DatagramCounts } from "../../../gateways/datagrams/counts.ts"
import { layerLocalRouters } from "../../../actors/router/router-entity.ts"
import { DatagramListener } from "../../../gateways/datagrams/listener.ts"
import { UnknownRouter } from "../../../protocols/domain/failure.ts"
import { decodeCsiBatch } from "../../../protocols/grpc/csi-batch.ts"
import { espPairs } from "../../core/formats/esp32-buffers.ts"
import { nexmonPayload } from "../../core/formats/nexmon-records.ts"
import { clusterLayer } from "../../harness/cluster.ts"
import { layerAdmission } from "../../harness/node-identities.ts"
import { ruviewDatagram } from "../../harness/ruview.ts"
import { RouterDouble } from "../cluster.ts"

/** A datagram whose values count up from the sequence. */
const datagram = (nodeId: number, sequence: number): Uint8Array => ruviewDatagram(nodeId, sequence, (i) => sequence + i)

/** A node's own guess: 15 breaths a minute. */
const vitals = (nodeId: number): Uint8Array => {
  const bytes = new Uint8Array(32)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 0xc5110002, true)
  view.setUint8(4, nodeId)
  view.setUint16(6, 1500, true)
  return bytes
}

const accept = new RouterDouble((_, bytes) => {
  const { frameCount } = Result.getOrThrow(decodeCsiBatch(bytes))
  return Effect.succeed({ acceptedFrames: frameCount, droppedFrames: 0, dropReason: null })
})

interface Site {
  readonly port: number
  readonly counts: Effect.Effect<DatagramCounts>
  readonly send: (...datagrams: ReadonlyArray<Uint8Array>) => Effect.Effect<void>
  readonly lines: ReadonlyArray<string>
}

const withListener = (
  router: RouterDouble,
  test: (site: Site) => Effect.Effect<void>,
  kind: "ruview" | "nexmon" = "ruview",
): Promise<void> => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => lines.push(String(message)))
  return Effect.gen(function* () {
    const { counts, port } = (yield* DatagramListener)[kind]
    const socket = createSocket("udp4")
    const send = (...datagrams: ReadonlyArray<Uint8Array>) =>
      Effect.promise(async () => {
        for (const bytes of datagrams) {
          await new Promise<void>((resolve, reject) =>
            socket.send(bytes, port, "127.0.0.1", (error) => error ? reject(error) : resolve())
          )
          // Sending alone would starve the receiving side of the event loop.
          await new Promise((resolve) => setImmediate(resolve))
        }
      })
    yield* Effect.ensuring(
      test({ port, counts, send, lines }),
      Effect.sync(() => socket.close()),
    )
  }).pipe(
    Effect.provide(
      DatagramListener.layer({ host: "127.0.0.1", ruviewPort: 0, nexmonPort: 0, datagramsPerS: null }).pipe(
        Layer.provide([router.layer().pipe(Layer.provideMerge(clusterLayer)), layerAdmission()]),
        Layer.provide(Logger.layer([logger])),
      ),
    ),
    Effect.orDie,
    Effect.runPromise,
  )
}

/** Waits until the counts are as they should be. */
const untilCounts = (site: Site, holds: (counts: DatagramCounts) => boolean): Effect.Effect<DatagramCounts> =>
  Effect.gen(function* () {
    while (true) {
      const counts = yield* site.counts
      if (holds(counts)) return counts
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
  })

const sum = ({ accepted, dropped }: DatagramCounts) =>
  Object.values(dropped).reduce((total, frames) => total + frames, accepted)

describe("datagram listener", () => {
  it("makes batches of each node's datagrams for its router, in order", () => {
    accept.batches.length = 0
    return withListener(accept, (site) =>
      Effect.gen(function* () {
        for (let i = 0; i < 100; i++) yield* site.send(datagram(1, i), datagram(200, 1000 + i))
        const counts = yield* untilCounts(site, ({ accepted }) => accepted === 200)
        expect(counts).toMatchObject({ received: 200, accepted: 200, dropped: {}, foreignSenders: [] })
        const batches = accept.batches.map(({ bytes }) => Result.getOrThrow(decodeCsiBatch(bytes)))
        for (const [routerId, first] of [["node-1", 0], ["node-200", 1000]] as const) {
          const own = batches.filter((batch) => batch.routerId === routerId)
          expect(own.flatMap((batch) => [...batch.sequences])).toEqual(Array.from({ length: 100 }, (_, i) => first + i))
          expect(own.map(({ batchSequence }) => batchSequence)).toEqual(own.map((_, i) => i + 1))
          expect(own.every(({ frameCount, source }) => frameCount <= 64 && source === "live")).toBe(true)
          const times = own.flatMap((batch) => [...batch.timestampsUs])
          expect(times).toEqual([...times].sort((a, b) => a - b))
        }
        expect(batches.length).toBeLessThan(100)
      }))
  })

  it("counts noise, wrong headers and unknown routers by reason, logs each once, and continues", () => {
    const router = new RouterDouble((routerId, bytes) =>
      routerId === "node-9" ? Effect.fail(UnknownRouter.of(routerId)) : Effect.succeed({
        acceptedFrames: Result.getOrThrow(decodeCsiBatch(bytes)).frameCount,
        droppedFrames: 0,
        dropReason: null,
      })
    )
    return withListener(router, (site) =>
      Effect.gen(function* () {
        const wrongMagic = datagram(1, 1).fill(7, 0, 4)
        const noAntennas = datagram(1, 1).fill(0, 5, 6)
        for (let i = 0; i < 20; i++) {
          yield* site.send(new Uint8Array(0), new Uint8Array(3), wrongMagic, noAntennas, datagram(1, 2).subarray(0, 60))
        }
        yield* site.send(datagram(9, 1), datagram(9, 2))
        yield* untilCounts(site, ({ dropped }) => (dropped.unknown_router ?? 0) === 2)
        // The stranger is not asked for again within five seconds.
        yield* site.send(datagram(9, 3), datagram(1, 3))
        const counts = yield* untilCounts(site, (counts) => sum(counts) === 104)
        expect(counts.accepted).toBe(1)
        expect(counts.dropped).toEqual({ "truncated": 60, "not-a-record": 20, "bad-field": 20, "unknown_router": 3 })
        expect(router.batches.filter(({ routerId }) => routerId === "node-9").length).toBe(1)
        expect(site.lines.filter((line) => line.includes("truncated")).length).toBe(1)
        expect(site.lines.length).toBe(4)
      }))
  })

  it("drops the oldest batches of a router that is too slow", () => {
    const gate = Deferred.makeUnsafe<void>()
    const router = new RouterDouble((_, bytes) =>
      Effect.as(Deferred.await(gate), {
        acceptedFrames: Result.getOrThrow(decodeCsiBatch(bytes)).frameCount,
        droppedFrames: 0,
        dropReason: null,
      })
    )
    return withListener(router, (site) =>
      Effect.gen(function* () {
        let sent = 0
        while (((yield* site.counts).dropped.queue_full ?? 0) < 500) yield* site.send(datagram(1, sent++))
        yield* Deferred.succeed(gate, undefined)
        const counts = yield* untilCounts(site, (counts) => sum(counts) === sent)
        const delivered = router.batches.flatMap(({ bytes }) => [...Result.getOrThrow(decodeCsiBatch(bytes)).sequences])
        expect(delivered.length).toBe(counts.accepted)
        expect(delivered.at(-1)).toBe(sent - 1)
        expect(delivered).toEqual([...delivered].sort((a, b) => a - b))
        expect(counts.dropped.queue_full).toBe(sent - delivered.length)
      }))
  })

  it("reports the last datagram of each router and each foreign sender", () => {
    const router = new RouterDouble((routerId, bytes) =>
      routerId === "node-9" ? Effect.fail(UnknownRouter.of(routerId)) : Effect.succeed({
        acceptedFrames: Result.getOrThrow(decodeCsiBatch(bytes)).frameCount,
        droppedFrames: 0,
        dropReason: null,
      })
    )
    return withListener(router, (site) =>
      Effect.gen(function* () {
        const wrongMagic = datagram(1, 1).fill(7, 0, 4)
        yield* site.send(datagram(1, 1), datagram(9, 1), datagram(1, 2), wrongMagic, wrongMagic, vitals(1))
        const counts = yield* untilCounts(site, (counts) => sum(counts) === 6)
        expect(counts.dropped).toEqual({ "unknown_router": 1, "not-a-record": 2, "device_report": 1 })
        expect(counts.routers).toMatchObject([
          { routerId: "node-1", frames: 2, lastDrop: null, lastReport: { kind: "vitals", breathingRateBpm: 15 } },
          { routerId: "node-9", frames: 1, lastDrop: { reason: "unknown_router" }, lastReport: null },
        ])
        expect(counts.foreignSenders).toMatchObject([{ address: "127.0.0.1", datagrams: 2 }])
        expect(counts.routers.every(({ lastDatagramMs }) => lastDatagramMs > 0)).toBe(true)
        expect(site.lines.some((line) => line.includes("device_report"))).toBe(false)
      }))
  })

  it("reads a node in the order that its guard tones show, counts contradictions, and logs a node of unknown order", () =>
    withListener(accept, (site) =>
      Effect.gen(function* () {
        const ordered = (order: BinOrder, sequence: number): Uint8Array => {
          const bytes = datagram(1, sequence)
          bytes.set(new Uint8Array(espPairs(order, 26, (k) => [40 + k, 5], 0).buffer), 20)
          return bytes
        }
        for (let i = 0; i < 10; i++) yield* site.send(ordered("ascending", i), datagram(2, i))
        yield* site.send(ordered("centre-first", 10), ordered("centre-first", 11))
        const counts = yield* untilCounts(site, (counts) => sum(counts) === 22)
        expect(counts).toMatchObject({
          accepted: 20,
          dropped: { "bin-order": 2 },
          routers: [{ routerId: "node-1", binOrder: "ascending" }, { routerId: "node-2", binOrder: "unknown" }],
        })
        expect(site.lines.filter((line) => /node-2: the order of the subcarriers is unknown/.test(line))).toHaveLength(
          1,
        )
        expect(site.lines.filter((line) => /bin-order.*node-1/.test(line))).toHaveLength(1)
      })))

  it("joins the Nexmon payloads of a packet into one frame, of a router named by its address", () => {
    const router = new RouterDouble((_, bytes) =>
      Effect.succeed({
        acceptedFrames: Result.getOrThrow(decodeCsiBatch(bytes)).frameCount,
        droppedFrames: 0,
        dropReason: null,
      })
    )
    return withListener(router, (site) =>
      Effect.gen(function* () {
        for (let number = 1; number <= 20; number++) {
          yield* site.send(nexmonPayload({ number, core: 0 }), nexmonPayload({ number, core: 1 }))
        }
        yield* site.send(datagram(1, 1), nexmonPayload({ chip: 0x99 }))
        const counts = yield* untilCounts(site, (counts) => sum(counts) === 22)
        expect(counts).toMatchObject({ received: 42, accepted: 20 })
        expect(counts.dropped).toEqual({ "not-a-record": 1, "unsupported-layout": 1 })
        expect(counts.routers).toMatchObject([{ routerId: "nexmon-127.0.0.1", frames: 20 }])
        const batches = router.batches.map(({ bytes }) => Result.getOrThrow(decodeCsiBatch(bytes)))
        expect(batches.every(({ layout }) => layout.receiveAntennas === 2)).toBe(true)
        expect(batches.flatMap(({ sequences }) => [...sequences])).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
      }), "nexmon")
  })

  it("names the address that is in use", () =>
    withListener(accept, (site) =>
      Effect.gen(function* () {
        const second = DatagramListener.layer({
          host: "127.0.0.1",
          ruviewPort: 0,
          nexmonPort: site.port,
          datagramsPerS: null,
        })
        const failure = yield* Layer.build(second.pipe(
          Layer.provide([clusterLayer, layerAdmission(), layerLocalRouters]),
        )).pipe(
          Effect.scoped,
          Effect.flip,
          Effect.orDie,
        )
        expect(String(failure)).toContain(`127.0.0.1:${site.port}`)
      })))
})
