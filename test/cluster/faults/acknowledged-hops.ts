/**
 * The hops of a router that were acknowledged, as its sender knows them.
 *
 * An acknowledgement without an error code and a reason says that all packets of the batch were taken: the hop will have a frame, unless a node
 * ends with the hop in its memory. A reason says that packets, or hops that waited in the router, were dropped: then nothing is expected of the
 * hops that may have waited.
 */
import { hopUs } from "../../../core/observation/observation.ts"
import type { IngestAck } from "../../../protocols/grpc/ingest-ack.ts"

/** The hops that a router keeps while its environment does not answer (`actors/router/delivery.ts`). */
const heldHopsMax = 100

export class AcknowledgedHops {
  readonly #hops = new Set<number>()

  /** @param ack null: the sender has no answer */
  take(hop: number, ack: IngestAck | null): void {
    if (ack === null || ack.errorCode !== null) return
    if (ack.reason === null) return void this.#hops.add(hop)
    for (const each of this.#hops) if (each >= hop - heldHopsMax) this.#hops.delete(each)
  }

  /** The event times that must have a frame: the ends of the hops. */
  get timestampsMs(): ReadonlyArray<number> {
    return [...this.#hops].map((hop) => ((hop + 1) * hopUs) / 1000)
  }
}
