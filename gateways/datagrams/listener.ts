/**
 * The datagram listener: RuView nodes send one UDP datagram per CSI frame; this edge makes batches of them for the
 * routers.
 *
 * Owns the socket, the grouping by node and the counts of what was left out. Boundary: bytes are read by
 * `core/formats/ruview-datagram.ts`; batches go the way of all others, `gateways/grpc/ingest.ts`.
 *
 * Invariants:
 * 1. No datagram, however made, ends or blocks the listener; every one that is left out is counted by its reason.
 * 2. A batch leaves when it has `batchFrames` frames or is `batchMs` old.
 * 3. At most `waitingMax` batches wait for one router; beyond them the oldest is dropped and counted.
 */
import { Clock, Context, Data, Effect, FiberSet, Layer, Queue, type Scope } from "effect"
import type { Sharding } from "effect/cluster"
import { createSocket, type Socket } from "node:dgram"
import { BatchBuilder } from "../../core/formats/batch-builder.ts"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import type { FaultReason } from "../../core/formats/decoder.ts"
import { decodeRuviewDatagram } from "../../core/formats/ruview-datagram.ts"
import { encodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import type { IngestErrorCode } from "../../protocols/grpc/ingest-ack.ts"
import { type Ingest, makeIngest } from "../grpc/ingest.ts"

/** Why frames did not reach an environment. `not_accepted`: the router took the batch and left these frames out. */
export type DropReason = FaultReason | IngestErrorCode | "not_accepted" | "queue_full" | "socket_error"

/** Frames since the start. */
export interface DatagramCounts {
  readonly received: number
  readonly accepted: number
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>
}

/** The address is taken or not ours. */
export class DatagramListenFailed extends Data.TaggedError("DatagramListenFailed")<{ readonly message: string }> {}

/** The running listener: where it listens and what it has seen. */
export class DatagramListener extends Context.Service<DatagramListener, {
  readonly host: string
  readonly port: number
  readonly counts: Effect.Effect<DatagramCounts>
}>()("wavepose/gateways/DatagramListener") {
  /** Listens while the layer lives. Port 0 takes a free one. */
  static readonly layer = (options: {
    readonly host: string
    readonly port: number
  }): Layer.Layer<DatagramListener, DatagramListenFailed, Sharding.Sharding> =>
    Layer.effect(DatagramListener, make(options))
}

const batchMs = 50
const batchFrames = 64
const waitingMax = 8
/** A reason is logged at most once in this time. */
const logMs = 10_000
/** Frames of a router that nobody enrolled are dropped for this long before it is asked for again. */
const strangerMs = 5_000

/** What is known of one node; nodes are numbered by one byte, so there are at most 256. */
interface NodeState {
  readonly builder: BatchBuilder
  readonly waiting: Queue.Queue<CsiBatch>
  /** Until then its frames are dropped: it is not enrolled. */
  strangerUntilMs: number
}

/** Counts of what was left out, and when each reason was last worth a line in the log. */
const makeTally = (log: (reason: DropReason, example: string) => void) => {
  const dropped: Partial<Record<DropReason, number>> = {}
  const loggedMs = new Map<DropReason, number>()
  return {
    dropped,
    drop: (reason: DropReason, frames: number, example: string, nowMs: number): void => {
      if (frames === 0) return
      dropped[reason] = (dropped[reason] ?? 0) + frames
      if (nowMs - (loggedMs.get(reason) ?? -Infinity) < logMs) return
      loggedMs.set(reason, nowMs)
      log(reason, example)
    },
  }
}

const make = Effect.fnUntraced(function* (options: {
  readonly host: string
  readonly port: number
}): Effect.fn.Return<DatagramListener["Service"], DatagramListenFailed, Sharding.Sharding | Scope.Scope> {
  const clock = yield* Clock.Clock
  const ingest = yield* makeIngest
  const run = yield* FiberSet.makeRuntime()
  const nodes = new Map<string, NodeState>()
  const seen = { received: 0, accepted: 0 }
  const { drop, dropped } = makeTally((reason, example) => {
    run(Effect.logWarning(`Datagrams are left out (${reason}: ${dropped[reason]} so far): ${example}`))
  })

  const enqueue = (node: NodeState, batch: CsiBatch): void => {
    if (Queue.sizeUnsafe(node.waiting) >= waitingMax) {
      const oldest = Queue.takeUnsafe(node.waiting)
      const frames = oldest?._tag === "Success" ? oldest.value.frameCount : 0
      drop("queue_full", frames, `${batch.routerId} is slower than its datagrams`, clock.currentTimeMillisUnsafe())
    }
    Queue.offerUnsafe(node.waiting, batch)
  }

  const flush = (node: NodeState): void => {
    for (const batch of node.builder.take()) enqueue(node, batch)
  }

  const nodeOf = (routerId: string): NodeState => {
    const known = nodes.get(routerId)
    if (known !== undefined) return known
    const node: NodeState = {
      builder: new BatchBuilder({ routerId, source: "live" }),
      waiting: Effect.runSync(Queue.unbounded<CsiBatch>()),
      strangerUntilMs: -Infinity,
    }
    nodes.set(routerId, node)
    run(deliver(node, ingest, (batch, reason, frames, message) => {
      const nowMs = clock.currentTimeMillisUnsafe()
      if (reason === "unknown_router") node.strangerUntilMs = nowMs + strangerMs
      drop(reason, frames, `${batch.routerId}: ${message}`, nowMs)
    }, (frames) => seen.accepted += frames))
    return node
  }

  const receive = (bytes: Uint8Array): void => {
    seen.received++
    const nowMs = clock.currentTimeMillisUnsafe()
    const decoded = decodeRuviewDatagram(bytes, Number(clock.currentTimeNanosUnsafe() / 1000n))
    if ("reason" in decoded) return drop(decoded.reason, 1, decoded.message, nowMs)
    const node = nodeOf(decoded.routerId)
    if (nowMs < node.strangerUntilMs) return drop("unknown_router", 1, decoded.routerId, nowMs)
    node.builder.add(decoded.frame)
    if (node.builder.frameCount >= batchFrames) flush(node)
  }

  const socket = yield* bind(options)
  socket.on("message", receive)
  socket.on("error", (error) => drop("socket_error", 1, error.message, clock.currentTimeMillisUnsafe()))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(
    Effect.sleep(batchMs),
    Effect.sync(() => nodes.forEach(flush)),
  )))
  return {
    host: options.host,
    port: socket.address().port,
    counts: Effect.sync(() => ({ ...seen, dropped: { ...dropped } })),
  }
})

