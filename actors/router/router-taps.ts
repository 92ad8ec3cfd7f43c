/**
 * The taps of a router: bounded copies of the batches that it takes, for recordings.
 *
 * Invariants:
 * 1. A tap never delays the router: a batch that finds its queue full is lost to this tap, and counted.
 * 2. Without a tap a batch costs nothing.
 */
import { type Cause, Effect, Queue, type Scope, Stream } from "effect"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { encodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"

/** Batches that wait for one reader: several seconds of a node. */
const waitingMax = 128
const heartbeatInterval = "5 seconds"

interface Tap {
  readonly queue: Queue.Queue<CsiBatch, Cause.Done>
  lost: number
}

interface Tapped {
  readonly batch: Uint8Array | null
  readonly lost: number
}

export class RouterTaps {
  /** Its taps end with the scope: an actor that is rebuilt or moves ends their streams. */
  static readonly make: Effect.Effect<RouterTaps, never, Scope.Scope> = Effect.acquireRelease(
    Effect.sync(() => new RouterTaps()),
    (taps) => Effect.sync(() => taps.#taps.forEach(({ queue }) => Queue.endUnsafe(queue))),
  )

  readonly #taps = new Set<Tap>()

  /** Copies a batch to every tap. */
  offer(batch: CsiBatch): void {
    for (const tap of this.#taps) if (!Queue.offerUnsafe(tap.queue, batch)) tap.lost++
  }

  /** Opens a tap, which ends with the stream. The first element states that it is open. */
  readonly open: Stream.Stream<Tapped> = Stream.unwrap(Effect.gen({ self: this }, function* () {
    const tap = yield* Effect.acquireRelease(
      Effect.map(Queue.dropping<CsiBatch, Cause.Done>(waitingMax), (queue): Tap => ({ queue, lost: 0 })),
      (tap) => Effect.sync(() => this.#taps.delete(tap)),
    )
    this.#taps.add(tap)
    const batches = Stream.map(
      Stream.fromQueue(tap.queue),
      (batch) => ({ batch: encodeCsiBatch(batch), lost: tap.lost }),
    )
    const heartbeats = Stream.map(Stream.tick(heartbeatInterval), () => ({ batch: null, lost: tap.lost }))
    return Stream.merge(heartbeats, batches, { haltStrategy: "right" })
  }))
}
