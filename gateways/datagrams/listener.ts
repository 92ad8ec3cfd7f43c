/**
 * The datagram listeners: routers send one UDP datagram per measurement, to the port of their kind; a listener makes batches of them for
 * the router actors.
 *
 * Owns the sockets and the grouping by router. Boundary: `admission.ts` decides which senders are accepted, before anything else of a
 * datagram is read; `decoders.ts` decodes it, `counts.ts` counts what was dropped; batches go through `gateways/ingest/ingest.ts`.
 *
 * Invariants:
 * 1. No datagram, however made, ends or blocks a listener; every dropped one is counted by its reason.
 * 2. A batch leaves when it has `batchFrames` frames or is `batchMs` old.
 * 3. At most `waitingMax` batches wait for one router; beyond them the oldest is dropped and counted.
 */
import { Clock, Context, Data, Effect, FiberSet, Layer, Queue, type Scope } from "effect"
import type { Sharding } from "effect/cluster"
import { createSocket, type Socket } from "node:dgram"
import { BatchBuilder } from "../../core/formats/batch-builder.ts"
import { unknownOrder } from "../../core/formats/bin-order.ts"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import type { IngestAck } from "../../protocols/grpc/ingest-ack.ts"
import type { LocalRouters } from "../../protocols/messages/router.ts"
import { KeepsPace } from "../../protocols/ports/keeps-pace.ts"
import { type Ingest, makeIngest } from "../ingest/ingest.ts"
import { Admission } from "./admission.ts"
import { DatagramTally, type ListenerCounts } from "./counts.ts"
import { SenderLimit } from "./sender-limit.ts"
import { type DatagramKind, nexmonKind, type Received, ruviewKind } from "./decoders.ts"

/** The address is in use, or not of this machine. */
class DatagramListenFailed extends Data.TaggedError("DatagramListenFailed")<{ readonly message: string }> {}

/** A running listener: its address and its counts. */
export interface Listening {
  readonly host: string
  readonly port: number
  readonly counts: Effect.Effect<ListenerCounts>
}

/** The running listeners, by the kind of router that sends to them. */
export class DatagramListener extends Context.Service<DatagramListener, {
  readonly ruview: Listening
  readonly nexmon: Listening
}>()("wavepose/gateways/DatagramListener") {
  /** Listens while the layer is in use. Port 0 selects a free one. */
  static readonly layer = (options: {
    readonly host: string
    readonly ruviewPort: number
    readonly nexmonPort: number
    /** Datagrams a second of one sender; null: no limit. */
    readonly datagramsPerS: number | null
  }): Layer.Layer<DatagramListener, DatagramListenFailed, Admission | LocalRouters | Sharding.Sharding> => {
    const { datagramsPerS, host, nexmonPort, ruviewPort } = options
    return Layer.effect(
      DatagramListener,
      Effect.all({
        ruview: listen({ host, port: ruviewPort }, ruviewKind(), datagramsPerS),
        nexmon: listen({ host, port: nexmonPort }, nexmonKind(), datagramsPerS),
      }),
    )
  }
}

const batchMs = 50
const batchFrames = 64
const waitingMax = 8
/** A batch that has waited longer is dropped when newer ones wait, so that what comes out stays in real time. */
const waitingMsMax = 700
/** Frames of a router that is not enrolled are dropped for this long before its actor is called again. */
const unknownRouterMs = 5_000

interface Address {
  readonly host: string
  readonly port: number
}

/** A batch, and when it began to wait. */
interface WaitingBatch {
  readonly batch: CsiBatch
  readonly sinceMs: number
}

/** The batches of one router. */
interface RouterBatches {
  readonly builder: BatchBuilder
  readonly waiting: Queue.Queue<WaitingBatch>
  /** Until then its frames are dropped: it is not enrolled. */
  unknownUntilMs: number
}

