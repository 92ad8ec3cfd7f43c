/**
 * `Edge.List` and `Edge.Watch`: what edge nodes say, as the privacy gate released it to gRPC.
 *
 * Invariant: of a node that the gate refuses, its id and its class are told, and nothing of what it says; then the call ends.
 */
import { Effect, Stream } from "effect"
import type { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { encodeEdgeRecords, encodeEdgeRefusal, encodeEdgeUpdate } from "../../protocols/grpc/edge-record.ts"
import type { ClassRefused, EdgeFeed } from "../../protocols/ports/edge-feed.ts"
import type { EgressStates } from "../../protocols/ports/egress.ts"
import { write } from "./calls.ts"

/** What the edge reads, and whom it tells that the gate has closed it. */
export interface EdgeSources {
  readonly feed: EdgeFeed["Service"]
  readonly states: EgressStates["Service"]
}

const tellRefusal = ({ states }: EdgeSources, { message }: ClassRefused): Effect.Effect<void> =>
  Effect.andThen(
    Effect.logWarning(`gRPC: ${message}`),
    states.report({ destination: "grpc", status: "refused", reason: message }),
  )

export const listEdge = (sources: EdgeSources): Effect.Effect<Uint8Array, ClassRefused | StoreUnavailable> =>
  Effect.map(sources.feed.current("grpc"), encodeEdgeRecords).pipe(
    Effect.tapErrorTag("ClassRefused", (refused) => tellRefusal(sources, refused)),
  )

/** Writes every record to a call; a slow reader loses what newer records of the same node supersede. */
export const watchEdge = (
  sources: EdgeSources,
  call: Parameters<typeof write<Uint8Array>>[0],
): Effect.Effect<void, ClassRefused | StoreUnavailable> =>
  Stream.runForEach(sources.feed.watch("grpc"), (released) => write(call, encodeEdgeUpdate(released))).pipe(
    Effect.tapErrorTag("ClassRefused", (refused) => {
      const { nodeId, refusal: { privacyClass, reason } } = refused
      return Effect.andThen(
        tellRefusal(sources, refused),
        write(call, encodeEdgeRefusal(nodeId, privacyClass, reason)),
      )
    }),
  )
