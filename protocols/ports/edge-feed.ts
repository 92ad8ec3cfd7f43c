/**
 * The port through which every way out reads what edge nodes say: behind the privacy gate, and nowhere else.
 *
 * A way out names its destination and gets records that were released to it; what the gate refuses is the end of its stream. Two
 * things answer this port: the hub of the service itself, and a client of its gRPC edge in a process of its own.
 */
import { Context, Data, type Effect, type Stream } from "effect"
import type { Refusal, Released } from "../../core/privacy/gate.ts"
import type { Destination } from "../../core/privacy/privacy-class.ts"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { EdgeRecord } from "../domain/sensing.ts"

/** Exit status of a process whose way out the gate has closed. Its supervisor does not start it again. */
export const refusedExitCode = 2

/**
 * The gate refused a node's record: its way out ends. In a process of its own, that ends with `refusedExitCode` and this message
 * on stderr.
 */
export class ClassRefused extends Data.TaggedError("ClassRefused")<{
  readonly nodeId: string
  readonly refusal: Refusal
  readonly message: string
}> {
  static of(nodeId: string, refusal: Refusal): ClassRefused {
    return new ClassRefused({ nodeId, refusal, message: `Node ${nodeId}: ${refusal.reason}` })
  }
}

/** The records of all nodes; `nodeId` and `privacyClass` are the record's. */
export class EdgeFeed extends Context.Service<EdgeFeed, {
  /**
   * What every enrolled node says now, and then whenever it says something. A slow reader loses what newer words of the same node
   * supersede. The first record that is refused fails the stream.
   */
  readonly watch: <D extends Destination>(
    destination: D,
  ) => Stream.Stream<Released<EdgeRecord, D>, ClassRefused | StoreUnavailable>
  /** What every enrolled node says now, in the order of their ids. */
  readonly current: <D extends Destination>(
    destination: D,
  ) => Effect.Effect<ReadonlyArray<Released<EdgeRecord, D>>, ClassRefused | StoreUnavailable>
}>()("wavepose/protocols/EdgeFeed") {}
