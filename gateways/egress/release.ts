/** The privacy gate as an effect: the record released to a destination, or `ClassRefused`, which terminates that egress. */
import { Effect } from "effect"
import { gate, type Released } from "../../core/privacy/gate.ts"
import type { Destination } from "../../core/privacy/privacy-class.ts"
import type { EdgeRecord } from "../../protocols/domain/sensing.ts"
import { ClassRefused } from "../../protocols/ports/edge-feed.ts"

export const release = <D extends Destination>(
  record: EdgeRecord,
  destination: D,
): Effect.Effect<Released<EdgeRecord, D>, ClassRefused> => {
  const verdict = gate(record, record.privacyClass, destination)
  return verdict.decision === "refuse"
    ? Effect.fail(ClassRefused.of(record.nodeId, verdict.refusal))
    : Effect.succeed(verdict.released)
}
