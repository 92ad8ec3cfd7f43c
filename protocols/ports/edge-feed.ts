/**
 * The port through which every egress reads the records of edge nodes, behind the privacy gate.
 *
 * An egress names its destination and receives records that were released to it. A rejected record ends its stream (`EdgeFeed`), or leaves
 * out its node and the room of that (`EdgeVerdicts`). `EdgeFeed` has two implementations: the hub of the service, and a client of its gRPC
 * edge in an egress process.
 */
import { Context, Data, type Effect, type Result, type Stream } from "effect"
import type { Refusal, Released } from "../../core/privacy/gate.ts"
import type { Destination } from "../../core/privacy/privacy-class.ts"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { EdgeRecord } from "../domain/sensing.ts"

/** Exit status of an egress process that the gate has closed. Its supervisor does not restart it. */
export const refusedExitCode = 2

/**
 * The gate rejected a node's record, which ends the egress. An egress process exits with `refusedExitCode` and this message on stderr.
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

/** A node whose newest record the gate rejected. */
export interface RefusedNode {
  readonly nodeId: string
  readonly environmentId: string | null
  /** The message of `ClassRefused`. */
  readonly message: string
}

/** The gate's decisions, for an egress whose nodes are independent of each other. */
export class EdgeVerdicts extends Context.Service<EdgeVerdicts, {
  /** As `EdgeFeed.watch`. */
  readonly watch: <D extends Destination>(
    destination: D,
  ) => Stream.Stream<Result.Result<Released<EdgeRecord, D>, RefusedNode>>
  /** As `EdgeFeed.current`. */
  readonly current: <D extends Destination>(
    destination: D,
  ) => Effect.Effect<ReadonlyArray<Result.Result<Released<EdgeRecord, D>, RefusedNode>>, StoreUnavailable>
}>()("wavepose/protocols/EdgeVerdicts") {}

/** The records of all nodes; `nodeId` and `privacyClass` are the record's. */
export class EdgeFeed extends Context.Service<EdgeFeed, {
  /**
   * The current record of every enrolled node, then each new one. A slow reader misses records that newer ones of the same node
   * replace. The first rejected record fails the stream.
   */
  readonly watch: <D extends Destination>(
    destination: D,
  ) => Stream.Stream<Released<EdgeRecord, D>, ClassRefused | StoreUnavailable>
  /** The current record of every enrolled node, in the order of their ids. */
  readonly current: <D extends Destination>(
    destination: D,
  ) => Effect.Effect<ReadonlyArray<Released<EdgeRecord, D>>, ClassRefused | StoreUnavailable>
}>()("wavepose/protocols/EdgeFeed") {}
