/** The privacy gate as an effect: the record released to a destination, or the refusal. */
import { Effect, Result } from "effect"
import { gate, type Released } from "../../core/privacy/gate.ts"
import type { Destination } from "../../core/privacy/privacy-class.ts"
import type { EdgeRecord } from "../../protocols/domain/sensing.ts"
import { ClassRefused, type RefusedNode } from "../../protocols/ports/edge-feed.ts"

/** Fails with `ClassRefused`, which terminates the egress. */
export const release = <D extends Destination>(
  record: EdgeRecord,
  destination: D,
): Effect.Effect<Released<EdgeRecord, D>, ClassRefused> => {
  const verdict = gate(record, record.privacyClass, destination)
  return verdict.decision === "refuse"
    ? Effect.fail(ClassRefused.of(record.nodeId, verdict.refusal))
    : Effect.succeed(verdict.released)
}

/** The gate's decision on one node. */
export const verdictOf = <D extends Destination>(
  record: EdgeRecord,
  destination: D,
): Effect.Effect<Result.Result<Released<EdgeRecord, D>, RefusedNode>> =>
  Effect.result(
    Effect.mapError(release(record, destination), ({ message }) => ({
      nodeId: record.nodeId,
      environmentId: record.entry.environmentId,
      message,
    })),
  )
