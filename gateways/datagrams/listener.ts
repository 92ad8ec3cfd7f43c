/**
 * The datagram listeners: routers send one UDP datagram per measurement, to the port of their kind; this edge makes batches of
 * them for the router actors.
 *
 * Owns the sockets and the grouping by router. Boundary: who may send is decided by `admission.ts`, before anything else of a datagram
 * is read; what it says is in `decoders.ts`, what was left out is counted by `counts.ts`; batches go the way of all others, `gateways/ingest/ingest.ts`.
 *
 * Invariants:
 * 1. No datagram, however made, ends or blocks a listener; every one that is left out is counted by its reason.
 * 2. A batch leaves when it has `batchFrames` frames or is `batchMs` old.
 * 3. At most `waitingMax` batches wait for one router; beyond them the oldest is dropped and counted.
 */
import { Clock, Context, Data, Effect, FiberSet, Layer, Queue, type Scope } from "effect"
import type { Sharding } from "effect/cluster"
import { createSocket, type Socket } from "node:dgram"
import { BatchBuilder } from "../../core/formats/batch-builder.ts"
import { unknownOrder } from "../../core/formats/bin-order.ts"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import type { LocalRouters } from "../../protocols/messages/router.ts"
import { type Ingest, makeIngest } from "../ingest/ingest.ts"
import { Admission } from "./admission.ts"
import { type DatagramCounts, DatagramTally } from "./counts.ts"
import { type DatagramKind, nexmonKind, ruviewKind } from "./decoders.ts"

/** The address is taken or not ours. */
class DatagramListenFailed extends Data.TaggedError("DatagramListenFailed")<{ readonly message: string }> {}

/** A running listener: where it listens and what it has seen. */
export interface Listening {
  readonly host: string
  readonly port: number
  readonly counts: Effect.Effect<DatagramCounts>
}

/** The running listeners, by the kind of router that sends to them. */
export class DatagramListener extends Context.Service<DatagramListener, {
  readonly ruview: Listening
  readonly nexmon: Listening
}>()("wavepose/gateways/DatagramListener") {
  /** Listens while the layer lives. Port 0 takes a free one. */
  static readonly layer = (options: {
    readonly host: string
    readonly ruviewPort: number
    readonly nexmonPort: number
  }): Layer.Layer<DatagramListener, DatagramListenFailed, Admission | LocalRouters | Sharding.Sharding> => {
    const { host, nexmonPort, ruviewPort } = options
    return Layer.effect(
      DatagramListener,
      Effect.all({
        ruview: listen({ host, port: ruviewPort }, ruviewKind()),
        nexmon: listen({ host, port: nexmonPort }, nexmonKind()),
      }),
    )
  }
}

const batchMs = 50
const batchFrames = 64
const waitingMax = 8
/** Frames of a router that nobody enrolled are dropped for this long before it is asked for again. */
const strangerMs = 5_000

interface Address {
  readonly host: string
  readonly port: number
}

/** What is known of one router. */
interface RouterState {
  readonly builder: BatchBuilder
  readonly waiting: Queue.Queue<CsiBatch>
  /** Until then its frames are dropped: it is not enrolled. */
  strangerUntilMs: number
}