/** What a receiver works with. */
interface Parts {
  readonly kind: DatagramKind
  readonly limit: SenderLimit
  readonly keepsPace: boolean
  readonly admit: Admission["Service"]["admit"]
  readonly ingest: Ingest
  readonly clock: Clock.Clock
  /** Runs an effect for as long as the listener. */
  readonly run: (effect: Effect.Effect<unknown>) => unknown
}

/** Receives the datagrams of one port, and delivers their batches. */
class Receiver {
  readonly #parts: Parts
  readonly #tally: DatagramTally
  readonly #routers = new Map<string, RouterBatches>()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#tally = new DatagramTally({
      log: (reason, dropped, example) => {
        parts.run(Effect.logWarning(`datagrams dropped reason=${reason} total=${dropped}: ${example}`))
      },
      forgotten: (routerId) => this.#end(routerId),
    })
  }

  get counts(): ListenerCounts {
    return { ...this.#tally.counts, limitedSenders: this.#parts.limit.limited }
  }

  get #nowMs(): number {
    return this.#parts.clock.currentTimeMillisUnsafe()
  }

  /** Takes a datagram from this address. */
  receive(bytes: Uint8Array, sender: string): void {
    const { admit, clock, kind, limit } = this.#parts
    const tally = this.#tally
    tally.received++
    const nowMs = this.#nowMs
    if (!limit.allows(sender, nowMs)) return tally.drop("rate_limited", 1, null, `sender ${sender}`, nowMs)
    const admitted = admit(bytes, (datagram) => kind.senderOf(datagram, sender))
    if ("reason" in admitted) return tally.reject(admitted, nowMs)
    const { datagram, signedBy } = admitted
    const receivedUs = Number(clock.currentTimeNanosUnsafe() / 1000n)
    const decoded = kind.decode({ bytes: datagram, sender, signedBy, receivedUs })
    if (!("reason" in decoded)) return this.#take(decoded, signedBy !== null, nowMs)
    if (decoded.reason === "not-a-record") tally.addForeign(sender, nowMs)
    tally.drop(decoded.reason, 1, null, decoded.message, nowMs)
  }

  /** Counts a failure of the socket. */
  failed(message: string): void {
    this.#tally.drop("socket_error", 1, null, message, this.#nowMs)
  }

  /** Hands the open batches of all routers over. */
  flush(): void {
    for (const router of this.#routers.values()) this.#flush(router)
  }

  /** Takes the frames of a decoded datagram. */
  #take(decoded: Received, signed: boolean, nowMs: number): void {
    const tally = this.#tally
    const { routerId } = decoded
    const frames = "frames" in decoded ? decoded.frames : []
    const report = "report" in decoded ? decoded.report : null
    if (!tally.addRouter(routerId, frames.length, report, signed, nowMs)) {
      return tally.drop("too_many_routers", 1, null, routerId, nowMs)
    }
    if ("frames" in decoded && tally.setOrder(routerId, decoded.binOrder ?? null)) {
      this.#parts.run(Effect.logWarning(unknownOrder(routerId).message))
    }
    if (report !== null) return tally.drop("device_report", 1, routerId, routerId, nowMs)
    const router = this.#routerOf(routerId)
    if (nowMs < router.unknownUntilMs) return tally.drop("unknown_router", frames.length, routerId, routerId, nowMs)
    for (const frame of frames) router.builder.add(frame)
    if (router.builder.frameCount >= batchFrames) this.#flush(router)
  }

  #routerOf(routerId: string): RouterBatches {
    const known = this.#routers.get(routerId)
    if (known !== undefined) return known
    const router: RouterBatches = {
      builder: new BatchBuilder({ routerId, source: "live" }),
      waiting: Effect.runSync(Queue.unbounded<WaitingBatch>()),
      unknownUntilMs: -Infinity,
    }
    this.#routers.set(routerId, router)
    this.#parts.run(this.#deliver(router))
    return router
  }

  /** Ends the delivery of a router that has been silent: nothing of it waits. */
  #end(routerId: string): void {
    const router = this.#routers.get(routerId)
    if (router === undefined) return
    this.#routers.delete(routerId)
    Queue.shutdownUnsafe(router.waiting)
  }

  #flush(router: RouterBatches): void {
    for (const batch of router.builder.take()) this.#enqueue(router, batch)
  }

  #enqueue(router: RouterBatches, batch: CsiBatch): void {
    if (Queue.sizeUnsafe(router.waiting) >= waitingMax) {
      const oldest = Queue.takeUnsafe(router.waiting)
      const frames = oldest?._tag === "Success" ? oldest.value.batch.frameCount : 0
      const { routerId } = batch
      this.#tally.drop("queue_full", frames, routerId, `${routerId} is slower than its datagrams`, this.#nowMs)
    }
    Queue.offerUnsafe(router.waiting, { batch, sinceMs: this.#nowMs })
  }

  /** Hands the batches of one router to its actor, one after the other. */
  #deliver(router: RouterBatches): Effect.Effect<never> {
    return Effect.forever(
      Effect.flatMap(
        Queue.take(router.waiting),
        ({ batch, sinceMs }) =>
          this.#isShed(router, batch, sinceMs)
            ? Effect.void
            : Effect.map(this.#parts.ingest(batch), (ack) => this.#acknowledge(router, batch, ack)),
      ),
    )
  }

  /** Drops a batch that has waited for long while newer ones wait. */
  #isShed({ waiting }: RouterBatches, { frameCount, routerId }: CsiBatch, sinceMs: number): boolean {
    const nowMs = this.#nowMs
    if (!this.#parts.keepsPace || nowMs - sinceMs <= waitingMsMax || Queue.sizeUnsafe(waiting) === 0) return false
    this.#tally.drop("shed", frameCount, routerId, `${routerId} is shed to stay in real time`, nowMs)
    return true
  }

  #acknowledge(router: RouterBatches, { frameCount, routerId }: CsiBatch, ack: IngestAck): void {
    const { acceptedFrames, droppedFrames, errorCode, reason } = ack
    const nowMs = this.#nowMs
    if (errorCode === null) {
      this.#tally.accepted += acceptedFrames
      this.#tally.drop("not_accepted", droppedFrames, routerId, `${routerId}: ${reason ?? ""}`, nowMs)
      return
    }
    if (errorCode === "unknown_router") router.unknownUntilMs = nowMs + unknownRouterMs
    this.#tally.drop(errorCode, frameCount, routerId, `${routerId}: ${reason ?? errorCode}`, nowMs)
  }
}

