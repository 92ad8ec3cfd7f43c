/** What the watch over an environment hands over to the one that continues it on another node: the persons, and the zones that they are in. */
import { Schema } from "effect"
import { Point } from "../../protocols/domain/pose.ts"
import { Provenance } from "../../protocols/domain/provenance.ts"
import { Zone } from "../../protocols/domain/zone.ts"

export const WatchMemory = Schema.Struct({
  persons: Schema.Array(Schema.Struct({
    trackId: Schema.Int,
    personId: Schema.Int,
    place: Point,
    seenS: Schema.Number,
    existence: Schema.Number,
    visits: Schema.Array(Schema.Struct({ zone: Zone, enteredS: Schema.Number })),
  })),
  /** That of the last hop; null before the first. */
  provenance: Schema.NullOr(Provenance),
})
export type WatchMemory = typeof WatchMemory.Type