const listen = Effect.fnUntraced(function* (
  address: Address,
  kind: DatagramKind,
): Effect.fn.Return<Listening, DatagramListenFailed, Admission | LocalRouters | Sharding.Sharding | Scope.Scope> {
  const { admit } = yield* Admission
  const clock = yield* Clock.Clock
  const ingest = yield* makeIngest
  const run = yield* FiberSet.makeRuntime()
  const routers = new Map<string, RouterState>()
  const tally = new DatagramTally((reason, dropped, example) => {
    run(Effect.logWarning(`Datagrams are left out (${reason}: ${dropped} so far): ${example}`))
  })

  const enqueue = (router: RouterState, batch: CsiBatch): void => {
    if (Queue.sizeUnsafe(router.waiting) >= waitingMax) {
      const oldest = Queue.takeUnsafe(router.waiting)
      const frames = oldest?._tag === "Success" ? oldest.value.frameCount : 0
      const { routerId } = batch
      const nowMs = clock.currentTimeMillisUnsafe()
      tally.drop("queue_full", frames, routerId, `${routerId} is slower than its datagrams`, nowMs)
    }
    Queue.offerUnsafe(router.waiting, batch)
  }

  const flush = (router: RouterState): void => {
    for (const batch of router.builder.take()) enqueue(router, batch)
  }

  const routerOf = (routerId: string): RouterState => {
    const known = routers.get(routerId)
    if (known !== undefined) return known
    const router: RouterState = {
      builder: new BatchBuilder({ routerId, source: "live" }),
      waiting: Effect.runSync(Queue.unbounded<CsiBatch>()),
      strangerUntilMs: -Infinity,
    }
    routers.set(routerId, router)
    run(deliver(router, ingest, tally, clock))
    return router
  }

  const receive = (bytes: Uint8Array, sender: string): void => {
    tally.received++
    const nowMs = clock.currentTimeMillisUnsafe()
    const admitted = admit(bytes, (datagram) => kind.senderOf(datagram, sender))
    if ("reason" in admitted) return tally.refuse(admitted, nowMs)
    const { datagram, signedBy } = admitted
    const receivedUs = Number(clock.currentTimeNanosUnsafe() / 1000n)
    const decoded = kind.decode({ bytes: datagram, sender, signedBy, receivedUs })
    if ("reason" in decoded) {
      if (decoded.reason === "not-a-record") tally.heardForeign(sender, nowMs)
      return tally.drop(decoded.reason, 1, null, decoded.message, nowMs)
    }
    const { routerId } = decoded
    const frames = "frames" in decoded ? decoded.frames : []
    const report = "report" in decoded ? decoded.report : null
    if (!tally.heard(routerId, frames.length, report, signedBy !== null, nowMs)) {
      return tally.drop("too_many_routers", 1, null, routerId, nowMs)
    }
    if ("frames" in decoded && tally.ordered(routerId, decoded.binOrder ?? null)) {
      run(Effect.logWarning(unknownOrder(routerId).message))
    }
    if (report !== null) return tally.drop("device_report", 1, routerId, routerId, nowMs)
    const router = routerOf(routerId)
    if (nowMs < router.strangerUntilMs) return tally.drop("unknown_router", frames.length, routerId, routerId, nowMs)
    for (const frame of frames) router.builder.add(frame)
    if (router.builder.frameCount >= batchFrames) flush(router)
  }

  const socket = yield* bind(address)
  socket.on("message", (bytes, { address }) => receive(bytes, address))
  socket.on("error", (error) => {
    tally.drop("socket_error", 1, null, error.message, clock.currentTimeMillisUnsafe())
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(
    Effect.sleep(batchMs),
    Effect.sync(() => routers.forEach(flush)),
  )))
  return { host: address.host, port: socket.address().port, counts: Effect.sync(() => tally.counts) }
})

/** Hands the batches of one router to its actor, one after the other. */
const deliver = (
  router: RouterState,
  ingest: Ingest,
  tally: DatagramTally,
  clock: Clock.Clock,
): Effect.Effect<never> =>
  Effect.forever(
    Effect.flatMap(Queue.take(router.waiting), (batch) =>
      Effect.map(ingest(batch), ({ acceptedFrames, droppedFrames, errorCode, reason }) => {
        const nowMs = clock.currentTimeMillisUnsafe()
        const { frameCount, routerId } = batch
        if (errorCode !== null) {
          if (errorCode === "unknown_router") {
            router.strangerUntilMs = nowMs + strangerMs
          }
          return tally.drop(errorCode, frameCount, routerId, `${routerId}: ${reason ?? errorCode}`, nowMs)
        }
        tally.accepted += acceptedFrames
        tally.drop("not_accepted", droppedFrames, routerId, `${routerId}: ${reason ?? ""}`, nowMs)
      })),
  )

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