const listen = Effect.fnUntraced(function* (
  address: Address,
  kind: DatagramKind,
  datagramsPerS: number | null,
): Effect.fn.Return<Listening, DatagramListenFailed, Admission | LocalRouters | Sharding.Sharding | Scope.Scope> {
  const receiver = new Receiver({
    kind,
    limit: new SenderLimit(datagramsPerS),
    keepsPace: yield* KeepsPace,
    admit: (yield* Admission).admit,
    clock: yield* Clock.Clock,
    ingest: yield* makeIngest,
    run: yield* FiberSet.makeRuntime(),
  })
  const socket = yield* bind(address)
  socket.on("message", (bytes, { address }) => receiver.receive(bytes, address))
  socket.on("error", (error) => receiver.failed(error.message))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(batchMs), Effect.sync(() => receiver.flush()))))
  return { host: address.host, port: socket.address().port, counts: Effect.sync(() => receiver.counts) }
})

const bind = ({ host, port }: Address): Effect.Effect<Socket, DatagramListenFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Socket, DatagramListenFailed>((resume) => {
      const socket = createSocket(host.includes(":") ? "udp6" : "udp4")
      const refused = (error: Error) =>
        resume(Effect.fail(
          new DatagramListenFailed({
            message: `Cannot listen for datagrams on ${host}:${port}: ${error.message}. Choose another port.`,
          }),
        ))
      socket.once("error", refused)
      socket.bind(port, host, () => {
        socket.off("error", refused)
        resume(Effect.succeed(socket))
      })
    }),
    (socket) =>
      Effect.callback<void>((resume) => {
        socket.close(() => resume(Effect.void))
      }),
  )
