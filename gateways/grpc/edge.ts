/**
 * `EdgeService.ListEdge` and `WatchEdge`: the records of edge nodes that the privacy gate released to gRPC.
 *
 * Invariant: for a node that the gate rejects, the client receives its id and its class and no reading; then the call ends.
 */
import { Effect, Stream } from "effect"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { encodeEdgeRecords, encodeEdgeRefusal, encodeEdgeUpdate } from "../../protocols/grpc/edge-record.ts"
import type { ClassRefused, EdgeFeed } from "../../protocols/ports/edge-feed.ts"
import type { EgressStates } from "../../protocols/ports/egress.ts"
import { write } from "./calls.ts"

/** The feed that the edge reads, and the states to which it reports that the gate closed it. */
export interface EdgeSources {
  readonly feed: EdgeFeed["Service"]
  readonly states: EgressStates["Service"]
}

const reportRefusal = ({ states }: EdgeSources, { message }: ClassRefused): Effect.Effect<void> =>
  Effect.andThen(
    Effect.logWarning(`gRPC egress closed: ${message}`),
    states.report({ destination: "grpc", status: "refused", reason: message }),
  )

export const listEdge = (sources: EdgeSources): Effect.Effect<Uint8Array, ClassRefused | StoreUnavailable> =>
  Effect.map(sources.feed.current("grpc"), encodeEdgeRecords).pipe(
    Effect.tapErrorTag("ClassRefused", (refused) => reportRefusal(sources, refused)),
  )

/** Writes every record to a call. A slow reader loses records that a newer record of the same node supersedes. */
export const watchEdge = (
  sources: EdgeSources,
  call: Parameters<typeof write<Uint8Array>>[0],
): Effect.Effect<void, ClassRefused | StoreUnavailable> =>
  Stream.runForEach(sources.feed.watch("grpc"), (released) => write(call, encodeEdgeUpdate(released))).pipe(
    Effect.tapErrorTag("ClassRefused", (refused) => {
      const { nodeId, refusal: { privacyClass, reason } } = refused
      return Effect.andThen(
        reportRefusal(sources, refused),
        write(call, encodeEdgeRefusal(nodeId, privacyClass, reason)),
      )
    }),
  )