/** Hands the batches of one node to its router, one after the other. */
const deliver = (
  node: NodeState,
  ingest: Ingest,
  onDrop: (batch: CsiBatch, reason: DropReason, frames: number, message: string) => void,
  onAccept: (frames: number) => void,
): Effect.Effect<never> =>
  Effect.forever(
    Effect.flatMap(Queue.take(node.waiting), (batch) =>
      Effect.map(ingest(encodeCsiBatch(batch)), (ack) => {
        if (ack.errorCode !== null) return onDrop(batch, ack.errorCode, batch.frameCount, ack.reason ?? ack.errorCode)
        onAccept(ack.acceptedFrames)
        onDrop(batch, "not_accepted", ack.droppedFrames, ack.reason ?? "")
      })),
  )

const bind = (options: {
  readonly host: string
  readonly port: number
}): Effect.Effect<Socket, DatagramListenFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Socket, DatagramListenFailed>((resume) => {
      const socket = createSocket(options.host.includes(":") ? "udp6" : "udp4")
      const refused = (error: Error) =>
        resume(Effect.fail(
          new DatagramListenFailed({
            message:
              `Cannot listen for datagrams on ${options.host}:${options.port}: ${error.message}. Choose another port.`,
          }),
        ))
      socket.once("error", refused)
      socket.bind(options.port, options.host, () => {
        socket.off("error", refused)
        resume(Effect.succeed(socket))
      })
    }),
    (socket) =>
      Effect.callback<void>((resume) => {
        socket.close(() => resume(Effect.void))
      }),
  )
